package report

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	text.DisableColors()
	goleak.VerifyTestMain(m)
}

func TestRecordAppearsWholeOrNotAtAll(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out.json")

	given, err := Open(path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there before it was written: %v", err)
	}
	if err := given.Write(map[string]float64{"x": math.NaN()}); err == nil {
		t.Error("a bare NaN was written")
	}
	given.Close()
	given.Close()
	expectFiles(t, folder)

	given, err = Open(path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := given.Write(map[string]string{"sign": "a < b"}); err != nil {
		t.Fatal(err)
	}
	given.Close()
	expectFiles(t, folder, "out.json")
	if got, _ := os.ReadFile(path); string(got) != "{\n  \"sign\": \"a < b\"\n}\n" {
		t.Errorf("got %q", got)
	}
}

func expectFiles(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("expected the files %q, got %q", want, got)
	}
}

func TestOpenRefusesBeforeAnyWork(t *testing.T) {
	for target, want := range map[string]string{
		filepath.Join(t.TempDir(), "gone", "out.json"): "cannot be written",
		t.TempDir(): "is a folder",
	} {
		if _, err := Open(target, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: expected %q, got %v", target, want, err)
		}
	}
}

func TestRecordOnStdoutAndNone(t *testing.T) {
	var stdout bytes.Buffer
	given, err := Open("-", &stdout)
	if err != nil || !given.OnStdout() {
		t.Fatalf("%v, %v", given, err)
	}
	if err := given.Write(1); err != nil || stdout.String() != "1\n" {
		t.Errorf("got %q, %v", stdout.String(), err)
	}
	given.Close()

	none, err := Open("", &stdout)
	if err != nil || none.OnStdout() || none.Write(2) != nil || stdout.String() != "1\n" {
		t.Errorf("no record is wanted, got %q, %v", stdout.String(), err)
	}
	none.Close()
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	NewPrinter(&out, nil).Table(Table{
		Header: []string{"op", "max diff"},
		Rows:   [][]string{{"gemm", "1e-07"}, {"add_ln", "0"}, {"rope\nfix: none", "12.5"}},
		Right:  []int{1},
	})
	want := strings.Join([]string{
		"op         max diff",
		"gemm          1e-07",
		"add_ln            0",
		"rope           12.5",
		"fix: none",
		"",
	}, "\n")
	if out.String() != want {
		t.Errorf("expected\n%s\ngot\n%s", want, out.String())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestPrinterKeepsTheFirstError(t *testing.T) {
	p := NewPrinter(full{}, nil)
	p.Printf("a")
	p.Table(Table{Rows: [][]string{{"b"}}})
	if p.Err() == nil || p.Err().Error() != "no space left" {
		t.Errorf("got %v", p.Err())
	}
}

func TestProgressIsSilentOffATerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	bar := NewPrinter(io.Discard, file).Progress("validate", 3)
	bar.Step("one")
	bar.Now("two")
	bar.Set("three", 3)
	bar.Close()
	bar.Close()
	if info, err := file.Stat(); err != nil || info.Size() != 0 {
		t.Errorf("%d bytes were written, %v", info.Size(), err)
	}
}
