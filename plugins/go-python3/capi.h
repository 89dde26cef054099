// The part of CPython's C API that this package calls, declared without Python.h: only functions and data that CPython 3.10 to 3.13 export
// under the same name and with the same meaning, and no structure layout. Every function is reached through a table that Open fills.
#ifndef PYTHON3_CAPI_H
#define PYTHON3_CAPI_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <wchar.h>

typedef struct _object PyObject;
typedef struct _ts PyThreadState;
typedef ssize_t Py_ssize_t;
typedef uint32_t Py_UCS4;
typedef enum { PyGILState_LOCKED, PyGILState_UNLOCKED } PyGILState_STATE;

// X(result, name, parameters, arguments)
#define PYTHON3_FUNCTIONS(X) \
	/* lifecycle */ \
	X(void, Py_InitializeEx, (int initsigs), (initsigs)) \
	X(int, Py_IsInitialized, (void), ()) \
	X(int, Py_FinalizeEx, (void), ()) \
	X(void, Py_SetProgramName, (const wchar_t *name), (name)) \
	X(void, Py_SetPythonHome, (const wchar_t *home), (home)) \
	X(void, Py_SetPath, (const wchar_t *path), (path)) \
	X(wchar_t *, Py_GetProgramName, (void), ()) \
	X(wchar_t *, Py_GetPythonHome, (void), ()) \
	X(wchar_t *, Py_GetPrefix, (void), ()) \
	X(wchar_t *, Py_GetExecPrefix, (void), ()) \
	X(wchar_t *, Py_GetProgramFullPath, (void), ()) \
	X(wchar_t *, Py_GetPath, (void), ()) \
	X(const char *, Py_GetVersion, (void), ()) \
	X(const char *, Py_GetPlatform, (void), ()) \
	X(const char *, Py_GetCopyright, (void), ()) \
	X(const char *, Py_GetCompiler, (void), ()) \
	X(const char *, Py_GetBuildInfo, (void), ()) \
	/* threads */ \
	X(PyThreadState *, PyEval_SaveThread, (void), ()) \
	X(void, PyEval_RestoreThread, (PyThreadState *t), (t)) \
	X(PyThreadState *, PyThreadState_Get, (void), ()) \
	X(PyThreadState *, PyThreadState_Swap, (PyThreadState *t), (t)) \
	X(int, PyThreadState_SetAsyncExc, (unsigned long id, PyObject *exc), (id, exc)) \
	X(unsigned long, PyThread_get_thread_ident, (void), ()) \
	X(PyGILState_STATE, PyGILState_Ensure, (void), ()) \
	X(void, PyGILState_Release, (PyGILState_STATE s), (s)) \
	X(PyThreadState *, PyGILState_GetThisThreadState, (void), ()) \
	X(int, PyGILState_Check, (void), ()) \
	/* import */ \
	X(PyObject *, PyImport_Import, (PyObject *name), (name)) \
	X(PyObject *, PyImport_ImportModuleLevelObject, (PyObject *name, PyObject *globals, PyObject *locals, PyObject *from, int level), \
	  (name, globals, locals, from, level)) \
	X(PyObject *, PyImport_ReloadModule, (PyObject *m), (m)) \
	X(PyObject *, PyImport_AddModuleObject, (PyObject *name), (name)) \
	X(PyObject *, PyImport_ExecCodeModuleObject, (PyObject *name, PyObject *co, PyObject *path, PyObject *cpath), (name, co, path, cpath)) \
	X(long, PyImport_GetMagicNumber, (void), ()) \
	X(const char *, PyImport_GetMagicTag, (void), ()) \
	X(PyObject *, PyImport_GetModuleDict, (void), ()) \
	X(PyObject *, PyImport_GetModule, (PyObject *name), (name)) \
	X(PyObject *, PyImport_GetImporter, (PyObject *path), (path)) \
	X(int, PyImport_ImportFrozenModuleObject, (PyObject *name), (name)) \
	/* objects */ \
	X(void, Py_IncRef, (PyObject *o), (o)) \
	X(void, Py_DecRef, (PyObject *o), (o)) \
	X(int, Py_ReprEnter, (PyObject *o), (o)) \
	X(void, Py_ReprLeave, (PyObject *o), (o)) \
	X(int, PyObject_HasAttr, (PyObject *o, PyObject *name), (o, name)) \
	X(PyObject *, PyObject_GetAttr, (PyObject *o, PyObject *name), (o, name)) \
	X(int, PyObject_SetAttr, (PyObject *o, PyObject *name, PyObject *v), (o, name, v)) \
	X(PyObject *, PyObject_RichCompare, (PyObject *a, PyObject *b, int op), (a, b, op)) \
	X(int, PyObject_RichCompareBool, (PyObject *a, PyObject *b, int op), (a, b, op)) \
	X(PyObject *, PyObject_Repr, (PyObject *o), (o)) \
	X(PyObject *, PyObject_ASCII, (PyObject *o), (o)) \
	X(PyObject *, PyObject_Str, (PyObject *o), (o)) \
	X(PyObject *, PyObject_Bytes, (PyObject *o), (o)) \
	X(int, PyObject_IsSubclass, (PyObject *o, PyObject *cls), (o, cls)) \
	X(int, PyObject_IsInstance, (PyObject *o, PyObject *cls), (o, cls)) \
	X(int, PyCallable_Check, (PyObject *o), (o)) \
	X(PyObject *, PyObject_Call, (PyObject *o, PyObject *args, PyObject *kwargs), (o, args, kwargs)) \
	X(PyObject *, PyObject_CallObject, (PyObject *o, PyObject *args), (o, args)) \
	X(PyObject *, PyObject_VectorcallDict, (PyObject *o, PyObject **args, size_t n, PyObject *kwargs), (o, args, n, kwargs)) \
	X(PyObject *, PyObject_VectorcallMethod, (PyObject *name, PyObject **args, size_t n, PyObject *kwnames), (name, args, n, kwnames)) \
	X(Py_ssize_t, PyObject_Hash, (PyObject *o), (o)) \
	X(Py_ssize_t, PyObject_HashNotImplemented, (PyObject *o), (o)) \
	X(int, PyObject_IsTrue, (PyObject *o), (o)) \
	X(int, PyObject_Not, (PyObject *o), (o)) \
	X(PyObject *, PyObject_Type, (PyObject *o), (o)) \
	X(int, PyType_IsSubtype, (PyObject *a, PyObject *b), (a, b)) \
	X(Py_ssize_t, PyObject_Size, (PyObject *o), (o)) \
	X(Py_ssize_t, PyObject_LengthHint, (PyObject *o, Py_ssize_t d), (o, d)) \
	X(PyObject *, PyObject_GetItem, (PyObject *o, PyObject *key), (o, key)) \
	X(int, PyObject_SetItem, (PyObject *o, PyObject *key, PyObject *v), (o, key, v)) \
	X(int, PyObject_DelItem, (PyObject *o, PyObject *key), (o, key)) \
	X(PyObject *, PyObject_Dir, (PyObject *o), (o)) \
	X(PyObject *, PyObject_GetIter, (PyObject *o), (o)) \
	X(PyObject *, PyIter_Next, (PyObject *o), (o)) \
	X(PyObject *, PyMemoryView_FromMemory, (char *mem, Py_ssize_t size, int flags), (mem, size, flags)) \
	/* errors */ \
	X(void, PyErr_Clear, (void), ()) \
	X(void, PyErr_Display, (PyObject *t, PyObject *v, PyObject *tb), (t, v, tb)) \
	X(void, PyErr_WriteUnraisable, (PyObject *o), (o)) \
	X(void, PyErr_SetObject, (PyObject *t, PyObject *v), (t, v)) \
	X(void, PyErr_SetNone, (PyObject *t), (t)) \
	X(int, PyErr_BadArgument, (void), ()) \
	X(PyObject *, PyErr_NoMemory, (void), ()) \
	X(PyObject *, PyErr_SetImportErrorSubclass, (PyObject *exc, PyObject *msg, PyObject *name, PyObject *path), (exc, msg, name, path)) \
	X(PyObject *, PyErr_SetImportError, (PyObject *msg, PyObject *name, PyObject *path), (msg, name, path)) \
	X(void, PyErr_SyntaxLocationObject, (PyObject *file, int line, int col), (file, line, col)) \
	X(void, PyErr_BadInternalCall, (void), ()) \
	X(PyObject *, PyErr_Occurred, (void), ()) \
	X(int, PyErr_GivenExceptionMatches, (PyObject *given, PyObject *exc), (given, exc)) \
	X(int, PyErr_ExceptionMatches, (PyObject *exc), (exc)) \
	X(void, PyErr_Fetch, (PyObject **t, PyObject **v, PyObject **tb), (t, v, tb)) \
	X(void, PyErr_Restore, (PyObject *t, PyObject *v, PyObject *tb), (t, v, tb)) \
	X(void, PyErr_NormalizeException, (PyObject **t, PyObject **v, PyObject **tb), (t, v, tb)) \
	X(void, PyErr_GetExcInfo, (PyObject **t, PyObject **v, PyObject **tb), (t, v, tb)) \
	X(void, PyErr_SetExcInfo, (PyObject *t, PyObject *v, PyObject *tb), (t, v, tb)) \
	X(int, PyErr_CheckSignals, (void), ()) \
	X(void, PyErr_SetInterrupt, (void), ()) \
	X(PyObject *, PyErr_NewException, (const char *name, PyObject *base, PyObject *dict), (name, base, dict)) \
	X(PyObject *, PyErr_NewExceptionWithDoc, (const char *name, const char *doc, PyObject *base, PyObject *dict), (name, doc, base, dict)) \
	X(PyObject *, PyException_GetTraceback, (PyObject *e), (e)) \
	X(int, PyException_SetTraceback, (PyObject *e, PyObject *tb), (e, tb)) \
	X(PyObject *, PyException_GetContext, (PyObject *e), (e)) \
	X(void, PyException_SetContext, (PyObject *e, PyObject *c), (e, c)) \
	X(PyObject *, PyException_GetCause, (PyObject *e), (e)) \
	X(void, PyException_SetCause, (PyObject *e, PyObject *c), (e, c)) \
	X(int, PyErr_WarnEx, (PyObject *category, const char *message, Py_ssize_t level), (category, message, level)) \
	X(int, PyErr_WarnExplicitObject, (PyObject *category, PyObject *message, PyObject *file, int line, PyObject *module, PyObject *registry), \
	  (category, message, file, line, module, registry)) \
	/* str, bytes, bytearray */ \
	X(PyObject *, PyUnicode_New, (Py_ssize_t n, Py_UCS4 max), (n, max)) \
	X(PyObject *, PyUnicode_FromStringAndSize, (const char *p, Py_ssize_t n), (p, n)) \
	X(PyObject *, PyUnicode_DecodeUTF8, (const char *p, Py_ssize_t n, const char *errors), (p, n, errors)) \
	X(PyObject *, PyUnicode_FromEncodedObject, (PyObject *o, const char *encoding, const char *errors), (o, encoding, errors)) \
	X(PyObject *, PyUnicode_AsEncodedString, (PyObject *o, const char *encoding, const char *errors), (o, encoding, errors)) \
	X(Py_ssize_t, PyUnicode_GetLength, (PyObject *o), (o)) \
	X(Py_ssize_t, PyUnicode_CopyCharacters, (PyObject *to, Py_ssize_t at, PyObject *from, Py_ssize_t start, Py_ssize_t n), (to, at, from, start, n)) \
	X(Py_ssize_t, PyUnicode_Fill, (PyObject *o, Py_ssize_t start, Py_ssize_t n, Py_UCS4 c), (o, start, n, c)) \
	X(int, PyUnicode_WriteChar, (PyObject *o, Py_ssize_t i, Py_UCS4 c), (o, i, c)) \
	X(Py_UCS4, PyUnicode_ReadChar, (PyObject *o, Py_ssize_t i), (o, i)) \
	X(PyObject *, PyUnicode_Substring, (PyObject *o, Py_ssize_t start, Py_ssize_t end), (o, start, end)) \
	X(const char *, PyUnicode_AsUTF8AndSize, (PyObject *o, Py_ssize_t *n), (o, n)) \
	X(PyObject *, PyBytes_FromStringAndSize, (const char *p, Py_ssize_t n), (p, n)) \
	X(PyObject *, PyBytes_FromObject, (PyObject *o), (o)) \
	X(Py_ssize_t, PyBytes_Size, (PyObject *o), (o)) \
	X(int, PyBytes_AsStringAndSize, (PyObject *o, char **p, Py_ssize_t *n), (o, p, n)) \
	X(void, PyBytes_Concat, (PyObject **o, PyObject *part), (o, part)) \
	X(void, PyBytes_ConcatAndDel, (PyObject **o, PyObject *part), (o, part)) \
	X(PyObject *, PyByteArray_FromStringAndSize, (const char *p, Py_ssize_t n), (p, n)) \
	X(PyObject *, PyByteArray_FromObject, (PyObject *o), (o)) \
	X(PyObject *, PyByteArray_Concat, (PyObject *a, PyObject *b), (a, b)) \
	X(Py_ssize_t, PyByteArray_Size, (PyObject *o), (o)) \
	X(char *, PyByteArray_AsString, (PyObject *o), (o)) \
	X(int, PyByteArray_Resize, (PyObject *o, Py_ssize_t n), (o, n)) \
	/* numbers */ \
	X(PyObject *, PyBool_FromLong, (long v), (v)) \
	X(PyObject *, PyLong_FromLongLong, (long long v), (v)) \
	X(PyObject *, PyLong_FromUnsignedLongLong, (unsigned long long v), (v)) \
	X(PyObject *, PyLong_FromDouble, (double v), (v)) \
	X(PyObject *, PyLong_FromUnicodeObject, (PyObject *o, int base), (o, base)) \
	X(long, PyLong_AsLong, (PyObject *o), (o)) \
	X(long, PyLong_AsLongAndOverflow, (PyObject *o, int *overflow), (o, overflow)) \
	X(long long, PyLong_AsLongLong, (PyObject *o), (o)) \
	X(long long, PyLong_AsLongLongAndOverflow, (PyObject *o, int *overflow), (o, overflow)) \
	X(unsigned long, PyLong_AsUnsignedLong, (PyObject *o), (o)) \
	X(unsigned long long, PyLong_AsUnsignedLongLong, (PyObject *o), (o)) \
	X(unsigned long, PyLong_AsUnsignedLongMask, (PyObject *o), (o)) \
	X(unsigned long long, PyLong_AsUnsignedLongLongMask, (PyObject *o), (o)) \
	X(double, PyLong_AsDouble, (PyObject *o), (o)) \
	X(PyObject *, PyFloat_FromDouble, (double v), (v)) \
	X(PyObject *, PyFloat_FromString, (PyObject *o), (o)) \
	X(double, PyFloat_AsDouble, (PyObject *o), (o)) \
	X(PyObject *, PyFloat_GetInfo, (void), ()) \
	X(double, PyFloat_GetMax, (void), ()) \
	X(double, PyFloat_GetMin, (void), ()) \
	X(PyObject *, PyComplex_FromDoubles, (double re, double im), (re, im)) \
	X(double, PyComplex_RealAsDouble, (PyObject *o), (o)) \
	X(double, PyComplex_ImagAsDouble, (PyObject *o), (o)) \
	/* tuple, list, dict */ \
	X(PyObject *, PyTuple_New, (Py_ssize_t n), (n)) \
	X(Py_ssize_t, PyTuple_Size, (PyObject *o), (o)) \
	X(PyObject *, PyTuple_GetItem, (PyObject *o, Py_ssize_t i), (o, i)) \
	X(PyObject *, PyTuple_GetSlice, (PyObject *o, Py_ssize_t low, Py_ssize_t high), (o, low, high)) \
	X(int, PyTuple_SetItem, (PyObject *o, Py_ssize_t i, PyObject *v), (o, i, v)) \
	X(PyObject *, PyList_New, (Py_ssize_t n), (n)) \
	X(Py_ssize_t, PyList_Size, (PyObject *o), (o)) \
	X(PyObject *, PyList_GetItem, (PyObject *o, Py_ssize_t i), (o, i)) \
	X(int, PyList_SetItem, (PyObject *o, Py_ssize_t i, PyObject *v), (o, i, v)) \
	X(int, PyList_Insert, (PyObject *o, Py_ssize_t i, PyObject *v), (o, i, v)) \
	X(int, PyList_Append, (PyObject *o, PyObject *v), (o, v)) \
	X(PyObject *, PyList_GetSlice, (PyObject *o, Py_ssize_t low, Py_ssize_t high), (o, low, high)) \
	X(int, PyList_SetSlice, (PyObject *o, Py_ssize_t low, Py_ssize_t high, PyObject *v), (o, low, high, v)) \
	X(int, PyList_Sort, (PyObject *o), (o)) \
	X(int, PyList_Reverse, (PyObject *o), (o)) \
	X(PyObject *, PyList_AsTuple, (PyObject *o), (o)) \
	X(PyObject *, PyDict_New, (void), ()) \
	X(PyObject *, PyDictProxy_New, (PyObject *o), (o)) \
	X(void, PyDict_Clear, (PyObject *o), (o)) \
	X(int, PyDict_Contains, (PyObject *o, PyObject *key), (o, key)) \
	X(PyObject *, PyDict_Copy, (PyObject *o), (o)) \
	X(int, PyDict_SetItem, (PyObject *o, PyObject *key, PyObject *v), (o, key, v)) \
	X(int, PyDict_DelItem, (PyObject *o, PyObject *key), (o, key)) \
	X(PyObject *, PyDict_GetItem, (PyObject *o, PyObject *key), (o, key)) \
	X(PyObject *, PyDict_GetItemWithError, (PyObject *o, PyObject *key), (o, key)) \
	X(PyObject *, PyDict_SetDefault, (PyObject *o, PyObject *key, PyObject *v), (o, key, v)) \
	X(PyObject *, PyDict_Items, (PyObject *o), (o)) \
	X(PyObject *, PyDict_Keys, (PyObject *o), (o)) \
	X(PyObject *, PyDict_Values, (PyObject *o), (o)) \
	X(Py_ssize_t, PyDict_Size, (PyObject *o), (o)) \
	X(int, PyDict_Next, (PyObject *o, Py_ssize_t *pos, PyObject **key, PyObject **v), (o, pos, key, v)) \
	/* modules, sys, evaluation */ \
	X(PyObject *, PyModule_NewObject, (PyObject *name), (name)) \
	X(PyObject *, PyModule_GetDict, (PyObject *m), (m)) \
	X(PyObject *, PyModule_GetNameObject, (PyObject *m), (m)) \
	X(void *, PyModule_GetState, (PyObject *m), (m)) \
	X(PyObject *, PyModule_GetFilenameObject, (PyObject *m), (m)) \
	X(PyObject *, PySys_GetObject, (const char *name), (name)) \
	X(int, PySys_SetObject, (const char *name, PyObject *v), (name, v)) \
	X(void, PySys_ResetWarnOptions, (void), ()) \
	X(void, PySys_AddWarnOption, (const wchar_t *s), (s)) \
	X(void, PySys_SetPath, (const wchar_t *s), (s)) \
	X(void, PySys_AddXOption, (const wchar_t *s), (s)) \
	X(PyObject *, PySys_GetXOptions, (void), ()) \
	X(void, PySys_SetArgvEx, (int argc, wchar_t **argv, int updatepath), (argc, argv, updatepath)) \
	X(PyObject *, PyRun_StringFlags, (const char *s, int start, PyObject *globals, PyObject *locals, void *flags), (s, start, globals, locals, flags)) \
	X(PyObject *, PyEval_GetBuiltins, (void), ()) \
	X(PyObject *, PyEval_GetLocals, (void), ()) \
	X(PyObject *, PyEval_GetGlobals, (void), ()) \
	X(const char *, PyEval_GetFuncName, (PyObject *f), (f)) \
	X(const char *, PyEval_GetFuncDesc, (PyObject *f), (f)) \
	X(int, Py_EnterRecursiveCall, (const char *where), (where)) \
	X(void, Py_LeaveRecursiveCall, (void), ())

