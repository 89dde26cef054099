package capture

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// write makes a capture of sources and of float32 outputs.
func write(t *testing.T, change func(*Capture), sources map[string]string, outputs map[string][]float32) string {
	t.Helper()
	folder := t.TempDir()
	c := Capture{Schema: Schema, Seed: 1234, Versions: map[string]string{"tilelang": "0.1.14"}}
	keep := func(file string, data []byte) string {
		path := filepath.Join(folder, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		return hex.EncodeToString(sum[:])
	}
	for name, text := range sources {
		f := File{Name: name, File: "sources/" + name + ".cu"}
		f.SHA256 = keep(f.File, []byte(text))
		c.Sources = append(c.Sources, f)
	}
	for name, values := range outputs {
		var data []byte
		for _, v := range values {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		f := File{Name: name, File: "outputs/" + name + ".bin", DType: "float32", Shape: []int64{int64(len(values))}}
		f.SHA256 = keep(f.File, data)
		c.Outputs = append(c.Outputs, f)
	}
	if change != nil {
		change(&c)
	}
	manifest, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	keep("manifest.json", manifest)
	return folder
}

func read(t *testing.T, folder string) *Capture {
	t.Helper()
	c, err := Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestACaptureIsItself(t *testing.T) {
	a := read(t, write(t, nil, map[string]string{"gemm": "x\n", "rope": "y\n"}, map[string][]float32{"gemm-C": {1, 2}}))
	found, err := Compare(a, a)
	if err != nil {
		t.Fatal(err)
	}
	if found.Sources != 2 || found.Outputs != 1 || len(found.Differences)+len(found.Skipped)+len(found.Notes) != 0 {
		t.Errorf("expected 2 sources and 1 output without a difference, got %+v", found)
	}
}

func TestDifferencesAreNamed(t *testing.T) {
	a := read(t, write(t, nil, map[string]string{"gemm": "one\ntwo\n", "rope": "y\n", "old": "z\n"}, map[string][]float32{"C": {1, 2, 3}, "Y": {1}}))
	b := read(t, write(t, func(c *Capture) { c.Versions["tilelang"], c.Seed = "0.1.15", 7 },
		map[string]string{"gemm": "one\n2\n3\n", "rope": "y\n", "new": "z\n"}, map[string][]float32{"C": {1, 2.5, 1}, "Y": {1, 2}}))
	found, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, d := range found.Differences {
		texts[d.What+" "+d.Name] = d.Text
	}
	for name, want := range map[string]string{
		"source gemm": "1 lines removed, 2 added",
		"source old":  "only in " + a.Folder,
		"source new":  "only in " + b.Folder,
		"output C":    "2 of 3 elements differ, by up to 2, the first at 1",
		"output Y":    "expected float32 [1], got float32 [2]",
	} {
		if texts[name] != want {
			t.Errorf("%s: expected %q, got %q", name, want, texts[name])
		}
	}
	if len(texts) != 5 || found.Sources != 2 || found.Outputs != 2 {
		t.Errorf("expected 5 differences in 2 sources and 2 outputs, got %+v", found)
	}
	at := slices.IndexFunc(found.Differences, func(d Difference) bool { return d.Name == "gemm" })
	if head := found.Differences[at].Diff; !strings.Contains(head, "\n-two\n+2\n+3\n") {
		t.Errorf("expected a unified diff, got %q", head)
	}
	if want := []string{"tilelang: 0.1.14 and 0.1.15", "seed: 1234 and 7"}; !slices.Equal(found.Notes, want) {
		t.Errorf("expected the notes %q, got %q", want, found.Notes)
	}
}

func TestLongDiffsAreCut(t *testing.T) {
	a := read(t, write(t, nil, map[string]string{"gemm": strings.Repeat("a\n", 500)}, nil))
	b := read(t, write(t, nil, map[string]string{"gemm": strings.Repeat("b\n", 500)}, nil))
	found, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(found.Differences[0].Diff, "\n"); lines != diffLines+1 || found.Differences[0].Text != "500 lines removed, 500 added" {
		t.Errorf("expected %d lines of 500 removed and added, got %d of %s", diffLines+1, lines, found.Differences[0].Text)
	}
}

func TestWithoutAGPUOutputsAreSkippedByName(t *testing.T) {
	sources := map[string]string{"gemm": "x\n"}
	a := read(t, write(t, nil, sources, map[string][]float32{"C": {1}}))
	b := read(t, write(t, func(c *Capture) { c.Skipped = []Skipped{{"outputs", "torch finds no CUDA device"}} }, sources, nil))
	found, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Differences) != 0 || len(found.Skipped) != 1 || found.Skipped[0].Reason != b.Folder+" has none: torch finds no CUDA device" {
		t.Errorf("expected the outputs to be skipped, got %+v", found)
	}
}

func TestWhatIsNoCaptureIsRefused(t *testing.T) {
	sources := map[string]string{"gemm": "x\n"}
	for name, make := range map[string]func() string{
		"cannot":  func() string { return filepath.Join(t.TempDir(), "nowhere") },
		"schema":  func() string { return write(t, func(c *Capture) { c.Schema = "other/1" }, sources, nil) },
		"outside": func() string { return write(t, func(c *Capture) { c.Sources[0].File = "../x" }, sources, nil) },
		"changed": func() string { return write(t, func(c *Capture) { c.Sources[0].SHA256 = "00" }, sources, nil) },
		"missing": func() string { return write(t, func(c *Capture) { c.Sources[0].File = "nowhere.cu" }, sources, nil) },
		"no source": func() string {
			return write(t, func(c *Capture) { c.Sources = nil }, sources, nil)
		},
	} {
		if _, err := Read(make()); !errors.Is(err, ErrNotACapture) {
			t.Errorf("%s: expected ErrNotACapture, got %v", name, err)
		}
	}
}
