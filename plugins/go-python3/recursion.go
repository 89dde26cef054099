package python3

/*
#include "capi.h"
*/
import "C"

// Py_EnterRecursiveCall marks the entry of a recursive function: 0, or an exception set and another value if the recursion is too deep. where
// ends the message, for example " in a comparison".
func Py_EnterRecursiveCall(where string) int {
	w, ok := cstring(where)
	if !ok {
		return -1
	}
	defer free(w)
	return int(C.call_Py_EnterRecursiveCall(w))
}

// Py_LeaveRecursiveCall ends what a Py_EnterRecursiveCall that returned 0 began.
func Py_LeaveRecursiveCall() { C.call_Py_LeaveRecursiveCall() }
