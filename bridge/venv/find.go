package venv

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Location is a place where an environment was found.
type Location struct {
	// Python is the interpreter's path, not resolved through links.
	Python string
	// Origin says what led there, such as "VIRTUAL_ENV".
	Origin string
}

// Find returns the interpreter of the environment to use; see Locate.
func Find(explicit string) (string, error) {
	location, err := Locate(explicit)
	return location.Python, err
}

// Locate returns the environment to use: explicit if it is not empty, then LAYACTL_VENV, VIRTUAL_ENV, the folder
// .venv beside the folder of this program, and .venv in the working folder. explicit and the variables may name an
// environment's folder or an interpreter. The interpreter is not run. explicit and LAYACTL_VENV must exist if they are
// given; the others are passed over when there is nothing at their place. The error matches ErrNotFound or ErrBroken and lists where it looked.
func Locate(explicit string) (Location, error) {
	for _, given := range []struct{ origin, path string }{
		{"the venv setting", explicit},
		{"LAYACTL_VENV", os.Getenv("LAYACTL_VENV")},
	} {
		if given.path == "" {
			continue
		}
		python, err := interpreterIn(given.path)
		if err != nil {
			return Location{}, unusable(reasonOf(err), "%s: %v", given.origin, err)
		}
		return Location{python, given.origin}, nil
	}

	var looked []string
	for _, place := range places() {
		python, err := interpreterIn(place.folder)
		if err == nil {
			return Location{python, place.origin}, nil
		}
		if reasonOf(err) == ErrBroken {
			return Location{}, unusable(ErrBroken, "%s: %v", place.origin, err)
		}
		looked = append(looked, place.folder+" ("+place.origin+")")
	}
	return Location{}, unusable(ErrNotFound, "no Python environment found; looked at %s; %s", strings.Join(looked, ", "), fixSetup)
}

type place struct{ origin, folder string }

func places() []place {
	var all []place
	if active := os.Getenv("VIRTUAL_ENV"); active != "" {
		all = append(all, place{"VIRTUAL_ENV", active})
	}
	if self, err := os.Executable(); err == nil {
		all = append(all, place{"beside the program", filepath.Join(filepath.Dir(filepath.Dir(self)), ".venv")})
	}
	if here, err := filepath.Abs(".venv"); err == nil {
		all = append(all, place{"the working folder", here})
	}
	return all
}

// interpreterIn returns the interpreter that path names, or that lies in the environment that path names.
func interpreterIn(path string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if target := missingTarget(path); target != "" {
			return "", unusable(ErrBroken, "%s points to %s, which is gone; %s", path, target, fixSetup)
		}
		return "", unusable(ErrNotFound, "there is no %s; %s", path, fixSetup)
	}
	if err == nil && info.IsDir() {
		inside := filepath.Join(path, "bin", "python")
		if runtime.GOOS == "windows" {
			inside = filepath.Join(path, "Scripts", "python.exe")
		}
		if _, err := os.Lstat(inside); err != nil {
			return "", unusable(ErrNotFound, "%s is not a virtual environment: it has no %s; %s", path, filepath.Base(inside), fixSetup)
		}
		path = inside
	}
	return executable(path)
}

// reasonOf returns the more precise sentinel of an error of this package.
func reasonOf(err error) error {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.reason
	}
	return ErrNotFound
}
