//go:build unix

package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWorst(t *testing.T) {
	for _, c := range []struct {
		statuses []Status
		want     Status
	}{
		{nil, OK},
		{[]Status{OK, OK}, OK},
		{[]Status{OK, Warning, OK}, Warning},
		{[]Status{Missing, Warning}, Missing},
		{[]Status{Warning, Missing, OK}, Missing},
	} {
		var lines []Line
		for _, status := range c.statuses {
			lines = append(lines, Line{Status: status})
		}
		if got := Worst(lines); got != c.want {
			t.Errorf("%v: expected %s, got %s", c.statuses, c.want, got)
		}
	}
}

// A compiler that never ends is ended, with what it started, and its folder is gone.
func TestCompilerThatHangs(t *testing.T) {
	temp := t.TempDir()
	slow := filepath.Join(temp, "slow")
	if err := os.WriteFile(slow, []byte("#!/bin/sh\nsleep 300 &\nwait\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	t.Setenv("CXX", slow)
	e := &examination{Config: Config{CompileTimeout: 300 * time.Millisecond}}
	began := time.Now()
	e.compiler(t.Context())
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	expectLine(t, e, "compiler", Missing, "did not end in time: ended after 300ms", "unset CXX")
	if left, _ := filepath.Glob(filepath.Join(temp, "layactl-doctor-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestExamineStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Examine(ctx, Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("expected context.Canceled, got %v", err)
	}
}

func TestCacheFolder(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	private := filepath.Join(root, "private")
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		folder string
		status Status
		found  string
	}{
		{"", Missing, "HOME and XDG_CACHE_HOME are not set"},
		{filepath.Join(root, "a", "b"), OK, "to be made when first needed"},
		{file, Missing, "is not a folder"},
		{private, OK, "nobody else can write to it"},
	} {
		e := &examination{Config: Config{CacheDir: c.folder}}
		e.cacheFolder(t.Context())
		expectLine(t, e, "cache folder", c.status, c.found, "")
	}
	if _, err := os.Stat(filepath.Join(root, "a")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("examining the folder made it: %v", err)
	}
}

func expectLine(t *testing.T, e *examination, topic string, status Status, found, fix string) {
	t.Helper()
	if len(e.lines) != 1 {
		t.Fatalf("expected one line, got %+v", e.lines)
	}
	line := e.lines[0]
	if line.Topic != topic || line.Status != status || !strings.Contains(line.Found, found) || !strings.Contains(line.Fix, fix) {
		t.Errorf("expected %s %s %q (fix %q), got %+v", topic, status, found, fix, line)
	}
}
