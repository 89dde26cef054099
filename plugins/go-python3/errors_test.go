package python3

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// fetches are programs that end in an exception, and what FetchException says of it. In traceback, every text must be found in this order.
var fetches = []struct {
	name, source   string
	class, message string
	traceback      []string
	needNotes      bool
}{
	{
		name: "plain", source: "x = {}['missing']",
		class: "KeyError", message: "'missing'", traceback: []string{"Traceback (most recent call last):", "<module>", "KeyError: 'missing'\n"},
	},
	{name: "no message", source: "raise ValueError", class: "ValueError", traceback: []string{"ValueError\n"}},
	{
		name:   "cause",
		source: "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('outer') from e",
		class:  "ValueError", message: "outer",
		traceback: []string{"ZeroDivisionError: division by zero", "The above exception was the direct cause of the following exception", "ValueError: outer"},
	},
	{
		name:   "context",
		source: "try:\n    1 / 0\nexcept ZeroDivisionError:\n    {}['k']",
		class:  "KeyError", message: "'k'",
		traceback: []string{"ZeroDivisionError: division by zero", "During handling of the above exception, another exception occurred", "KeyError: 'k'"},
	},
	{
		name:   "chain of three",
		source: "def a(): raise OSError(2, 'gone', 'f')\ndef b():\n    try: a()\n    except OSError as e: raise RuntimeError('b') from e\ntry: b()\nexcept RuntimeError as e: raise LookupError('c') from e",
		class:  "LookupError", message: "c",
		traceback: []string{"in a", "FileNotFoundError: [Errno 2] gone: 'f'", "direct cause", "RuntimeError: b", "direct cause", "LookupError: c"},
	},
	{
		name: "suppressed context", source: "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise ValueError('clean') from None",
		class: "ValueError", message: "clean", traceback: []string{"ValueError: clean"},
	},
	{
		name: "note", source: "e = ValueError('v')\ne.add_note('a note')\nraise e",
		class: "ValueError", message: "v", traceback: []string{"ValueError: v\na note\n"}, needNotes: true,
	},
	{
		name: "group", source: "raise ExceptionGroup('g', [ValueError('v')])",
		class: "ExceptionGroup", message: "g (1 sub-exception)", traceback: []string{"ExceptionGroup: g (1 sub-exception)", "ValueError: v"}, needNotes: true,
	},
	{
		name: "exit", source: "import sys\nsys.exit(3)",
		class: "SystemExit", message: "3", traceback: []string{"SystemExit: 3"},
	},
	{
		name: "interrupt", source: "raise KeyboardInterrupt",
		class: "KeyboardInterrupt", traceback: []string{"KeyboardInterrupt"},
	},
	{
		name: "other base", source: "class Odd(BaseException): pass\nOdd.__module__ = 'a.b'\nraise Odd('o')",
		class: "a.b.Odd", message: "o", traceback: []string{"a.b.Odd: o"},
	},
	{
		name: "nested class", source: "class A:\n    class B(Exception): pass\nA.B.__module__ = 'm'\nraise A.B('x')",
		class: "m.A.B", message: "x", traceback: []string{"m.A.B: x"},
	},
	{
		name: "library", source: "import json\njson.loads('{')",
		class: "json.decoder.JSONDecodeError", message: "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)", traceback: []string{"json.decoder.JSONDecodeError"},
	},
	{
		name: "surrogates", source: `raise ValueError("a\udcff\ud800")`,
		class: "ValueError", message: `a\udcff\ud800`, traceback: []string{`ValueError: a\udcff\ud800`},
	},
	{
		name: "null", source: `raise ValueError("a\0b")`,
		class: "ValueError", message: "a\x00b", traceback: []string{"ValueError: a\x00b"},
	},
	{
		name: "recursion", source: "def f(): f()\nf()",
		class: "RecursionError", message: "maximum recursion depth exceeded", traceback: []string{"Previous line repeated", "RecursionError"},
	},
	{name: "memory", source: "x = [0] * (1 << 60)", class: "MemoryError", traceback: []string{"MemoryError"}},
	{
		name: "failing str", source: "class E(Exception):\n    def __str__(self): raise SystemExit(9)\nE.__module__ = 'm'\nraise E",
		class: "m.E", message: "<exception str() failed>", traceback: []string{"m.E"},
	},
	{
		name: "str that is none", source: "class E(Exception):\n    def __str__(self): return 5\nE.__module__ = 'm'\nraise E",
		class: "m.E", message: "<exception str() failed>", traceback: []string{"m.E"},
	},
	{
		name: "syntax", source: "x = (",
		class: "SyntaxError", message: "'(' was never closed (<string>, line 1)", traceback: []string{"x = (", "SyntaxError: '(' was never closed"},
	},
}

