// Package venv finds the Python environment that plugins embed, and says what is wrong with one that will not do.
// It starts an interpreter for a moment to ask it about itself; it loads nothing into this process.
package venv

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/layactl/layactl/internal/command"
)

// Every error of this package matches ErrUnusable and one of the others.
var (
	// ErrUnusable: Find and Inspect, whatever the reason.
	ErrUnusable = errors.New("python environment unusable")
	// ErrNotFound: Find has no interpreter in any of its places; Inspect is given a path that is not there.
	ErrNotFound = errors.New("python not found")
	// ErrBroken: Inspect cannot run the interpreter, or its environment was made for another one.
	ErrBroken = errors.New("python does not run")
	// ErrUnsupported: Inspect finds another Python than CPython 3.10 to 3.13, 64-bit, with the GIL.
	ErrUnsupported = errors.New("python not supported")
	// ErrNoLibrary: Inspect finds no shared libpython that belongs to the interpreter.
	ErrNoLibrary = errors.New("libpython not found")
)

// Oldest and newest minor version of Python 3 that plugins embed.
const (
	oldestMinor = 10
	newestMinor = 13
)

// inspectTimeout ends an interpreter that does not answer.
const inspectTimeout = 10 * time.Second

//go:embed interpreter.py
var interpreterSource string

// Environment is what an interpreter says about itself.
type Environment struct {
	// Executable is the interpreter's path, in a virtual environment its own and not that of the Python below it.
	Executable string `json:"executable"`
	// Prefix is the environment's folder, BasePrefix that of the Python below it; the same when there is no venv.
	Prefix     string `json:"prefix"`
	BasePrefix string `json:"base_prefix"`
	// Version is the full version, such as "3.11.7".
	Version string `json:"version"`
	// Implementation is "CPython" for every environment that Inspect accepts.
	Implementation string `json:"implementation"`
	// Shared says that the interpreter was built with --enable-shared.
	Shared bool `json:"shared"`
	// LibPython is the path of the shared library of this very installation.
	LibPython string `json:"libpython"`
	// IsVenv says that Prefix is a virtual environment.
	IsVenv bool `json:"is_venv"`
	// SitePackages are the folders that packages are installed in.
	SitePackages []string `json:"site_packages"`
}

// answer is everything that interpreter.py prints.
type answer struct {
	Environment
	VersionInfo  [3]int   `json:"version_info"`
	Bits         int      `json:"bits"`
	FreeThreaded bool     `json:"free_threaded"`
	LibraryName  string   `json:"library_name"`
	Searched     []string `json:"searched"`
}

// Inspect runs the interpreter once and returns what it is. It fails with a sentence that holds the fix when the
// interpreter is missing, does not run or answer within 10 s, or is not one that a plugin can embed. The error then
// matches ErrUnusable and the reason; ctx's own error is returned when ctx ends first.
func Inspect(ctx context.Context, python string) (Environment, error) {
	return inspect(ctx, python, inspectTimeout)
}

func inspect(ctx context.Context, python string, timeout time.Duration) (Environment, error) {
	path, err := executable(python)
	if err != nil {
		return Environment{}, err
	}
	out, err := command.Run(ctx, command.Spec{Args: []string{path, "-I", "-B", "-c", interpreterSource}, Timeout: timeout})
	switch {
	case ctx.Err() != nil:
		return Environment{}, fmt.Errorf("asking %s what it is: %w", path, ctx.Err())
	case errors.Is(err, command.ErrDeadline):
		return Environment{}, unusable(ErrBroken, "%s did not answer within %v", path, timeout)
	case strings.Contains(string(out.Stderr), "Unknown option: -I"):
		return Environment{}, unusable(ErrUnsupported, "%s is older than Python 3.%d; %s", path, oldestMinor, fixVersion)
	case err != nil:
		return Environment{}, unusable(ErrBroken, "Python does not run: %v; %s", err, fixSetup)
	}
	var a answer
	if err := json.Unmarshal(out.Stdout, &a); err != nil {
		return Environment{}, unusable(ErrBroken, "%s does not answer like Python: it printed %.60q", path, out.Stdout)
	}
	return a.Environment, a.check()
}

