package python3

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// One process holds one libpython, so every interpreter that is found has its tests in a process of its own: this test binary again, with these
// variables.
const (
	libraryVariable = "PYTHON3_TEST_LIBRARY" // file to Open
	pythonVariable  = "PYTHON3_TEST_PYTHON"  // executable of a fresh venv
	baseVariable    = "PYTHON3_TEST_BASE"    // executable of the interpreter that the venv was made from
	prefixVariable  = "PYTHON3_TEST_PREFIX"  // its sys.prefix
	nameVariable    = "PYTHON3_TEST_NAME"    // its name as a subtest
	suiteVariable   = "PYTHON3_TEST_SUITE"   // the test that runs there
)

type interpreterTest struct {
	name string
	run  func(*testing.T)
}

// TestInterpreter runs interpreterTests in every interpreter, started in a venv; `-run TestInterpreter/3.12` chooses one.
func TestInterpreter(t *testing.T) { inEveryInterpreter(t, interpreterTests) }

// TestStart runs startTests in every interpreter, with the library open and nothing started.
func TestStart(t *testing.T) { inEveryInterpreter(t, startTests) }

func TestMain(m *testing.M) {
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// prepare brings a process that runs for one interpreter to where its suite begins.
func prepare() error {
	library, suite := os.Getenv(libraryVariable), os.Getenv(suiteVariable)
	if library == "" {
		return nil
	}
	SaveSignalHandlers()
	if err := Open(library); err != nil || suite == "TestStart" {
		return err
	}
	started := make(chan error)
	go serveMainThread(started)
	return <-started
}

// mainThread runs functions on the OS thread that Python was started on, without the interpreter lock.
var mainThread = make(chan func())

func serveMainThread(started chan<- error) {
	runtime.LockOSThread()
	err := InitializeVenv(VenvConfig{Python: os.Getenv(pythonVariable), Args: []string{"test", "an argument", "\xff"}})
	if err == nil {
		PyEval_SaveThread()
	}
	started <- err
	for f := range mainThread {
		f()
	}
}

// onMainThread is python on that thread. f must not end the test (t.Fatal).
func onMainThread(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	mainThread <- func() {
		defer close(done)
		python(t, f)
	}
	<-done
}

func inEveryInterpreter(t *testing.T, tests []interpreterTest) {
	if name := os.Getenv(nameVariable); name != "" {
		t.Run(name, func(t *testing.T) {
			for _, test := range tests {
				t.Run(test.name, test.run)
			}
		})
		return
	}
	found := findInterpreters(t)
	if len(found) == 0 {
		t.Fatal("no shared-library CPython 3.10 to 3.13 on PATH or under pyenv: nothing was tested")
	}
	for _, p := range found {
		t.Run(p.Version, func(t *testing.T) {
			output, err := p.runAgain(t)
			if err != nil {
				t.Fatalf("%s: %v\n%s", p.Library, err, output)
			}
			if testing.Verbose() {
				t.Logf("%s\n%s", p.Library, output)
			}
		})
	}
}

// runAgain runs the current test in a process of its own with p's library, in a fresh venv whose path is not ASCII, in the C locale, and with
// settings in the environment that must do no harm.
func (p interpreter) runAgain(t *testing.T) (output string, err error) {
	t.Helper()
	venv := filepath.Join(t.TempDir(), "vénv")
	if out, err := exec.Command(p.Python, "-m", "venv", "--without-pip", venv).CombinedOutput(); err != nil {
		t.Fatalf("venv: %v\n%s", err, out)
	}
	suite, _, _ := strings.Cut(t.Name(), "/")
	cmd := exec.Command(os.Args[0], "-test.run="+flagValue("test.run", "^"+suite+"$"), "-test.v="+flagValue("test.v", "false"), "-test.timeout=5m")
	cmd.Env = append(os.Environ(), libraryVariable+"="+p.Library, pythonVariable+"="+filepath.Join(venv, "bin", "python"),
		baseVariable+"="+p.Python, prefixVariable+"="+p.Prefix, nameVariable+"="+p.Version, suiteVariable+"="+suite,
		"LC_ALL=C", "PYTHONFAULTHANDLER=1")
	if suite == "TestInterpreter" {
		cmd.Env = append(cmd.Env, "PYTHONHOME=/nonexistent")
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// interpreter is a CPython with a shared library, as it describes itself.
type interpreter struct {
	Python, Library, Prefix, Version string
	Minor                            int
}

const describe = `import json, os, sys, sysconfig
value = sysconfig.get_config_var
folders = [value("LIBDIR"), os.path.join(sys.base_prefix, "lib")]
files = [os.path.join(d, value("INSTSONAME")) for d in folders if d] if value("Py_ENABLE_SHARED") else []
found = [os.path.realpath(f) for f in files if os.path.exists(f)]
print(json.dumps({"Python": sys.executable, "Library": found[0] if found else "", "Prefix": sys.prefix, "Minor": sys.version_info[1],
                  "Version": "%d.%d.%d" % sys.version_info[:3]}))`

// findInterpreters looks on PATH and in pyenv's folder for CPython 3.10 to 3.13, each shared library once.
func findInterpreters(t *testing.T) []interpreter {
	t.Helper()
	return slices.DeleteFunc(describeInterpreters(t), func(p interpreter) bool { return p.Minor < 10 || p.Minor > 13 })
}

func describeInterpreters(t *testing.T) []interpreter {
	t.Helper()
	var found []interpreter
	seen := map[string]bool{}
	for _, python := range candidates(t) {
		out, err := exec.Command(python, "-c", describe).Output()
		if err != nil {
			continue // a pyenv shim without a version behind it, or something older than the script
		}
		var p interpreter
		if err := json.Unmarshal(out, &p); err != nil {
			t.Fatalf("%s: %v in %q", python, err, out)
		}
		if p.Library != "" && !seen[p.Library] {
			seen[p.Library] = true
			found = append(found, p)
		}
	}
	return found
}

func candidates(t *testing.T) []string {
	t.Helper()
	var pythons []string
	for minor := 9; minor <= 13; minor++ {
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			pythons = append(pythons, filepath.Join(dir, fmt.Sprintf("python3.%d", minor)))
		}
		for _, root := range pyenvRoots() {
			matches, err := filepath.Glob(filepath.Join(root, "versions", fmt.Sprintf("3.%d.*", minor), "bin", fmt.Sprintf("python3.%d", minor)))
			if err != nil {
				t.Fatal(err)
			}
			pythons = append(pythons, matches...)
		}
	}
	return slices.DeleteFunc(pythons, func(p string) bool {
		_, err := os.Stat(p)
		return errors.Is(err, os.ErrNotExist)
	})
}

func pyenvRoots() []string {
	roots := []string{os.Getenv("PYENV_ROOT")}
	if out, err := exec.Command("pyenv", "root").Output(); err == nil {
		roots = append(roots, strings.TrimSpace(string(out)))
	}
	if home, err := os.UserHomeDir(); err == nil {
		roots = append(roots, filepath.Join(home, ".pyenv"))
	}
	return slices.DeleteFunc(roots, func(r string) bool { return r == "" })
}

// flagValue returns what this test run was given for a flag.
func flagValue(name, otherwise string) string {
	if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
		return f.Value.String()
	}
	return otherwise
}
