package python3

/*
#include "capi.h"
*/
import "C"

// PyComplex_Check tells whether p is a complex or of a subtype.
func PyComplex_Check(p *PyObject) bool { return isType(p, Complex, false) }

// PyComplex_CheckExact tells whether p is a complex and not of a subtype.
func PyComplex_CheckExact(p *PyObject) bool { return isType(p, Complex, true) }

// PyComplex_FromDoubles returns a complex: a new reference, or nil with an exception set.
func PyComplex_FromDoubles(real, imag float64) *PyObject {
	return togo(C.call_PyComplex_FromDoubles(C.double(real), C.double(imag)))
}

// PyComplex_RealAsDouble returns the real part; -1 with an exception set on error.
func PyComplex_RealAsDouble(op *PyObject) float64 {
	return float64(C.call_PyComplex_RealAsDouble(toc(op)))
}

// PyComplex_ImagAsDouble returns the imaginary part, 0 for a number that is not complex.
func PyComplex_ImagAsDouble(op *PyObject) float64 {
	return float64(C.call_PyComplex_ImagAsDouble(toc(op)))
}