// executable returns the absolute path of python, links kept: a venv is known by the link that is run.
func executable(python string) (string, error) {
	if !strings.ContainsRune(python, filepath.Separator) {
		found, err := exec.LookPath(python)
		if err != nil {
			return "", unusable(ErrNotFound, "there is no %s on PATH; %s", python, fixSetup)
		}
		python = found
	}
	path, err := filepath.Abs(python)
	if err != nil {
		return "", unusable(ErrNotFound, "%s: %v", python, err)
	}
	if target := missingTarget(path); target != "" {
		return "", unusable(ErrBroken, "%s points to %s, which is gone; %s", path, target, fixSetup)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", unusable(ErrNotFound, "there is no Python at %s; %s", path, fixSetup)
	case info.IsDir():
		return "", unusable(ErrNotFound, "%s is a folder, not a Python interpreter", path)
	case info.Mode().Perm()&0o111 == 0:
		return "", unusable(ErrBroken, "%s is not executable; run chmod +x on it", path)
	}
	return path, nil
}

// missingTarget follows links from path and returns the first target that is not there; "" if path is no dangling link.
func missingTarget(path string) string {
	for range 32 {
		target, err := os.Readlink(path)
		if err != nil {
			return ""
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		if _, err := os.Lstat(target); err != nil {
			return target
		}
		path = target
	}
	return path
}

// The fixes that sentences end with.
const (
	fixSetup   = "run `make setup`, or name another environment with --venv"
	fixVersion = "use CPython 3.10 to 3.13, for example `make setup PYTHON=python3.11`"
)

func (a *answer) check() error {
	name := fmt.Sprintf("%s (%s %s)", a.Executable, a.Implementation, a.Version)
	major, minor := a.VersionInfo[0], a.VersionInfo[1]
	switch {
	case a.Implementation != "CPython":
		return unusable(ErrUnsupported, "%s is not CPython; %s", name, fixVersion)
	case major != 3 || minor < oldestMinor || minor > newestMinor:
		return unusable(ErrUnsupported, "%s is not one of Python 3.%d to 3.%d; %s", name, oldestMinor, newestMinor, fixVersion)
	case a.FreeThreaded:
		return unusable(ErrUnsupported, "%s is a free-threaded build, which torch and TileLang are not made for; %s", name, fixVersion)
	case a.Bits != 64:
		return unusable(ErrUnsupported, "%s is a %d-bit build and torch needs 64 bits; %s", name, a.Bits, fixVersion)
	}
	if made := madeFor(a.Prefix); a.IsVenv && made != "" && made != fmt.Sprintf("%d.%d", major, minor) {
		return unusable(ErrBroken, "%s was made with Python %s, but its interpreter is now %s; %s", a.Prefix, made, a.Version, fixSetup)
	}
	if a.LibPython != "" {
		return nil
	}
	if a.Shared {
		return unusable(ErrNoLibrary, "%s has no %s in %s; on Debian or Ubuntu: apt-get install libpython%d.%d",
			name, a.LibraryName, strings.Join(a.Searched, ", "), major, minor)
	}
	return unusable(ErrNoLibrary, "%s was built without a shared library, so no plugin can embed it; get one with "+
		"`PYTHON_CONFIGURE_OPTS=--enable-shared pyenv install %d.%d` or from the distribution, then make the environment again with it",
		name, major, minor)
}

// madeFor returns the minor version, such as "3.11", that a virtual environment was made for; "" if it does not say.
func madeFor(prefix string) string {
	config, err := os.ReadFile(filepath.Join(prefix, "pyvenv.cfg"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(config)) {
		key, value, _ := strings.Cut(line, "=")
		if key = strings.TrimSpace(key); key != "version" && key != "version_info" {
			continue
		}
		if parts := strings.SplitN(strings.TrimSpace(value), ".", 3); len(parts) > 1 {
			return parts[0] + "." + parts[1]
		}
	}
	return ""
}

// failure is a sentence that matches ErrUnusable and its reason.
type failure struct {
	reason error
	text   string
}

func (f *failure) Error() string   { return f.text }
func (f *failure) Unwrap() []error { return []error{ErrUnusable, f.reason} }

func unusable(reason error, format string, args ...any) error {
	return &failure{reason, fmt.Sprintf(format, args...)}
}
