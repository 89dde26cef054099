package python3

/*
#include "capi.h"
*/
import "C"

// PyList_Check tells whether p is a list or of a subtype.
func PyList_Check(p *PyObject) bool { return isType(p, List, false) }

// PyList_CheckExact tells whether p is a list and not of a subtype.
func PyList_CheckExact(p *PyObject) bool { return isType(p, List, true) }

// PyList_New returns a list of len empty places, to be filled by PyList_SetItem before anything else sees it: a new reference, or nil with an
// exception set.
func PyList_New(len int) *PyObject { return togo(C.call_PyList_New(C.Py_ssize_t(len))) }

// PyList_Size returns the length, or -1 with an exception set.
func PyList_Size(p *PyObject) int { return int(C.call_PyList_Size(toc(p))) }

// PyList_GetItem returns an item: borrowed, or nil with an exception set.
func PyList_GetItem(p *PyObject, pos int) *PyObject {
	return togo(C.call_PyList_GetItem(toc(p), C.Py_ssize_t(pos)))
}

// PyList_SetItem replaces an item and steals the reference to o, even on error: 0, or -1 with an exception set. A nil o panics: a list with an
// empty place crashes Python.
func PyList_SetItem(p *PyObject, pos int, o *PyObject) int {
	return int(C.call_PyList_SetItem(toc(p), C.Py_ssize_t(pos), toc(o)))
}

// PyList_Insert inserts item before index, with a reference of its own: 0, or -1 with an exception set.
func PyList_Insert(p *PyObject, index int, item *PyObject) int {
	return int(C.call_PyList_Insert(toc(p), C.Py_ssize_t(index), toc(item)))
}

// PyList_Append appends item, with a reference of its own: 0, or -1 with an exception set.
func PyList_Append(p, item *PyObject) int { return int(C.call_PyList_Append(toc(p), toc(item))) }

// PyList_GetSlice returns the items from low to before high as a list: a new reference, or nil with an exception set.
func PyList_GetSlice(p *PyObject, low, high int) *PyObject {
	return togo(C.call_PyList_GetSlice(toc(p), C.Py_ssize_t(low), C.Py_ssize_t(high)))
}

// PyList_SetSlice replaces the items from low to before high by those of itemlist (nil removes them): 0, or -1 with an exception set.
func PyList_SetSlice(p *PyObject, low, high int, itemlist *PyObject) int {
	return int(C.call_PyList_SetSlice(toc(p), C.Py_ssize_t(low), C.Py_ssize_t(high), orNull(itemlist)))
}

// PyList_Sort sorts in place: 0, or -1 with an exception set.
func PyList_Sort(list *PyObject) int { return int(C.call_PyList_Sort(toc(list))) }

// PyList_Reverse reverses in place: 0, or -1 with an exception set.
func PyList_Reverse(list *PyObject) int { return int(C.call_PyList_Reverse(toc(list))) }

// PyList_AsTuple is tuple(list): a new reference, or nil with an exception set.
func PyList_AsTuple(list *PyObject) *PyObject { return togo(C.call_PyList_AsTuple(toc(list))) }
