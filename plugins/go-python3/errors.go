package python3

/*
#include "capi.h"
*/
import "C"

// PyErr_Clear drops the current exception, if there is one.
func PyErr_Clear() { C.call_PyErr_Clear() }

// PyErr_PrintEx prints the current exception on sys.stderr by sys.excepthook and clears it; with setSysLastVars it stays in sys.last_value and its
// kin. Without a current exception it does nothing. Unlike in C, SystemExit is printed like any other exception and does not end the process.
func PyErr_PrintEx(setSysLastVars bool) {
	if PyErr_Occurred() == nil {
		return
	}
	t, v, tb := fetchNormalized()
	if tb == nil {
		Py_None.IncRef()
		tb = Py_None
	}
	defer decRef(t, v, tb)
	defer PyErr_Clear()
	if setSysLastVars {
		for name, o := range map[string]*PyObject{"last_type": t, "last_value": v, "last_traceback": tb, "last_exc": v} {
			PySys_SetObject(name, o)
		}
	}
	if !callHook(t, v, tb) {
		C.call_PyErr_Display(toc(t), toc(v), toc(tb))
	}
}

// callHook prints by sys.excepthook. If that fails it prints the hook's own exception and returns false.
func callHook(t, v, tb *PyObject) bool {
	hook := PySys_GetObject("excepthook")
	if hook == nil {
		return false
	}
	hook.IncRef()
	defer hook.DecRef()
	if result := hook.CallFunctionObjArgs(t, v, tb); result != nil {
		result.DecRef()
		return true
	}
	t, v, tb = fetchNormalized()
	defer decRef(t, v, tb)
	C.call_PyErr_Display(toc(t), toc(v), orNull(tb))
	return false
}

// PyErr_Print is PyErr_PrintEx(true).
func PyErr_Print() { PyErr_PrintEx(true) }

// PyErr_WriteUnraisable reports and clears the current exception where it cannot be raised; obj (or nil) says where.
func PyErr_WriteUnraisable(obj *PyObject) { C.call_PyErr_WriteUnraisable(orNull(obj)) }

// PyErr_SetString sets the current exception from a class and a message, whose bytes that are not UTF-8 become U+FFFD.
func PyErr_SetString(pyType *PyObject, message string) {
	value := PyUnicode_DecodeUTF8(message, "replace")
	if value == nil {
		return
	}
	defer value.DecRef()
	PyErr_SetObject(pyType, value)
}

// PyErr_SetObject sets the current exception from a class and a value (or nil), with references of its own.
func PyErr_SetObject(pyType, value *PyObject) { C.call_PyErr_SetObject(toc(pyType), orNull(value)) }

// PyErr_SetNone sets the current exception from a class alone.
func PyErr_SetNone(pyType *PyObject) { C.call_PyErr_SetNone(toc(pyType)) }

// PyErr_BadArgument sets the TypeError of a bad argument.
func PyErr_BadArgument() { C.call_PyErr_BadArgument() }

// PyErr_NoMemory sets MemoryError and returns nil.
func PyErr_NoMemory() *PyObject { return togo(C.call_PyErr_NoMemory()) }

// PyErr_SetImportErrorSubclass sets an exception of class subclass, which derives from ImportError, and returns nil. name and path may be nil.
func PyErr_SetImportErrorSubclass(msg, name, path, subclass *PyObject) *PyObject {
	return togo(C.call_PyErr_SetImportErrorSubclass(toc(subclass), toc(msg), orNull(name), orNull(path)))
}

// PyErr_SetImportError sets an ImportError and returns nil. name and path may be nil.
func PyErr_SetImportError(msg, name, path *PyObject) *PyObject {
	return togo(C.call_PyErr_SetImportError(toc(msg), orNull(name), orNull(path)))
}

// PyErr_SyntaxLocationObject adds a place in a source file to the current exception; col_offset is -1 if unknown.
func PyErr_SyntaxLocationObject(filename *PyObject, lineno, col_offset int) {
	C.call_PyErr_SyntaxLocationObject(toc(filename), C.int(lineno), C.int(col_offset))
}

