//go:build unix

package venv

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// interpreters returns every Python of this machine that the glob patterns name, pyenv's and the system's.
func interpreters(t *testing.T, versions ...string) []string {
	t.Helper()
	root := os.Getenv("PYENV_ROOT")
	if root == "" {
		root = filepath.Join(os.Getenv("HOME"), ".pyenv")
	}
	var found []string
	for _, version := range versions {
		for _, pattern := range []string{
			filepath.Join(root, "versions", version+".*", "bin", "python"+version),
			"/usr/bin/python" + version,
			"/usr/local/bin/python" + version,
		} {
			paths, err := filepath.Glob(pattern)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, paths...)
		}
	}
	if len(found) == 0 {
		t.Skipf("no Python %s on this machine", strings.Join(versions, ", "))
	}
	return found
}

// newVenv makes a virtual environment without pip.
func newVenv(t *testing.T, python string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "env")
	if out, err := exec.Command(python, "-I", "-m", "venv", "--without-pip", folder).CombinedOutput(); err != nil {
		t.Skipf("%s makes no virtual environment: %v\n%s", python, err, out)
	}
	return folder
}

func TestInspectAcceptsEverySupportedVersion(t *testing.T) {
	for _, python := range interpreters(t, "3.10", "3.11", "3.12", "3.13") {
		t.Run(python, func(t *testing.T) {
			folder := newVenv(t, python)
			link := filepath.Join(folder, "bin", "python")
			got, err := Inspect(t.Context(), link)
			if errors.Is(err, ErrNoLibrary) {
				t.Skipf("this one has no shared library: %v", err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Executable != link || got.Prefix != folder || !got.IsVenv || got.BasePrefix == folder {
				t.Errorf("the environment's own paths got lost: %+v", got)
			}
			if got.Implementation != "CPython" || !strings.Contains(python, got.Version[:4]) {
				t.Errorf("got %s %s", got.Implementation, got.Version)
			}
			if _, err := os.Stat(got.LibPython); err != nil || !strings.Contains(got.LibPython, "libpython"+got.Version[:4]) {
				t.Errorf("libpython %s: %v", got.LibPython, err)
			}
			if len(got.SitePackages) == 0 || !strings.HasPrefix(got.SitePackages[0], folder) {
				t.Errorf("site packages %v are not the environment's", got.SitePackages)
			}
		})
	}
}

func TestInspectRefusesOtherVersions(t *testing.T) {
	for _, python := range interpreters(t, "2.7", "3.6", "3.7", "3.8", "3.9", "3.14") {
		_, err := Inspect(t.Context(), python)
		expect(t, err, ErrUnsupported, "CPython 3.10 to 3.13")
	}
}

func TestInspectRefusesOtherImplementations(t *testing.T) {
	pypy, err := exec.LookPath("pypy3")
	if err != nil {
		t.Skip("no pypy3 on this machine")
	}
	_, err = Inspect(t.Context(), pypy)
	expect(t, err, ErrUnsupported, "is not CPython")
}

func TestInspectSaysWhatIsBroken(t *testing.T) {
	write := func(text string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), "python")
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	dangling := filepath.Join(t.TempDir(), "python")
	if err := errors.Join(
		os.Symlink("python3.11", dangling),
		os.Symlink("/gone/bin/python3.11", filepath.Join(filepath.Dir(dangling), "python3.11")),
	); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, python string
		reason       error
		text         string
	}{
		{"missing", filepath.Join(t.TempDir(), "python"), ErrNotFound, "there is no Python at"},
		{"not on PATH", "no-such-python", ErrNotFound, "no no-such-python on PATH"},
		{"a folder", t.TempDir(), ErrNotFound, "is a folder"},
		{"dangling", dangling, ErrBroken, "points to /gone/bin/python3.11, which is gone; run `make setup`"},
		{"not executable", write("", 0o644), ErrBroken, "chmod +x"},
		{"exits", write("#!/bin/sh\necho libpython: cannot open shared object file >&2\nexit 127\n", 0o755), ErrBroken, "cannot open shared object"},
		{"another program", write("#!/bin/sh\necho hello\n", 0o755), ErrBroken, "does not answer like Python"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Inspect(t.Context(), c.python)
			expect(t, err, c.reason, c.text)
		})
	}
}

func TestInspectEndsAnInterpreterThatHangs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nsleep 300\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := inspect(t.Context(), path, 200*time.Millisecond)
	expect(t, err, ErrBroken, "did not answer within")

	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := Inspect(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("expected the context's error, got %v", err)
	}
}

func TestInspectNoticesAnInterpreterChangedUnderTheEnvironment(t *testing.T) {
	older, newer := interpreters(t, "3.11")[0], interpreters(t, "3.12")[0]
	folder := newVenv(t, older)
	link := filepath.Join(folder, "bin", "python")
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(newer, link); err != nil {
		t.Fatal(err)
	}
	_, err := Inspect(t.Context(), link)
	expect(t, err, ErrBroken, "was made with Python 3.11, but its interpreter is now 3.12")
}

// What interpreters that this machine lacks answer.
func TestCheck(t *testing.T) {
	good := answer{
		Environment: Environment{
			Executable: "/opt/py/bin/python", Prefix: "/opt/py", BasePrefix: "/opt/py", Version: "3.11.7", Implementation: "CPython",
			Shared: true, LibPython: "/opt/py/lib/libpython3.11.so.1.0",
		},
		VersionInfo: [3]int{3, 11, 7}, Bits: 64, LibraryName: "libpython3.11.so.1.0", Searched: []string{"/opt/py/lib"},
	}
	if err := good.check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(*answer)
		reason error
		text   string
	}{
		{"static", func(a *answer) { a.Shared, a.LibPython = false, "" }, ErrNoLibrary, "PYTHON_CONFIGURE_OPTS=--enable-shared pyenv install 3.11"},
		{"library package missing", func(a *answer) { a.LibPython = "" }, ErrNoLibrary, "apt-get install libpython3.11"},
		{"free-threaded", func(a *answer) { a.FreeThreaded = true }, ErrUnsupported, "free-threaded"},
		{"32-bit", func(a *answer) { a.Bits = 32 }, ErrUnsupported, "needs 64 bits"},
		{"too new", func(a *answer) { a.VersionInfo[1] = 14 }, ErrUnsupported, "3.10 to 3.13"},
		{"PyPy", func(a *answer) { a.Implementation = "PyPy" }, ErrUnsupported, "is not CPython"},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := good
			c.change(&changed)
			expect(t, changed.check(), c.reason, c.text)
		})
	}
	conda := good
	conda.Shared = false
	if err := conda.check(); err != nil {
		t.Errorf("a static build that carries its library all the same: %v", err)
	}
}

func expect(t *testing.T, err, reason error, text string) {
	t.Helper()
	if !errors.Is(err, reason) || !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), text) {
		t.Errorf("expected %v with %q, got %v", reason, text, err)
	}
}
