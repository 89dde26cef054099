//go:build unix

package venv

import (
	"os"
	"path/filepath"
	"testing"
)

// environment makes a folder that looks like a virtual environment to Find, which runs nothing.
func environment(t *testing.T, folder string) string {
	t.Helper()
	python := filepath.Join(folder, "bin", "python")
	if err := os.MkdirAll(filepath.Dir(python), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/bin/sh", python); err != nil {
		t.Fatal(err)
	}
	return python
}

func TestFindOrder(t *testing.T) {
	explicit := environment(t, filepath.Join(t.TempDir(), "explicit"))
	variable := environment(t, filepath.Join(t.TempDir(), "variable"))
	active := environment(t, filepath.Join(t.TempDir(), "active"))
	work := t.TempDir()
	here := environment(t, filepath.Join(work, ".venv"))
	empty := t.TempDir()

	folder := func(python string) string { return filepath.Dir(filepath.Dir(python)) }
	for _, c := range []struct {
		name, explicit, variable, active, work string
		python, origin                         string
	}{
		{"explicit wins", folder(explicit), folder(variable), folder(active), work, explicit, "the venv setting"},
		{"an interpreter is as good as its folder", explicit, "", "", work, explicit, "the venv setting"},
		{"then LAYACTL_VENV", "", folder(variable), folder(active), work, variable, "LAYACTL_VENV"},
		{"then VIRTUAL_ENV", "", "", folder(active), work, active, "VIRTUAL_ENV"},
		{"a VIRTUAL_ENV that is gone is passed over", "", "", "/gone", work, here, "the working folder"},
		{"then the working folder", "", "", "", work, here, "the working folder"},
		{"nothing", "", "", "", empty, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("LAYACTL_VENV", c.variable)
			t.Setenv("VIRTUAL_ENV", c.active)
			t.Chdir(c.work)
			got, err := Locate(c.explicit)
			if c.python == "" {
				expect(t, err, ErrNotFound, "looked at ")
				expect(t, err, ErrNotFound, "make setup")
				return
			}
			if err != nil || got != (Location{c.python, c.origin}) {
				t.Errorf("expected %s from %s, got %+v, %v", c.python, c.origin, got, err)
			}
		})
	}
}

func TestFindSaysWhatIsWrongWithTheGivenOne(t *testing.T) {
	dangling := filepath.Join(t.TempDir(), "env")
	if err := os.MkdirAll(filepath.Join(dangling, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/gone/python3.11", filepath.Join(dangling, "bin", "python")); err != nil {
		t.Fatal(err)
	}
	_, err := Find(dangling)
	expect(t, err, ErrBroken, "points to /gone/python3.11, which is gone")
	_, err = Find("/gone")
	expect(t, err, ErrNotFound, "the venv setting: there is no /gone")
	_, err = Find(t.TempDir())
	expect(t, err, ErrNotFound, "is not a virtual environment")

	t.Setenv("LAYACTL_VENV", "/gone")
	_, err = Find("")
	expect(t, err, ErrNotFound, "LAYACTL_VENV: there is no /gone")
}
