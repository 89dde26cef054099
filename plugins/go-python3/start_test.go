package python3

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// startTests run in order, with the library open and nothing started until the last one.
var startTests = []interpreterTest{
	{"version", testVersion},
	{"lock", testLockBeforeStart},
	{"open again", testOpenAgain},
	{"wrong venv", testWrongVenv},
	{"outside a venv", testOutsideVenv},
}

func testVersion(t *testing.T) {
	same(t, "Py_IsInitialized", Py_IsInitialized(), false)
	if version := os.Getenv(nameVariable); !strings.HasPrefix(Py_GetVersion(), version+" ") {
		t.Errorf("Py_GetVersion: %q, want %s", Py_GetVersion(), version)
	}
	file, version := Library()
	same(t, "version", version, os.Getenv(nameVariable))
	same(t, "file", file, os.Getenv(libraryVariable))
	same(t, "platform", Py_GetPlatform(), "linux")
	for _, text := range []string{Py_GetCopyright(), Py_GetCompiler(), Py_GetBuildInfo()} {
		same(t, "empty", text == "", false)
	}
}

func testLockBeforeStart(t *testing.T) {
	sentence := panics(t, "WithGIL", func() { WithGIL(func() {}) })
	same(t, "WithGIL", sentence, "python3: PyGILState_Ensure: the interpreter is not initialised")
}

func testOpenAgain(t *testing.T) {
	library := os.Getenv(libraryVariable)
	link := filepath.Join(t.TempDir(), "link.so")
	if err := os.Symlink(library, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{library, link} {
		if err := Open(path); err != nil {
			t.Errorf("the same library: %v", err)
		}
	}
	bytes, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), filepath.Base(library))
	if err := os.WriteFile(other, bytes, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Open(other); !errors.Is(err, ErrOpen) || !strings.Contains(err.Error(), library) || !strings.Contains(err.Error(), other) {
		t.Errorf("another library: %v", err)
	}
	if err := Open("libc.so.6"); !errors.Is(err, ErrOpen) {
		t.Errorf("libc: %v", err)
	}
}

// venvs are folders that InitializeVenv must refuse before anything starts. HOME and the rest are set by testWrongVenv.
var venvs = []struct {
	name, settings, python string
	mode                   os.FileMode
	want                   error
	sentence               string
}{
	{name: "no python", settings: "home = HOME\n", want: ErrVenv, sentence: "no interpreter at"},
	{name: "not executable", settings: "home = HOME\n", python: "x", mode: 0o666, want: ErrVenv, sentence: "is not an executable file"},
	{name: "home gone", settings: "home = /nonexistent\n", python: "x", mode: 0o777, want: ErrVenv, sentence: "make the venv again"},
	{name: "no home", settings: "\n", python: "x", mode: 0o777, want: ErrVenv, sentence: "make the venv again"},
	{name: "another version", settings: "home = HOME\nversion = 3.99.1\n", python: "x", mode: 0o777, want: ErrVersion, sentence: "open the libpython of 3.99"},
	{name: "another version, as virtualenv has it", settings: "home=HOME\nversion_info = 3.99.1.final.0\n", python: "x", mode: 0o777, want: ErrVersion, sentence: "open the libpython of 3.99"},
}

func testWrongVenv(t *testing.T) {
	for _, v := range venvs {
		root := t.TempDir()
		python := filepath.Join(root, "bin", "python")
		if err := os.Mkdir(filepath.Dir(python), 0o777); err != nil {
			t.Fatal(err)
		}
		if v.python != "" {
			if err := os.WriteFile(python, []byte(v.python), v.mode); err != nil {
				t.Fatal(err)
			}
		}
		settings := strings.ReplaceAll(v.settings, "HOME", filepath.Dir(os.Getenv(baseVariable)))
		if err := os.WriteFile(filepath.Join(root, "pyvenv.cfg"), []byte(settings), 0o666); err != nil {
			t.Fatal(err)
		}
		err := InitializeVenv(VenvConfig{Python: python})
		if !errors.Is(err, v.want) || !strings.Contains(err.Error(), v.sentence) {
			t.Errorf("%s: %v, want %v with %q", v.name, err, v.want, v.sentence)
		}
		same(t, v.name+": started", Py_IsInitialized(), false)
	}
	for _, python := range []string{"", "\x00", "/nonexistent/python"} {
		if err := InitializeVenv(VenvConfig{Python: python}); !errors.Is(err, ErrVenv) {
			t.Errorf("Python %q: %v", python, err)
		}
	}
}

// testOutsideVenv starts the base interpreter, in the C locale with the locale's encoding, and ends it.
func testOutsideVenv(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := allActions(t)
	same(t, "Py_SetProgramName with null", Py_SetProgramName("a\x00b") == nil, false)
	if err := InitializeVenv(VenvConfig{Python: os.Getenv(baseVariable), LocaleEncoding: true}); err != nil {
		t.Fatal(err)
	}
	same(t, "handlers", allActions(t) == before, true)
	same(t, "Py_IsInitialized", Py_IsInitialized(), true)
	same(t, "sys.executable", sysText("executable"), os.Getenv(baseVariable))
	same(t, "sys.prefix", sysText("prefix"), os.Getenv(prefixVariable))
	same(t, "utf8_mode", repr(t, evaluate(t, `__import__("sys").flags.utf8_mode`)), "0")
	same(t, "sys.argv", repr(t, evaluate(t, `__import__("sys").argv`)), "['']")
	same(t, "Py_InitializeEx again", PyRun_SimpleString("pass"), 0)
	Py_InitializeEx(true)
	same(t, "handlers", allActions(t) == before, true)
	home, err := Py_GetPythonHome()
	same(t, "Py_GetPythonHome", home, "")
	same(t, "Py_GetPythonHome", err, nil)
	same(t, "Py_FinalizeEx", Py_FinalizeEx(), 0)
	same(t, "Py_IsInitialized", Py_IsInitialized(), false)
	same(t, "WithGIL after the end", panics(t, "WithGIL", func() { WithGIL(func() {}) }), "python3: PyGILState_Ensure: the interpreter is not initialised")
	same(t, "handlers", allActions(t) == before, true)
}