// PyErr_SyntaxLocationEx is PyErr_SyntaxLocationObject with a Go name.
func PyErr_SyntaxLocationEx(filename string, lineno, col_offset int) {
	t, v, tb := PyErr_Fetch()
	name := PyUnicode_DecodeUTF8(filename, "surrogateescape")
	PyErr_Restore(t, v, tb)
	if name != nil {
		PyErr_SyntaxLocationObject(name, lineno, col_offset)
		name.DecRef()
	}
}

// PyErr_SyntaxLocation is PyErr_SyntaxLocationEx without a column.
func PyErr_SyntaxLocation(filename string, lineno int) { PyErr_SyntaxLocationEx(filename, lineno, -1) }

// PyErr_BadInternalCall sets SystemError.
func PyErr_BadInternalCall() { C.call_PyErr_BadInternalCall() }

// PyErr_Occurred returns the class of the current exception, borrowed, or nil.
func PyErr_Occurred() *PyObject { return togo(C.call_PyErr_Occurred()) }

// PyErr_GivenExceptionMatches tells whether given (an exception, its class, or nil) is of class exc or of one in the tuple exc.
func PyErr_GivenExceptionMatches(given, exc *PyObject) bool {
	return C.call_PyErr_GivenExceptionMatches(orNull(given), toc(exc)) == 1
}

// PyErr_ExceptionMatches is PyErr_GivenExceptionMatches of the current exception; false without one.
func PyErr_ExceptionMatches(exc *PyObject) bool {
	return C.call_PyErr_ExceptionMatches(toc(exc)) == 1
}

// PyErr_Fetch takes the current exception away: new references to class, value and traceback, each possibly nil. FetchException is simpler.
func PyErr_Fetch() (*PyObject, *PyObject, *PyObject) {
	var t, v, tb *C.PyObject
	C.call_PyErr_Fetch(&t, &v, &tb)
	return togo(t), togo(v), togo(tb)
}

// PyErr_Restore sets the current exception from what PyErr_Fetch gave, and steals all three references.
func PyErr_Restore(pyType *PyObject, value *PyObject, traceback *PyObject) {
	C.call_PyErr_Restore(orNull(pyType), orNull(value), orNull(traceback))
}

// PyErr_NormalizeException makes the value an instance of the class. It steals the three references and returns new ones in their place.
func PyErr_NormalizeException(exc, val, tb *PyObject) (*PyObject, *PyObject, *PyObject) {
	cexc, cval, ctb := orNull(exc), orNull(val), orNull(tb)
	C.call_PyErr_NormalizeException(&cexc, &cval, &ctb)
	return togo(cexc), togo(cval), togo(ctb)
}

// PyErr_GetExcInfo returns what sys.exc_info() does, the exception being handled: new references, each possibly nil.
func PyErr_GetExcInfo() (*PyObject, *PyObject, *PyObject) {
	var t, v, tb *C.PyObject
	C.call_PyErr_GetExcInfo(&t, &v, &tb)
	return togo(t), togo(v), togo(tb)
}

// PyErr_SetExcInfo sets what sys.exc_info() returns, and steals all three references.
func PyErr_SetExcInfo(pyType *PyObject, value *PyObject, traceback *PyObject) {
	C.call_PyErr_SetExcInfo(orNull(pyType), orNull(value), orNull(traceback))
}

// PyErr_CheckSignals runs Python's handlers of signals that arrived: 0, or -1 with an exception set. Without Python handlers there are none.
func PyErr_CheckSignals() int { return int(C.call_PyErr_CheckSignals()) }

// PyErr_SetInterrupt acts as if SIGINT had arrived, on Python's main thread. Unless Python code has set a handler, that thread only reports an
// ignored signal on sys.stderr: PyThreadState_SetAsyncExc interrupts without one.
func PyErr_SetInterrupt() { C.call_PyErr_SetInterrupt() }

// fetchNormalized takes the current exception away with its traceback attached: new references. There must be one.
func fetchNormalized() (t, v, tb *PyObject) {
	t, v, tb = PyErr_NormalizeException(PyErr_Fetch())
	if v != nil && tb != nil {
		PyException_SetTraceback(v, tb)
	}
	return t, v, tb
}

func decRef(objects ...*PyObject) {
	for _, o := range objects {
		o.DecRef()
	}
}
