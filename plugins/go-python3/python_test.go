package python3

import (
	"os"
	"testing"
)

// interpreterTests run in order, each on a goroutine that holds no interpreter lock.
var interpreterTests = []interpreterTest{
	{"venv", testVenv},
	{"variables", testVariables},
	{"nil", testNil},
	{"object", testObject},
	{"call", testCall},
	{"number", testNumber},
	{"text", testText},
	{"bytes", testBytes},
	{"container", testContainer},
	{"module", testModule},
	{"run", testRun},
	{"memoryview", testMemoryView},
	{"fetch", testFetch},
	{"exit", testExit},
	{"errors", testErrors},
	{"exceptions", testExceptions},
	{"warning", testWarning},
	{"leak", testLeak},
	{"goroutines", testGoroutines},
	{"threads", testThreads},
	{"async", testAsync},
	{"signals", testSignals},
	{"faulthandler", testFaulthandler},
}

// python runs f with the interpreter lock; f must leave no exception set.
func python(t *testing.T, f func()) {
	t.Helper()
	WithGIL(func() {
		defer func() {
			if e := FetchException(); e != nil {
				t.Errorf("exception left set: %s", e.Traceback)
			}
		}()
		f()
	})
}

// must takes what is not nil and not an error.
func must(t *testing.T, o *PyObject) *PyObject {
	t.Helper()
	if o == nil {
		t.Fatalf("nil: %v", FetchException())
	}
	return o
}

// execute runs source and returns its namespace, a new reference.
func execute(t *testing.T, source string) *PyObject {
	t.Helper()
	globals := PyDict_New()
	code := must(t, PyUnicode_FromString(source))
	defer code.DecRef()
	must(t, builtin("exec", code, globals)).DecRef()
	return globals
}

// evaluate returns the value of an expression, a new reference.
func evaluate(t *testing.T, expression string) *PyObject {
	t.Helper()
	text := must(t, PyUnicode_FromString(expression))
	defer text.DecRef()
	globals := PyDict_New()
	defer globals.DecRef()
	return must(t, builtin("eval", text, globals))
}

