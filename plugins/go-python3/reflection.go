package python3

/*
#include "capi.h"
*/
import "C"

// PyEval_GetBuiltins returns the dict of builtins of the running frame, or of the interpreter: borrowed.
func PyEval_GetBuiltins() *PyObject { return togo(C.call_PyEval_GetBuiltins()) }

// PyEval_GetLocals returns the local variables of the running frame: borrowed, or nil where none runs.
func PyEval_GetLocals() *PyObject { return togo(C.call_PyEval_GetLocals()) }

// PyEval_GetGlobals returns the globals of the running frame: borrowed, or nil where none runs.
func PyEval_GetGlobals() *PyObject { return togo(C.call_PyEval_GetGlobals()) }

// PyEval_GetFuncName returns the name of a function, class or instance.
func PyEval_GetFuncName(pyFunc *PyObject) string {
	return C.GoString(C.call_PyEval_GetFuncName(toc(pyFunc)))
}

// PyEval_GetFuncDesc returns what belongs after that name: "()", " constructor", " instance" or " object".
func PyEval_GetFuncDesc(pyFunc *PyObject) string {
	return C.GoString(C.call_PyEval_GetFuncDesc(toc(pyFunc)))
}
