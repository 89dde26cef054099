package python3

/*
#include "capi.h"
*/
import "C"

// PyErr_WarnEx issues a warning of class category (nil for RuntimeWarning) at a stack level: 0, or -1 if it became an exception.
func PyErr_WarnEx(category *PyObject, message string, stack_level int) int {
	m, ok := cstring(message)
	if !ok {
		return -1
	}
	defer free(m)
	return int(C.call_PyErr_WarnEx(orNull(category), m, C.Py_ssize_t(stack_level)))
}

// PyErr_WarnExplicitObject issues a warning at a given place; module and registry may be nil. 0, or -1 if it became an exception.
func PyErr_WarnExplicitObject(category *PyObject, message *PyObject, filename *PyObject, lineno int, module *PyObject, registry *PyObject) int {
	return int(C.call_PyErr_WarnExplicitObject(orNull(category), toc(message), toc(filename), C.int(lineno), orNull(module), orNull(registry)))
}

// PyErr_WarnExplicit is PyErr_WarnExplicitObject with Go texts; an empty module stands for none.
func PyErr_WarnExplicit(category *PyObject, message string, filename string, lineno int, module string, registry *PyObject) int {
	return named(message, -1, func(m *PyObject) int {
		return named(filename, -1, func(file *PyObject) int {
			if module == "" {
				return PyErr_WarnExplicitObject(category, m, file, lineno, nil, registry)
			}
			return named(module, -1, func(mod *PyObject) int {
				return PyErr_WarnExplicitObject(category, m, file, lineno, mod, registry)
			})
		})
	})
}