func testFetch(t *testing.T) {
	python(t, func() {
		same(t, "no exception", FetchException(), nil)
		notes := builtinExists("ExceptionGroup")
		for _, f := range fetches {
			if f.needNotes && !notes {
				continue // 3.10 has neither notes nor groups
			}
			source, globals := PyUnicode_FromString(f.source), PyDict_New()
			if result := builtin("exec", source, globals); result != nil {
				t.Errorf("%s: no exception", f.name)
			}
			e := FetchException()
			decRef(source, globals)
			if e == nil {
				continue
			}
			same(t, f.name+": Type", e.Type, f.class)
			if !strings.HasPrefix(e.Message, f.message) {
				t.Errorf("%s: Message: got %q, want %q", f.name, e.Message, f.message)
			}
			rest := e.Traceback
			for _, part := range f.traceback {
				_, after, found := strings.Cut(rest, part)
				if !found {
					t.Errorf("%s: Traceback has no %q (in this place):\n%s", f.name, part, e.Traceback)
				}
				rest = after
			}
			same(t, f.name+": valid UTF-8", utf8.ValidString(e.Message+e.Traceback), true)
			same(t, f.name+": one exception, taken", PyErr_Occurred(), nil)
		}
		broken := &Exception{Type: "T"}
		same(t, "Error", broken.Error(), "T")
		var target *Exception
		same(t, "errors.As", errors.As(error(&Exception{Type: "T", Message: "m"}), &target) && target.Error() == "T: m", true)
	})
	python(t, func() { testFetchWithoutTraceback(t) })
}

// testFetchWithoutTraceback breaks the module that formats tracebacks.
func testFetchWithoutTraceback(t *testing.T) {
	modules := PyImport_GetModuleDict()
	kept := PyDict_GetItemString(modules, "traceback")
	kept.IncRef()
	PyDict_SetItemString(modules, "traceback", Py_None)
	PyErr_SetString(PyExc_ValueError, "still\xfftold")
	e := FetchException()
	PyDict_SetItemString(modules, "traceback", kept)
	kept.DecRef()
	same(t, "without the traceback module", *e, Exception{Type: "ValueError", Message: "still\ufffdtold", Traceback: "ValueError: still\ufffdtold\n"})
}

func builtinExists(name string) bool { return PyDict_GetItemString(PyEval_GetBuiltins(), name) != nil }

// testExit runs what would end the process in C.
func testExit(t *testing.T) {
	python(t, func() {
		same(t, "SystemExit", PyRun_SimpleString("raise SystemExit(7)"), -1)
		same(t, "hook that exits", PyRun_SimpleString("import sys\ndef hook(*a): raise SystemExit(8)\nsys.excepthook = hook\n1 / 0"), -1)
		same(t, "reset", PyRun_SimpleString("sys.excepthook = sys.__excepthook__"), 0)
		PyErr_SetNone(PyExc_SystemExit)
		PyErr_Print()
		PyErr_SetNone(PyExc_KeyboardInterrupt)
		PyErr_PrintEx(false)
		same(t, "cleared", PyErr_Occurred(), nil)
		PyErr_Print()
		file := t.TempDir() + "/exit.py"
		if err := os.WriteFile(file, []byte("# coding: latin-1\nname = '\xe9'\nimport sys\nsys.exit(name)"), 0o666); err != nil {
			t.Fatal(err)
		}
		status, err := PyRun_AnyFile(file)
		same(t, "PyRun_AnyFile", status, -1)
		same(t, "PyRun_AnyFile", err, nil)
		same(t, "coding line", repr(t, evaluate(t, `__import__("__main__").name`)), "'é'")
	})
}

