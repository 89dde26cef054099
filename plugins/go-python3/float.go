package python3

/*
#include "capi.h"
*/
import "C"

// PyFloat_Check tells whether p is a float or of a subtype.
func PyFloat_Check(p *PyObject) bool { return isType(p, Float, false) }

// PyFloat_CheckExact tells whether p is a float and not of a subtype.
func PyFloat_CheckExact(p *PyObject) bool { return isType(p, Float, true) }

// PyFloat_FromDouble returns a float: a new reference, or nil with an exception set.
func PyFloat_FromDouble(v float64) *PyObject { return togo(C.call_PyFloat_FromDouble(C.double(v))) }

// PyFloat_FromString is float(str) of a str or bytes: a new reference, or nil with an exception set.
func PyFloat_FromString(str *PyObject) *PyObject { return togo(C.call_PyFloat_FromString(toc(str))) }

// PyFloat_AsDouble is float(obj); -1 with an exception set on error, which PyErr_Occurred tells from a value of -1.
func PyFloat_AsDouble(obj *PyObject) float64 { return float64(C.call_PyFloat_AsDouble(toc(obj))) }

// PyFloat_GetInfo returns sys.float_info: a new reference, or nil with an exception set.
func PyFloat_GetInfo() *PyObject { return togo(C.call_PyFloat_GetInfo()) }

// PyFloat_GetMax returns the largest finite float.
func PyFloat_GetMax() float64 { return float64(C.call_PyFloat_GetMax()) }

// PyFloat_GetMin returns the smallest normal positive float.
func PyFloat_GetMin() float64 { return float64(C.call_PyFloat_GetMin()) }
