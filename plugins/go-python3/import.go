package python3

/*
#include "capi.h"
*/
import "C"

// PyImport_ImportModule imports a module by its full dotted name and returns that module: a new reference, or nil with an exception set.
func PyImport_ImportModule(name string) *PyObject { return named(name, nil, PyImport_Import) }

// PyImport_ImportModuleEx is PyImport_ImportModuleLevel with absolute names only.
func PyImport_ImportModuleEx(name string, globals, locals, fromlist *PyObject) *PyObject {
	return PyImport_ImportModuleLevel(name, globals, locals, fromlist, 0)
}

// PyImport_ImportModuleLevelObject is __import__: without a fromlist it returns the top-level package. Only name is needed, the rest may be
// nil. A new reference, or nil with an exception set.
func PyImport_ImportModuleLevelObject(name, globals, locals, fromlist *PyObject, level int) *PyObject {
	return togo(C.call_PyImport_ImportModuleLevelObject(toc(name), orNull(globals), orNull(locals), orNull(fromlist), C.int(level)))
}

// PyImport_ImportModuleLevel is PyImport_ImportModuleLevelObject with a Go name.
func PyImport_ImportModuleLevel(name string, globals, locals, fromlist *PyObject, level int) *PyObject {
	return named(name, nil, func(n *PyObject) *PyObject {
		return PyImport_ImportModuleLevelObject(n, globals, locals, fromlist, level)
	})
}

// PyImport_Import is PyImport_ImportModule with a str.
func PyImport_Import(name *PyObject) *PyObject { return togo(C.call_PyImport_Import(toc(name))) }

// PyImport_ReloadModule is importlib.reload: a new reference, or nil with an exception set.
func PyImport_ReloadModule(name *PyObject) *PyObject {
	return togo(C.call_PyImport_ReloadModule(toc(name)))
}

// PyImport_AddModuleObject returns the module of that name in sys.modules, made empty if there is none: borrowed, or nil with an exception set.
func PyImport_AddModuleObject(name *PyObject) *PyObject {
	return togo(C.call_PyImport_AddModuleObject(toc(name)))
}

// PyImport_AddModule is PyImport_AddModuleObject with a Go name.
func PyImport_AddModule(name string) *PyObject { return named(name, nil, PyImport_AddModuleObject) }

// PyImport_ExecCodeModule runs a code object as a module of that name and puts it in sys.modules: a new reference, or nil with an exception set.
func PyImport_ExecCodeModule(name string, co *PyObject) *PyObject {
	return PyImport_ExecCodeModuleWithPathnames(name, co, "", "")
}

// PyImport_ExecCodeModuleEx is PyImport_ExecCodeModule with the module's __file__.
func PyImport_ExecCodeModuleEx(name string, co *PyObject, pathname string) *PyObject {
	return PyImport_ExecCodeModuleWithPathnames(name, co, pathname, "")
}

// PyImport_ExecCodeModuleObject is PyImport_ExecCodeModule with str names; pathname (__file__) and cpathname (__cached__) may be nil.
func PyImport_ExecCodeModuleObject(name, co, pathname, cpathname *PyObject) *PyObject {
	return togo(C.call_PyImport_ExecCodeModuleObject(toc(name), toc(co), orNull(pathname), orNull(cpathname)))
}

// PyImport_ExecCodeModuleWithPathnames is PyImport_ExecCodeModuleObject with Go names; an empty pathname or cpathname stands for none.
func PyImport_ExecCodeModuleWithPathnames(name string, co *PyObject, pathname string, cpathname string) *PyObject {
	return named(name, nil, func(n *PyObject) *PyObject {
		return orNone(pathname, func(path *PyObject) *PyObject {
			return orNone(cpathname, func(cpath *PyObject) *PyObject {
				return PyImport_ExecCodeModuleObject(n, co, path, cpath)
			})
		})
	})
}

// orNone is named for a text that may be missing.
func orNone(s string, f func(*PyObject) *PyObject) *PyObject {
	if s == "" {
		return f(nil)
	}
	return named(s, nil, f)
}

// PyImport_GetMagicNumber returns the magic number of .pyc files.
func PyImport_GetMagicNumber() int { return int(C.call_PyImport_GetMagicNumber()) }

// PyImport_GetMagicTag returns the tag in the names of .pyc files, for example "cpython-311".
func PyImport_GetMagicTag() string { return C.GoString(C.call_PyImport_GetMagicTag()) }

// PyImport_GetModuleDict returns sys.modules, borrowed.
func PyImport_GetModuleDict() *PyObject { return togo(C.call_PyImport_GetModuleDict()) }

// PyImport_GetModule returns an imported module: a new reference, or nil, with an exception set only if the look-up failed.
func PyImport_GetModule(name *PyObject) *PyObject { return togo(C.call_PyImport_GetModule(toc(name))) }

// PyImport_GetImporter returns the finder for an entry of sys.path: a new reference, or nil with an exception set.
func PyImport_GetImporter(path *PyObject) *PyObject {
	return togo(C.call_PyImport_GetImporter(toc(path)))
}

// PyImport_ImportFrozenModuleObject loads a frozen module: 1, 0 if there is none, -1 with an exception set on error.
func PyImport_ImportFrozenModuleObject(name *PyObject) int {
	return int(C.call_PyImport_ImportFrozenModuleObject(toc(name)))
}

// PyImport_ImportFrozenModule is PyImport_ImportFrozenModuleObject with a Go name.
func PyImport_ImportFrozenModule(name string) int {
	return named(name, -1, PyImport_ImportFrozenModuleObject)
}