func testErrors(t *testing.T) {
	python(t, func() {
		PyErr_SetString(PyExc_ValueError, "v")
		same(t, "PyErr_Occurred", PyErr_Occurred(), PyExc_ValueError)
		same(t, "PyErr_ExceptionMatches", PyErr_ExceptionMatches(PyExc_Exception), true)
		same(t, "PyErr_ExceptionMatches", PyErr_ExceptionMatches(PyExc_OSError), false)
		class, value, traceback := PyErr_NormalizeException(PyErr_Fetch())
		same(t, "fetched", PyErr_Occurred(), nil)
		same(t, "PyErr_GivenExceptionMatches", PyErr_GivenExceptionMatches(value, PyExc_ValueError), true)
		same(t, "PyErr_GivenExceptionMatches", PyErr_GivenExceptionMatches(nil, PyExc_ValueError), false)
		same(t, "value", value.IsInstance(PyExc_ValueError), 1)
		PyErr_Restore(class, value, traceback)
		raises(t, "PyErr_Restore", "ValueError")

		message, name, path := PyUnicode_FromString("m"), PyUnicode_FromString("n"), PyUnicode_FromString("p")
		defer decRef(message, name, path)
		PyErr_SetObject(PyExc_KeyError, name)
		raises(t, "PyErr_SetObject", "KeyError")
		PyErr_BadArgument()
		raises(t, "PyErr_BadArgument", "TypeError")
		PyErr_BadInternalCall()
		raises(t, "PyErr_BadInternalCall", "SystemError")
		same(t, "PyErr_NoMemory", PyErr_NoMemory(), nil)
		raises(t, "PyErr_NoMemory", "MemoryError")
		PyErr_SetImportError(message, name, path)
		raises(t, "PyErr_SetImportError", "ImportError")
		PyErr_SetImportErrorSubclass(message, name, nil, PyExc_ModuleNotFoundError)
		raises(t, "PyErr_SetImportErrorSubclass", "ModuleNotFoundError")
		PyErr_SetString(PyExc_SyntaxError, "bad")
		PyErr_SyntaxLocation("file.py", 12)
		if e := FetchException(); !strings.Contains(e.Traceback, `File "file.py", line 12`) {
			t.Errorf("PyErr_SyntaxLocation: %s", e.Traceback)
		}
		PyErr_SetNone(PyExc_ValueError)
		PyErr_WriteUnraisable(nil)
		same(t, "PyErr_WriteUnraisable", PyErr_Occurred(), nil)
		same(t, "PyErr_CheckSignals", PyErr_CheckSignals(), 0)
		PyErr_SetInterrupt()
		same(t, "PyErr_SetInterrupt without a handler", PyErr_CheckSignals(), 0)

		same(t, "Py_EnterRecursiveCall", Py_EnterRecursiveCall(" here"), 0)
		Py_LeaveRecursiveCall()
		depth, failed := 0, 0
		for ; failed == 0 && depth < 1_000_000; depth++ {
			failed = Py_EnterRecursiveCall(" here")
		}
		raises(t, "Py_EnterRecursiveCall", "RecursionError")
		for range depth - 1 {
			Py_LeaveRecursiveCall()
		}
	})
}

func testExceptions(t *testing.T) {
	python(t, func() {
		class := must(t, PyErr_NewException("mod.Custom", PyExc_LookupError, nil))
		documented := must(t, PyErr_NewExceptionWithDoc("mod.Documented", "A text.", nil, nil))
		defer decRef(class, documented)
		same(t, "PyErr_NewExceptionWithDoc", attrText(documented, "__doc__"), "A text.")
		same(t, "no dot", PyErr_NewException("nodot", nil, nil), nil)
		raises(t, "no dot", "SystemError")
		PyErr_SetString(class, "c")
		raises(t, "PyErr_NewException", "mod.Custom")

		e, cause := must(t, class.CallFunctionObjArgs()), must(t, documented.CallFunctionObjArgs())
		defer e.DecRef()
		same(t, "PyException_GetCause", PyException_GetCause(e), nil)
		same(t, "PyException_GetContext", PyException_GetContext(e), nil)
		same(t, "PyException_GetTraceback", PyException_GetTraceback(e), nil)
		cause.IncRef()
		PyException_SetCause(e, cause)
		PyException_SetContext(e, cause)
		for _, got := range []*PyObject{PyException_GetCause(e), PyException_GetContext(e)} {
			same(t, "chained", got, cause)
			got.DecRef()
		}
		same(t, "PyException_SetTraceback", PyException_SetTraceback(e, Py_None), 0)
		same(t, "PyException_SetTraceback", PyException_SetTraceback(e, Py_True), -1)
		raises(t, "PyException_SetTraceback", "TypeError")
		PyException_SetCause(e, nil)
		PyException_SetContext(e, nil)

		// What an except block sees, outside of one.
		t0, v0, tb0 := PyErr_GetExcInfo()
		e.IncRef()
		class.IncRef()
		PyErr_SetExcInfo(class, e, nil)
		t1, v1, tb1 := PyErr_GetExcInfo()
		same(t, "PyErr_GetExcInfo", v1, e)
		decRef(t1, v1, tb1)
		PyErr_SetExcInfo(t0, v0, tb0)
	})
}

func testWarning(t *testing.T) {
	python(t, func() {
		same(t, "filter", PyRun_SimpleString("import warnings\nwarnings.simplefilter('error')"), 0)
		same(t, "PyErr_WarnEx", PyErr_WarnEx(PyExc_UserWarning, "w", 1), -1)
		raises(t, "PyErr_WarnEx", "UserWarning")
		same(t, "PyErr_WarnEx", PyErr_WarnEx(nil, "w", 1), -1)
		raises(t, "PyErr_WarnEx", "RuntimeWarning")
		same(t, "PyErr_WarnExplicit", PyErr_WarnExplicit(PyExc_DeprecationWarning, "w", "f.py", 3, "", nil), -1)
		raises(t, "PyErr_WarnExplicit", "DeprecationWarning")
		same(t, "PyErr_WarnExplicit", PyErr_WarnExplicit(PyExc_FutureWarning, "w", "f.py", 3, "m", nil), -1)
		raises(t, "PyErr_WarnExplicit", "FutureWarning")
		same(t, "filter", PyRun_SimpleString("warnings.resetwarnings()"), 0)
	})
}
