// Package python3 calls CPython 3.10 to 3.13 from Go.
//
// It has the exported API of github.com/DataDog/go-python3, under the same names and signatures, without linking libpython and without its
// headers: [Open] loads the shared library of a chosen interpreter when the program runs, and one binary serves every supported version.
// README.md lists what was left out and what was added.
//
// # Order of calls
//
// [SaveSignalHandlers], [Open], [InitializeVenv] (or [Py_SetProgramName] and [Py_Initialize]) on one locked OS thread, then
// [PyEval_SaveThread] to let other threads in. From then on every use of an object happens in [WithGIL] or between [PyGILState_Ensure] and
// [PyGILState_Release]. A call before Open panics and says so; a call without the interpreter lock corrupts the interpreter, as in C.
//
// # Ownership
//
// The comment of every function says whose reference it returns or takes. New: the caller owns it and must call DecRef once. Borrowed: it
// lives as long as its owner does; IncRef it to keep it. Stolen: the callee owns it afterwards, whether the call succeeded or not. A result
// of nil (or -1, where the comment says so) means that a Python exception is set: take it with [FetchException].
//
// # Nil
//
// A nil *PyObject where Python needs an object panics with a sentence instead of crashing in C. Type checks of nil give false, and IncRef
// and DecRef of nil do nothing.
package python3
