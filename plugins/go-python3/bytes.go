package python3

/*
#include "capi.h"
*/
import "C"

// PyBytes_Check tells whether o is a bytes or of a subtype.
func PyBytes_Check(o *PyObject) bool { return isType(o, Bytes, false) }

// PyBytes_CheckExact tells whether o is a bytes and not of a subtype.
func PyBytes_CheckExact(o *PyObject) bool { return isType(o, Bytes, true) }

// PyBytes_FromString returns a bytes with a copy of str, null bytes included: a new reference, or nil with an exception set.
func PyBytes_FromString(str string) *PyObject {
	p, n := text(str)
	return togo(C.call_PyBytes_FromStringAndSize(p, n))
}

// PyBytes_FromObject returns a bytes from an object with the buffer protocol: a new reference, or nil with an exception set.
func PyBytes_FromObject(o *PyObject) *PyObject { return togo(C.call_PyBytes_FromObject(toc(o))) }

// PyBytes_Size returns the length of a bytes, or -1 with an exception set.
func PyBytes_Size(o *PyObject) int { return int(C.call_PyBytes_Size(toc(o))) }

// PyBytes_AsString returns a copy of the bytes, null bytes included, or "" with an exception set.
func PyBytes_AsString(o *PyObject) string {
	var p *C.char
	var n C.Py_ssize_t
	if C.call_PyBytes_AsStringAndSize(toc(o), &p, &n) != 0 {
		return ""
	}
	return goString(p, n)
}

// PyBytes_Concat returns bytes + newpart as a new reference and takes over the caller's reference to bytes, not that to newpart; nil with an
// exception set on error.
func PyBytes_Concat(bytes, newpart *PyObject) *PyObject {
	b := toc(bytes)
	C.call_PyBytes_Concat(&b, toc(newpart))
	return togo(b)
}

// PyBytes_ConcatAndDel is PyBytes_Concat that takes over the reference to newpart too.
func PyBytes_ConcatAndDel(bytes, newpart *PyObject) *PyObject {
	b := toc(bytes)
	C.call_PyBytes_ConcatAndDel(&b, toc(newpart))
	return togo(b)
}
