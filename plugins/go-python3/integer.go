package python3

/*
#include "capi.h"
*/
import "C"

// PyLong_Check tells whether p is an int or of a subtype (bool is one).
func PyLong_Check(p *PyObject) bool { return isType(p, Long, false) }

// PyLong_CheckExact tells whether p is an int and not of a subtype.
func PyLong_CheckExact(p *PyObject) bool { return isType(p, Long, true) }

// PyLong_FromLong returns an int: a new reference, or nil with an exception set. So do all PyLong_From functions.
func PyLong_FromLong(v int) *PyObject { return PyLong_FromLongLong(int64(v)) }

// PyLong_FromUnsignedLong is PyLong_FromLong for uint.
func PyLong_FromUnsignedLong(v uint) *PyObject { return PyLong_FromUnsignedLongLong(uint64(v)) }

// PyLong_FromLongLong is PyLong_FromLong for int64.
func PyLong_FromLongLong(v int64) *PyObject {
	return togo(C.call_PyLong_FromLongLong(C.longlong(v)))
}

// PyLong_FromUnsignedLongLong is PyLong_FromLong for uint64.
func PyLong_FromUnsignedLongLong(v uint64) *PyObject {
	return togo(C.call_PyLong_FromUnsignedLongLong(C.ulonglong(v)))
}

// PyLong_FromDouble cuts the fraction off; NaN and infinities set an exception.
func PyLong_FromDouble(v float64) *PyObject { return togo(C.call_PyLong_FromDouble(C.double(v))) }

// PyLong_FromString is int(str, base).
func PyLong_FromString(str string, base int) *PyObject {
	return named(str, nil, func(s *PyObject) *PyObject { return PyLong_FromUnicodeObject(s, base) })
}

// PyLong_FromUnicodeObject is int(u, base).
func PyLong_FromUnicodeObject(u *PyObject, base int) *PyObject {
	return togo(C.call_PyLong_FromUnicodeObject(toc(u), C.int(base)))
}

// PyLong_FromGoInt is PyLong_FromLong.
func PyLong_FromGoInt(v int) *PyObject { return PyLong_FromLong(v) }

// PyLong_FromGoUint is PyLong_FromUnsignedLong.
func PyLong_FromGoUint(v uint) *PyObject { return PyLong_FromUnsignedLong(v) }

// PyLong_FromGoInt64 is PyLong_FromLongLong.
func PyLong_FromGoInt64(v int64) *PyObject { return PyLong_FromLongLong(v) }

// PyLong_FromGoUint64 is PyLong_FromUnsignedLongLong.
func PyLong_FromGoUint64(v uint64) *PyObject { return PyLong_FromUnsignedLongLong(v) }

// PyLong_FromGoFloat64 is PyLong_FromDouble.
func PyLong_FromGoFloat64(v float64) *PyObject { return PyLong_FromDouble(v) }

// PyLong_AsLong returns the value of an int or of an object with __index__; -1 with an exception set (which PyErr_Occurred tells from a value
// of -1) if it has none or does not fit. So do all PyLong_As functions without "Mask" or "Overflow".
func PyLong_AsLong(obj *PyObject) int { return int(C.call_PyLong_AsLong(toc(obj))) }

// PyLong_AsLongAndOverflow is PyLong_AsLong, except that a value that does not fit gives -1 and an overflow of -1 or 1, without an exception.
func PyLong_AsLongAndOverflow(obj *PyObject) (int, int) {
	var overflow C.int
	v := C.call_PyLong_AsLongAndOverflow(toc(obj), &overflow)
	return int(v), int(overflow)
}

// PyLong_AsLongLong is PyLong_AsLong for int64.
func PyLong_AsLongLong(obj *PyObject) int64 { return int64(C.call_PyLong_AsLongLong(toc(obj))) }

// PyLong_AsLongLongAndOverflow is PyLong_AsLongAndOverflow for int64.
func PyLong_AsLongLongAndOverflow(obj *PyObject) (int64, int) {
	var overflow C.int
	v := C.call_PyLong_AsLongLongAndOverflow(toc(obj), &overflow)
	return int64(v), int(overflow)
}

// PyLong_AsUnsignedLong returns the value of an int (not of an object with __index__) as uint; all bits set with an exception set on error.
func PyLong_AsUnsignedLong(obj *PyObject) uint { return uint(C.call_PyLong_AsUnsignedLong(toc(obj))) }

// PyLong_AsUnsignedLongLong is PyLong_AsUnsignedLong for uint64.
func PyLong_AsUnsignedLongLong(obj *PyObject) uint64 {
	return uint64(C.call_PyLong_AsUnsignedLongLong(toc(obj)))
}

// PyLong_AsUnsignedLongMask returns the low bits of the value, whatever its size and sign.
func PyLong_AsUnsignedLongMask(obj *PyObject) uint {
	return uint(C.call_PyLong_AsUnsignedLongMask(toc(obj)))
}

// PyLong_AsUnsignedLongLongMask is PyLong_AsUnsignedLongMask for uint64.
func PyLong_AsUnsignedLongLongMask(obj *PyObject) uint64 {
	return uint64(C.call_PyLong_AsUnsignedLongLongMask(toc(obj)))
}

// PyLong_AsDouble returns the value of an int as a float64; -1 with an exception set if it is too large.
func PyLong_AsDouble(obj *PyObject) float64 { return float64(C.call_PyLong_AsDouble(toc(obj))) }
