package python3

/*
#include "capi.h"
*/
import "C"

import (
	"fmt"
	"os"
)

const fileInput = 257 // Py_file_input

// PyRun_SimpleString runs source text in __main__: 0, or -1 after an exception, which is printed on sys.stderr. Unlike in C, SystemExit is printed
// too and does not end the process.
func PyRun_SimpleString(command string) int {
	source, ok := cstring(command)
	if !ok {
		PyErr_Print()
		return -1
	}
	defer free(source)
	return runInMain(func(globals *PyObject) *PyObject {
		return togo(C.call_PyRun_StringFlags(source, fileInput, toc(globals), toc(globals), nil))
	})
}

// PyRun_AnyFile runs a source file in __main__, as PyRun_SimpleString does with text. The error says that the file could not be read.
func PyRun_AnyFile(filename string) (int, error) {
	source, err := os.ReadFile(filename)
	if err != nil {
		return -1, fmt.Errorf("python3: %w", err)
	}
	return runInMain(func(globals *PyObject) *PyObject {
		code := compile(source, filename)
		if code == nil {
			return nil
		}
		defer code.DecRef()
		return builtin("exec", code, globals)
	}), nil
}

// compile is compile(source, filename, "exec"); bytes let Python honour a coding line.
func compile(source []byte, filename string) *PyObject {
	text := PyBytes_FromString(string(source))
	name := PyUnicode_DecodeUTF8(filename, "surrogateescape")
	mode := PyUnicode_FromString("exec")
	defer decRef(text, name, mode)
	if text == nil || name == nil || mode == nil {
		return nil
	}
	return builtin("compile", text, name, mode)
}

func builtin(name string, args ...*PyObject) *PyObject {
	f := PyDict_GetItemString(PyEval_GetBuiltins(), name) // borrowed from builtins
	return f.CallFunctionObjArgs(args...)
}

// runInMain gives run the namespace of __main__ and prints its exception.
func runInMain(run func(globals *PyObject) *PyObject) int {
	result := (*PyObject)(nil)
	if main := PyImport_AddModule("__main__"); main != nil {
		result = run(PyModule_GetDict(main))
	}
	if result == nil {
		PyErr_Print()
		return -1
	}
	result.DecRef()
	return 0
}
