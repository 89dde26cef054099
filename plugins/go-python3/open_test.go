package python3

import (
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fakes are libraries that Open must refuse, by their C source.
var fakes = []struct {
	name, source string
	want         error
	sentence     string
}{
	{"no python", `int answer = 42;`, ErrLibrary, "is not a CPython library: it has no Py_GetVersion"},
	{"python 2", `const char *Py_GetVersion(void) { return "2.7.18 (default) [GCC]"; }`, ErrVersion, "is Python 2.7, need 3.10 or newer"},
	{"python 3.9", `const char *Py_GetVersion(void) { return "3.9.18 (main) [GCC]"; }`, ErrVersion, "is Python 3.9, need 3.10 or newer"},
	{"pypy", `const char *Py_GetVersion(void) { return "3.11.13 (x) [PyPy 7.3.20]"; }`, ErrLibrary, `is not CPython but "3.11.13 (x) [PyPy 7.3.20]"`},
	{"nonsense", `const char *Py_GetVersion(void) { return "hello"; }`, ErrLibrary, `is not CPython but "hello"`},
	{"object missing", `const char *Py_GetVersion(void) { return "3.13.0"; } long _Py_NoneStruct;`, ErrLibrary, "has no _Py_TrueStruct"},
}

// TestOpenRefuses runs where nothing is open, and leaves it so.
func TestOpenRefuses(t *testing.T) {
	if os.Getenv(libraryVariable) != "" {
		t.Skip("a library is open in this process")
	}
	dir := t.TempDir()
	for _, f := range fakes {
		t.Run(f.name, func(t *testing.T) { refused(t, build(t, dir, f.source), f.want, f.sentence) })
	}
	t.Run("function missing", func(t *testing.T) {
		source := `const char *Py_GetVersion(void) { return "3.12.0"; } int Py_UTF8Mode; void Py_InitializeEx(int i) {}`
		for _, o := range objects {
			source += " void *" + o.name + ";"
		}
		source = strings.Replace(source, " void *PyExc_ConnectionResetError;", "", 1) // two variables have it
		refused(t, build(t, dir, source), ErrLibrary, "has no Py_IsInitialized")
	})
	t.Run("no file", func(t *testing.T) { refused(t, filepath.Join(dir, "none.so"), ErrLibrary, "none.so") })
	t.Run("no path", func(t *testing.T) { refused(t, "", ErrLibrary, `"" is not the path of a library`) })
	t.Run("null", func(t *testing.T) { refused(t, "/lib\x00x", ErrLibrary, "is not the path of a library") })
	t.Run("not a library", func(t *testing.T) { refused(t, "README.md", ErrLibrary, "README.md") })
	t.Run("libc", func(t *testing.T) {
		refused(t, "libc.so.6", ErrLibrary, "is not a CPython library: it has no Py_GetVersion")
	})
	for _, p := range describeInterpreters(t) {
		if p.Minor < oldestMinor {
			t.Run(p.Version, func(t *testing.T) { refused(t, p.Library, ErrVersion, "need 3.10 or newer") })
		}
	}
}

func build(t *testing.T, dir, source string) string {
	t.Helper()
	c := filepath.Join(dir, "fake.c")
	if err := os.WriteFile(c, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.CreateTemp(dir, "*.so")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", f.Name(), c).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return f.Name()
}

func refused(t *testing.T, path string, want error, sentence string) {
	t.Helper()
	err := Open(path)
	if !errors.Is(err, want) || !strings.Contains(err.Error(), sentence) || strings.Contains(err.Error(), "\n") {
		t.Errorf("Open(%q): %v, want %v with %q", path, err, want, sentence)
	}
	if file, version := Library(); file != "" || version != "" || Py_None != nil {
		t.Errorf("a refused library left %q %q", file, version)
	}
}

// TestUnopened calls functions of each kind where nothing is open: a Go panic that names the function.
func TestUnopened(t *testing.T) {
	if os.Getenv(libraryVariable) != "" {
		t.Skip("a library is open in this process")
	}
	for name, f := range map[string]func(){
		"Py_InitializeEx":             Py_Initialize,
		"Py_IsInitialized":            func() { Py_IsInitialized() },
		"Py_GetVersion":               func() { Py_GetVersion() },
		"PyUnicode_FromStringAndSize": func() { PyUnicode_FromString("x") },
		"PyErr_Occurred":              func() { FetchException() },
		"PyFloat_FromDouble":          func() { PyFloat_FromDouble(1) },
		"PyThread_get_thread_ident":   func() { PyThread_get_thread_ident() },
	} {
		want := "python3: " + name + ": no libpython is open, call Open first"
		same(t, name, panics(t, name, f), want)
	}
	same(t, "WithGIL", panics(t, "WithGIL", func() { WithGIL(func() { t.Error("ran") }) }), "python3: Py_IsInitialized: no libpython is open, call Open first")
	if err := InitializeVenv(VenvConfig{Python: "/usr/bin/python3"}); !errors.Is(err, ErrNotOpen) {
		t.Errorf("InitializeVenv: %v", err)
	}
}

// TestFunctionTable keeps the list of C functions to what is called.
func TestFunctionTable(t *testing.T) {
	header, err := os.ReadFile("capi.h")
	if err != nil {
		t.Fatal(err)
	}
	source := string(header)
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		source += string(text)
	}
	functions := regexp.MustCompile(`(?m)^\tX\([^,]+, (\w+),`).FindAllStringSubmatch(string(header), -1)
	if len(functions) < 100 {
		t.Fatalf("only %d functions found in capi.h", len(functions))
	}
	for _, f := range functions {
		if !strings.Contains(source, "call_"+f[1]+"(") {
			t.Errorf("%s is in capi.h and never called", f[1])
		}
	}
}

// TestNotLinked reads what the linker would load with this program.
func TestNotLinked(t *testing.T) {
	program, err := elf.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	libraries, err := program.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range libraries {
		if strings.Contains(l, "python") {
			t.Errorf("the program is linked with %s", l)
		}
	}
	symbols, err := program.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if strings.HasPrefix(s.Name, "Py") || strings.HasPrefix(s.Name, "_Py") {
			t.Errorf("the program exports or wants %s, which would come before libpython's", s.Name)
		}
	}
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string][2]int{
		"3.11.7 (main, Dec) [GCC]": {3, 11}, "3.13.0rc1+ (x)": {3, 13}, "3.12": {3, 12}, "3.10.13.final.0": {3, 10},
		"3.13.0 experimental free-threading build": {3, 13},
	} {
		major, minor, ok := parseVersion(text)
		if !ok || [2]int{major, minor} != want {
			t.Errorf("%q: %d.%d %v", text, major, minor, ok)
		}
	}
	for _, text := range []string{"", "3", "x.y", "hello"} {
		if _, _, ok := parseVersion(text); ok {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestWide(t *testing.T) {
	for _, s := range []string{"", "plain", "vénv", "日本語", "😀", "\xff\xfe", "a\xc3", "\xed\xa0\x80", "\ufffd"} {
		w := wide(s)
		same(t, "narrow(wide())", narrow(w), s)
		freeWide(w)
	}
}
