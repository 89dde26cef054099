package python3

/*
#include "capi.h"
*/
import "C"

// PySys_GetObject returns sys.name: borrowed, or nil without an exception.
func PySys_GetObject(name string) *PyObject {
	n, ok := cstring(name)
	if !ok {
		PyErr_Clear()
		return nil
	}
	defer free(n)
	return togo(C.call_PySys_GetObject(n))
}

// PySys_SetObject sets sys.name to v, with a reference of its own; a nil v deletes it. -1 with an exception set on error, else 0.
func PySys_SetObject(name string, v *PyObject) int {
	n, ok := cstring(name)
	if !ok {
		return -1
	}
	defer free(n)
	return int(C.call_PySys_SetObject(n, orNull(v)))
}

// PySys_ResetWarnOptions empties sys.warnoptions.
func PySys_ResetWarnOptions() { C.call_PySys_ResetWarnOptions() }

// PySys_AddWarnOption appends to sys.warnoptions.
func PySys_AddWarnOption(s string) error {
	return withWide("warning option", s, func(w *C.wchar_t) { C.call_PySys_AddWarnOption(w) })
}

// PySys_SetPath sets sys.path from entries separated by colons.
func PySys_SetPath(path string) error {
	return withWide("path", path, func(w *C.wchar_t) { C.call_PySys_SetPath(w) })
}

// PySys_AddXOption adds an option as -X on the command line does.
func PySys_AddXOption(s string) error {
	return withWide("option", s, func(w *C.wchar_t) { C.call_PySys_AddXOption(w) })
}

// PySys_GetXOptions returns the dict of -X options: borrowed, or nil with an exception set.
func PySys_GetXOptions() *PyObject { return togo(C.call_PySys_GetXOptions()) }

func withWide(what, s string, f func(*C.wchar_t)) error {
	if err := noNull(what, s); err != nil {
		return err
	}
	w := wide(s)
	defer freeWide(w)
	f(w)
	return nil
}
