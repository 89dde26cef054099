package python3

/*
#include "capi.h"
*/
import "C"

// PyErr_NewException makes an exception class; name is "module.Class", base (a class, a tuple or nil for Exception) and dict may be nil. A new
// reference, or nil with an exception set.
func PyErr_NewException(name string, base, dict *PyObject) *PyObject {
	n, ok := cstring(name)
	if !ok {
		return nil
	}
	defer free(n)
	return togo(C.call_PyErr_NewException(n, orNull(base), orNull(dict)))
}

// PyErr_NewExceptionWithDoc is PyErr_NewException with a docstring.
func PyErr_NewExceptionWithDoc(name, doc string, base, dict *PyObject) *PyObject {
	n, ok := cstring(name)
	if !ok {
		return nil
	}
	defer free(n)
	d, ok := cstring(doc)
	if !ok {
		return nil
	}
	defer free(d)
	return togo(C.call_PyErr_NewExceptionWithDoc(n, d, orNull(base), orNull(dict)))
}

// PyException_GetTraceback returns ex.__traceback__: a new reference, or nil for none.
func PyException_GetTraceback(ex *PyObject) *PyObject {
	return togo(C.call_PyException_GetTraceback(toc(ex)))
}

// PyException_SetTraceback sets ex.__traceback__ (Py_None for none), with a reference of its own: 0, or -1 with an exception set.
func PyException_SetTraceback(ex, tb *PyObject) int {
	return int(C.call_PyException_SetTraceback(toc(ex), toc(tb)))
}

// PyException_GetContext returns ex.__context__: a new reference, or nil for none.
func PyException_GetContext(ex *PyObject) *PyObject {
	return togo(C.call_PyException_GetContext(toc(ex)))
}

// PyException_SetContext sets ex.__context__ and steals the reference to ctx; nil removes it.
func PyException_SetContext(ex, ctx *PyObject) {
	C.call_PyException_SetContext(toc(ex), orNull(ctx))
}

// PyException_GetCause returns ex.__cause__: a new reference, or nil for none.
func PyException_GetCause(ex *PyObject) *PyObject { return togo(C.call_PyException_GetCause(toc(ex))) }

// PyException_SetCause sets ex.__cause__ and steals the reference to cause; nil removes it.
func PyException_SetCause(ex, cause *PyObject) {
	C.call_PyException_SetCause(toc(ex), orNull(cause))
}
