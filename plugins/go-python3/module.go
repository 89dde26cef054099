package python3

/*
#include "capi.h"
*/
import "C"

import "unsafe"

// PyModule_Check tells whether p is a module or of a subtype.
func PyModule_Check(p *PyObject) bool { return isType(p, Module, false) }

// PyModule_CheckExact tells whether p is a module and not of a subtype.
func PyModule_CheckExact(p *PyObject) bool { return isType(p, Module, true) }

// PyModule_NewObject returns an empty module, not in sys.modules: a new reference, or nil with an exception set.
func PyModule_NewObject(name *PyObject) *PyObject { return togo(C.call_PyModule_NewObject(toc(name))) }

// PyModule_New is PyModule_NewObject with a Go name.
func PyModule_New(name string) *PyObject { return named(name, nil, PyModule_NewObject) }

// PyModule_GetDict returns the module's namespace: borrowed, or nil with an exception set.
func PyModule_GetDict(module *PyObject) *PyObject { return togo(C.call_PyModule_GetDict(toc(module))) }

// PyModule_GetNameObject returns __name__: a new reference, or nil with an exception set.
func PyModule_GetNameObject(module *PyObject) *PyObject {
	return togo(C.call_PyModule_GetNameObject(toc(module)))
}

// PyModule_GetName returns __name__, or "" with an exception set.
func PyModule_GetName(module *PyObject) string {
	name := PyModule_GetNameObject(module)
	if name == nil {
		return ""
	}
	defer name.DecRef()
	return PyUnicode_AsUTF8(name)
}

// PyModule_GetState returns the C state of an extension module, or nil if it has none. The memory is the module's.
func PyModule_GetState(module *PyObject) unsafe.Pointer {
	return C.call_PyModule_GetState(toc(module))
}

// PyModule_GetFilenameObject returns __file__: a new reference, or nil with an exception set.
func PyModule_GetFilenameObject(module *PyObject) *PyObject {
	return togo(C.call_PyModule_GetFilenameObject(toc(module)))
}
