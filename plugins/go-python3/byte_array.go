package python3

/*
#include "capi.h"
*/
import "C"

// PyByteArray_Check tells whether o is a bytearray or of a subtype.
func PyByteArray_Check(o *PyObject) bool { return isType(o, ByteArray, false) }

// PyByteArray_CheckExact tells whether o is a bytearray and not of a subtype.
func PyByteArray_CheckExact(o *PyObject) bool { return isType(o, ByteArray, true) }

// PyByteArray_FromObject is bytearray(o) of an object with the buffer protocol: a new reference, or nil with an exception set.
func PyByteArray_FromObject(o *PyObject) *PyObject {
	return togo(C.call_PyByteArray_FromObject(toc(o)))
}

// PyByteArray_FromStringAndSize returns a bytearray with a copy of str: a new reference, or nil with an exception set.
func PyByteArray_FromStringAndSize(str string) *PyObject {
	p, n := text(str)
	return togo(C.call_PyByteArray_FromStringAndSize(p, n))
}

// PyByteArray_Concat returns a + b as a bytearray: a new reference, or nil with an exception set.
func PyByteArray_Concat(a, b *PyObject) *PyObject {
	return togo(C.call_PyByteArray_Concat(toc(a), toc(b)))
}

// PyByteArray_Size returns the length. o must be a bytearray: with anything else the result is 0.
func PyByteArray_Size(o *PyObject) int {
	if !PyByteArray_Check(o) {
		return 0
	}
	return int(C.call_PyByteArray_Size(toc(o)))
}

// PyByteArray_AsString returns a copy of the bytes. o must be a bytearray: with anything else the result is "".
func PyByteArray_AsString(o *PyObject) string {
	if !PyByteArray_Check(o) {
		return ""
	}
	return goString(C.call_PyByteArray_AsString(toc(o)), C.call_PyByteArray_Size(toc(o)))
}

// PyByteArray_Resize changes the length of a bytearray; an exception is set on error.
func PyByteArray_Resize(bytearray *PyObject, len int) {
	if !PyByteArray_Check(bytearray) {
		PyErr_BadArgument()
		return
	}
	C.call_PyByteArray_Resize(toc(bytearray), C.Py_ssize_t(len))
}
