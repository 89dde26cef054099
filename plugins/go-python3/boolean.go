package python3

/*
#include "capi.h"
*/
import "C"

// PyBool_Check tells whether o is a bool.
func PyBool_Check(o *PyObject) bool { return isType(o, Bool, false) }

// PyBool_FromLong returns False for 0, else True: a new reference.
func PyBool_FromLong(v int) *PyObject {
	if v != 0 {
		return togo(C.call_PyBool_FromLong(1))
	}
	return togo(C.call_PyBool_FromLong(0))
}