// repr takes over the reference to o.
func repr(t *testing.T, o *PyObject) string {
	t.Helper()
	defer must(t, o).DecRef()
	r := must(t, o.Repr())
	defer r.DecRef()
	return PyUnicode_AsUTF8(r)
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// raises takes the exception that the last call set.
func raises(t *testing.T, what, class string) {
	t.Helper()
	e := FetchException()
	if e == nil || e.Type != class {
		t.Errorf("%s: got %v, want %s", what, e, class)
	}
}

// panics runs f, which must panic, and returns its sentence.
func panics(t *testing.T, what string, f func()) (sentence string) {
	t.Helper()
	defer func() {
		p := recover()
		if p == nil {
			t.Errorf("%s did not panic", what)
			return
		}
		if err, ok := p.(error); ok {
			sentence = err.Error()
			return
		}
		sentence, _ = p.(string)
	}()
	f()
	return ""
}

func testVenv(t *testing.T) {
	python(t, func() {
		root := evaluate(t, `__import__("os").path.dirname(__import__("os").path.dirname(__import__("sys").executable))`)
		defer root.DecRef()
		executable := os.Getenv(pythonVariable)
		same(t, "sys.executable", sysText("executable"), executable)
		same(t, "sys.prefix", sysText("prefix"), PyUnicode_AsUTF8(root))
		same(t, "sys.base_prefix", sysText("base_prefix"), os.Getenv(prefixVariable))
		same(t, "sys.argv", repr(t, evaluate(t, `__import__("sys").argv`)), `['test', 'an argument', '\udcff']`)
		same(t, "utf8_mode", repr(t, evaluate(t, `__import__("sys").flags.utf8_mode`)), "1")
		same(t, "encoding", repr(t, evaluate(t, `__import__("locale").getpreferredencoding(False).lower()`)), "'utf-8'")
		same(t, "site-packages", repr(t, evaluate(t, `any(p.startswith(__import__("sys").prefix) for p in __import__("sys").path)`)), "True")
		same(t, "PYTHONHOME", repr(t, evaluate(t, `__import__("os").environ.get("PYTHONHOME")`)), "None")

		// A child started by sys.executable is the venv's interpreter, not this program.
		child := `__import__("subprocess").check_output([__import__("sys").executable, "-c", "import sys; print(ascii(sys.prefix))"], text=True).strip()`
		same(t, "prefix of a child", repr(t, evaluate(t, child+` == ascii(__import__("sys").prefix)`)), "True")

		// Extension modules find libpython's symbols although nothing links it.
		for _, name := range []string{"_ctypes", "_json", "math", "select"} {
			must(t, PyImport_ImportModule(name)).DecRef()
		}

		name, _ := Py_GetProgramName()
		same(t, "program name", name, executable)
		full, _ := Py_GetProgramFullPath()
		same(t, "program path", full, executable)
		prefix, _ := Py_GetPrefix()
		same(t, "prefix", prefix, os.Getenv(prefixVariable))
		execPrefix, _ := Py_GetExecPrefix()
		same(t, "exec prefix", execPrefix, os.Getenv(prefixVariable))
		path, _ := Py_GetPath()
		if path == "" {
			t.Error("empty Py_GetPath")
		}
	})
	if err := InitializeVenv(VenvConfig{Python: os.Getenv(pythonVariable)}); err != ErrInitialized {
		t.Errorf("second InitializeVenv: %v", err)
	}
}

func testVariables(t *testing.T) {
	python(t, func() {
		for _, o := range objects {
			if *o.to == nil {
				t.Errorf("%s is nil", o.name)
			}
		}
		for want, o := range map[string]*PyObject{
			"None": Py_None, "True": Py_True, "False": Py_False, "<class 'str'>": Unicode, "<class 'int'>": Long,
			"<class 'bytes'>": Bytes, "<class 'module'>": Module, "<class 'type'>": Type, "<class 'dict'>": Dict, "<class 'bool'>": Bool,
		} {
			o.IncRef()
			same(t, want, repr(t, o), want)
		}
		for _, o := range objects {
			if !o.pointer {
				continue
			}
			want := o.name[len("PyExc_"):]
			same(t, o.name, PyEval_GetFuncName(*o.to), "type")
			same(t, o.name, attrText(*o.to, "__name__"), want)
		}
	})
}

func testNil(t *testing.T) {
	var none *PyObject
	python(t, func() {
		none.IncRef()
		none.DecRef()
		for name, check := range map[string]func(*PyObject) bool{
			"bool": PyBool_Check, "bytearray": PyByteArray_Check, "bytes": PyBytes_CheckExact, "complex": PyComplex_Check, "dict": PyDict_Check,
			"float": PyFloat_Check, "list": PyList_Check, "int": PyLong_CheckExact, "module": PyModule_Check, "tuple": PyTuple_Check,
			"type": PyType_Check, "str": PyUnicode_Check, "callable": PyCallable_Check,
		} {
			same(t, name+" of nil", check(none), false)
		}
		list := PyList_New(0)
		defer list.DecRef()
		for what, f := range map[string]func(){
			"Repr":                 none.repr,
			"GetAttrString":        func() { none.GetAttrString("x") },
			"argument":             func() { Bool.CallFunctionObjArgs(Py_True, nil) },
			"receiver of method":   func() { none.CallMethodArgs("append", list) },
			"PyTuple_SetItem":      func() { PyTuple_SetItem(PyTuple_New(1), 0, nil) },
			"PyList_SetItem":       func() { PyList_SetItem(list, 0, nil) },
			"PyDict_SetItem":       func() { PyDict_SetItemString(list, "k", nil) },
			"PyUnicode_AsUTF8":     func() { PyUnicode_AsUTF8(nil) },
			"PyEval_RestoreThread": func() { PyEval_RestoreThread(nil) },
		} {
			if got := panics(t, what, f); len(got) < len("python3: ") || got[:9] != "python3: " {
				t.Errorf("%s: panic %q", what, got)
			}
		}
	})
}

func (pyObject *PyObject) repr() { pyObject.Repr() }
