package python3

/*
#include "capi.h"
*/
import "C"

import "runtime"

// PyThreadState is what Python knows of one OS thread. It belongs to Python.
type PyThreadState C.PyThreadState

// PyGILState says how PyGILState_Ensure found the interpreter lock; it goes back to PyGILState_Release.
type PyGILState C.PyGILState_STATE

// WithGIL runs f with the interpreter lock held, on one OS thread, and gives the lock back even if f panics. It panics before initialisation.
// It may be called from any goroutine and nested; a Python exception that f leaves set is lost with the thread state, so take it inside f.
// An addition.
func WithGIL(f func()) {
	state := PyGILState_Ensure()
	defer PyGILState_Release(state)
	f()
}

// PyGILState_Ensure takes the interpreter lock, whatever the thread held before, and waits for it. The goroutine stays on its OS thread until
// the matching PyGILState_Release. It panics before initialisation. After Py_FinalizeEx has begun it may never return.
func PyGILState_Ensure() PyGILState {
	runtime.LockOSThread()
	if !Py_IsInitialized() {
		runtime.UnlockOSThread()
		panic("python3: PyGILState_Ensure: the interpreter is not initialised")
	}
	return PyGILState(C.call_PyGILState_Ensure())
}

// PyGILState_Release undoes the matching PyGILState_Ensure, on the same goroutine.
func PyGILState_Release(state PyGILState) {
	C.call_PyGILState_Release(C.PyGILState_STATE(state))
	runtime.UnlockOSThread()
}

// PyGILState_GetThisThreadState returns this thread's state, or nil if it has none. Borrowed.
func PyGILState_GetThisThreadState() *PyThreadState {
	return (*PyThreadState)(C.call_PyGILState_GetThisThreadState())
}

// PyGILState_Check tells whether this thread holds the interpreter lock.
func PyGILState_Check() bool { return C.call_PyGILState_Check() == 1 }

// PyEval_SaveThread releases the interpreter lock and returns this thread's state for PyEval_RestoreThread. The goroutine must be locked to its
// OS thread from before until after the RestoreThread.
func PyEval_SaveThread() *PyThreadState { return (*PyThreadState)(C.call_PyEval_SaveThread()) }

// PyEval_RestoreThread takes the interpreter lock again, on the OS thread that PyEval_SaveThread ran on, and waits for it.
func PyEval_RestoreThread(tstate *PyThreadState) {
	if tstate == nil {
		panic("python3: PyEval_RestoreThread: nil *PyThreadState")
	}
	C.call_PyEval_RestoreThread((*C.PyThreadState)(tstate))
}

// PyThreadState_Get returns the current thread state; without the interpreter lock Python ends the process. Borrowed.
func PyThreadState_Get() *PyThreadState { return (*PyThreadState)(C.call_PyThreadState_Get()) }

// PyThreadState_Swap makes tstate (nil for none) the current one and returns the one before. Borrowed.
func PyThreadState_Swap(tstate *PyThreadState) *PyThreadState {
	return (*PyThreadState)(C.call_PyThreadState_Swap((*C.PyThreadState)(tstate)))
}

// PyEval_InitThreads does nothing: since CPython 3.7 initialisation sets threads up.
func PyEval_InitThreads() {}

// PyEval_ThreadsInitialized tells whether the interpreter runs, which since CPython 3.7 is the same.
func PyEval_ThreadsInitialized() bool { return Py_IsInitialized() }

// PyThread_get_thread_ident returns the number of this OS thread that PyThreadState_SetAsyncExc takes (threading.get_ident() in Python). It
// needs neither the interpreter lock nor an initialised interpreter. An addition.
func PyThread_get_thread_ident() uint64 { return uint64(C.call_PyThread_get_thread_ident()) }

// PyThreadState_SetAsyncExc raises the exception class exc in the Python code that thread id runs, as soon as it executes bytecode; a nil exc
// takes back one that was not raised yet. Call it with the interpreter lock held, from another thread. It takes a reference of its own to exc
// and returns the number of threads it found: 0 or 1. A thread inside C code (a sleep, a kernel) sees it on return to Python. An addition.
func PyThreadState_SetAsyncExc(id uint64, exc *PyObject) int {
	return int(C.call_PyThreadState_SetAsyncExc(C.ulong(id), orNull(exc)))
}