struct python3_capi {
#define X(result, name, params, args) result(*name) params;
	PYTHON3_FUNCTIONS(X)
#undef X
};

// Never exported: torch and other extension modules must bind to libpython's own functions, and cgo links with -rdynamic.
extern struct python3_capi python3_capi __attribute__((visibility("hidden")));

// call_NAME(...) calls NAME. Before Open it panics in Go, naming NAME.
#define X(result, name, params, args) \
	static inline result call_##name params { return python3_capi.name args; }
PYTHON3_FUNCTIONS(X)
#undef X

// Tells whether o's type is type (exact) or one of its subtypes.
static inline int python3_is(PyObject *o, PyObject *type, int exact)
{
	PyObject *t = call_PyObject_Type(o);
	int is = t == type || (!exact && call_PyType_IsSubtype(t, type));
	call_Py_DecRef(t);
	return is;
}

// The calls that Open is made of; see capi.c.
__attribute__((visibility("hidden"))) void *python3_dlopen(const char *path, int global, char *err, size_t n);
__attribute__((visibility("hidden"))) void python3_dlclose(void *library);
__attribute__((visibility("hidden"))) void *python3_dlsym(void *library, const char *name);
__attribute__((visibility("hidden"))) const char *python3_file(void *symbol);
__attribute__((visibility("hidden"))) const char *python3_version(void *get_version);
__attribute__((visibility("hidden"))) const char *python3_bind(void *library);

// One byte of C memory that stands for no bytes.
static inline char *python3_nothing(void)
{
	static char nothing;
	return &nothing;
}

#endif
