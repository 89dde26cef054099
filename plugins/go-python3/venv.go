package python3

/*
#include "capi.h"
*/
import "C"

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// VenvConfig says which interpreter InitializeVenv starts.
type VenvConfig struct {
	// Python is the interpreter's executable, usually VENV/bin/python. Required. It becomes sys.executable, by which Python children are started.
	Python string
	// Args becomes sys.argv. Zero: one empty string.
	Args []string
	// LocaleEncoding leaves the encoding of files, names and streams to the locale, which in the C locale is ASCII. Zero: UTF-8 everywhere.
	LocaleEncoding bool
}

// InitializeVenv starts the interpreter of an open library as if it were config.Python: sys.prefix and sys.executable are the venv's, and its
// packages can be imported. An interpreter outside a venv is taken too. No signal handler of Python's is installed, and one that a setting such as
// PYTHONFAULTHANDLER installs is taken out again. As the venv's activate script does, it removes PYTHONHOME from the environment.
//
// Like Py_Initialize it must run on a goroutine locked to its OS thread, and leaves the interpreter lock held. It returns an error that wraps
// ErrNotOpen, ErrInitialized, ErrVersion or ErrVenv. What Python itself finds wrong at the start (a standard library that is not there) ends the
// process with Python's sentence; the checks made here leave little of that. After ErrVenv the interpreter may run, and a second attempt
// needs a new process. An addition.
func InitializeVenv(config VenvConfig) error {
	file, _ := Library()
	if file == "" {
		return ErrNotOpen
	}
	if Py_IsInitialized() {
		return ErrInitialized
	}
	python, err := filepath.Abs(config.Python)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrVenv, err)
	}
	root, err := checkVenv(config.Python, python)
	if err != nil {
		return err
	}
	if root != "" {
		if err := os.Unsetenv("PYTHONHOME"); err != nil {
			return fmt.Errorf("%w: %w", ErrVenv, err)
		}
	}
	if err := Py_SetProgramName(python); err != nil {
		return err
	}
	if !config.LocaleEncoding {
		*library.utf8Mode = 1
	}
	if !signalHandlersSaved() {
		SaveSignalHandlers()
	}
	Py_Initialize()
	if _, err := RestoreSignalHandlers(); err != nil {
		return err
	}
	if err := setArgv(config.Args); err != nil {
		return err
	}
	return checkStarted(root, python)
}

// checkVenv finds the venv's root ("" outside a venv) and compares its version with the library's.
func checkVenv(given, python string) (root string, err error) {
	info, err := os.Stat(python)
	if err != nil || given == "" {
		return "", fmt.Errorf("%w: no interpreter at %q", ErrVenv, given)
	}
	if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return "", fmt.Errorf("%w: %s is not an executable file", ErrVenv, python)
	}
	for _, dir := range []string{filepath.Dir(python), filepath.Dir(filepath.Dir(python))} {
		settings, err := readSettings(filepath.Join(dir, "pyvenv.cfg"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrVenv, err)
		}
		return dir, checkSettings(dir, settings)
	}
	return "", nil
}

func checkSettings(dir string, settings map[string]string) error {
	home := settings["home"]
	if _, err := os.Stat(home); err != nil {
		return fmt.Errorf("%w: %s was made from a Python in %q, which is gone: make the venv again", ErrVenv, dir, home)
	}
	version := settings["version"]
	if version == "" {
		version = settings["version_info"]
	}
	major, minor, ok := parseVersion(version)
	if ok && (major != library.major || minor != library.minor) {
		return fmt.Errorf("%w: %s is a venv of Python %d.%d, but %s is %d.%d: open the libpython of %d.%d", ErrVersion,
			dir, major, minor, library.file, library.major, library.minor, major, minor)
	}
	return nil
}

// readSettings reads the "key = value" lines of a pyvenv.cfg.
func readSettings(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	settings := map[string]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), "=")
		settings[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
	}
	return settings, lines.Err()
}

func setArgv(args []string) error {
	if len(args) == 0 {
		args = []string{""}
	}
	list := PyList_New(len(args))
	defer list.DecRef()
	for i, a := range args {
		item := PyUnicode_DecodeUTF8(a, "surrogateescape")
		if item == nil {
			return FetchException()
		}
		PyList_SetItem(list, i, item)
	}
	if PySys_SetObject("argv", list) != 0 {
		return FetchException()
	}
	return nil
}

// checkStarted compares what the interpreter took for its own with what was asked for.
func checkStarted(root, python string) error {
	if got := sysText("executable"); got != python {
		return fmt.Errorf("%w: sys.executable is %q, want %q", ErrVenv, got, python)
	}
	if got := sysText("prefix"); root != "" && got != root {
		return fmt.Errorf("%w: sys.prefix is %q, want %q", ErrVenv, got, root)
	}
	return nil
}

func sysText(name string) string {
	o := PySys_GetObject(name)
	if !PyUnicode_Check(o) {
		return ""
	}
	s, _ := PyUnicode_AsBytes(o)
	return s
}
