package python3

/*
#include "capi.h"
*/
import "C"

// PyTuple_Check tells whether p is a tuple or of a subtype.
func PyTuple_Check(p *PyObject) bool { return isType(p, Tuple, false) }

// PyTuple_CheckExact tells whether p is a tuple and not of a subtype.
func PyTuple_CheckExact(p *PyObject) bool { return isType(p, Tuple, true) }

// PyTuple_New returns a tuple of len empty places, to be filled by PyTuple_SetItem before anything else sees it: a new reference, or nil with
// an exception set.
func PyTuple_New(len int) *PyObject { return togo(C.call_PyTuple_New(C.Py_ssize_t(len))) }

// PyTuple_Size returns the length, or -1 with an exception set.
func PyTuple_Size(p *PyObject) int { return int(C.call_PyTuple_Size(toc(p))) }

// PyTuple_GetItem returns an item: borrowed, or nil with an exception set.
func PyTuple_GetItem(p *PyObject, pos int) *PyObject {
	return togo(C.call_PyTuple_GetItem(toc(p), C.Py_ssize_t(pos)))
}

// PyTuple_GetSlice returns the items from low to before high: a new reference, or nil with an exception set.
func PyTuple_GetSlice(p *PyObject, low, high int) *PyObject {
	return togo(C.call_PyTuple_GetSlice(toc(p), C.Py_ssize_t(low), C.Py_ssize_t(high)))
}

// PyTuple_SetItem fills a place of a new tuple and steals the reference to o, even on error: 0, or -1 with an exception set. A nil o panics: a
// tuple with an empty place crashes Python.
func PyTuple_SetItem(p *PyObject, pos int, o *PyObject) int {
	return int(C.call_PyTuple_SetItem(toc(p), C.Py_ssize_t(pos), toc(o)))
}
