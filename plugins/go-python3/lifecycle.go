package python3

/*
#include "capi.h"
*/
import "C"

import (
	"fmt"
	"strings"
)

// Py_Initialize starts the interpreter on this OS thread, which becomes Python's main thread and holds the interpreter lock; the goroutine must be
// locked to it. Unlike the original it installs no signal handler. Bad settings (a wrong PYTHONHOME) make Python print a sentence and end the
// process: InitializeVenv checks first. A second call does nothing.
func Py_Initialize() { Py_InitializeEx(false) }

// Py_InitializeEx is Py_Initialize. initsigs is accepted for the signature's sake and ignored: Python's signal handlers, which lack
// SA_ONSTACK, crash a Go program.
func Py_InitializeEx(initsigs bool) { C.call_Py_InitializeEx(0) }

// Py_IsInitialized tells whether the interpreter runs. Any thread may ask.
func Py_IsInitialized() bool { return C.call_Py_IsInitialized() != 0 }

// Py_FinalizeEx ends the interpreter, on the thread that started it and with the interpreter lock held: 0, or -1 if flushing a stream failed.
// Extension modules such as torch do not survive a second start.
func Py_FinalizeEx() int { return int(C.call_Py_FinalizeEx()) }

// Py_Finalize is Py_FinalizeEx without the result.
func Py_Finalize() { C.call_Py_FinalizeEx() }

// Py_SetProgramName names the executable that Python looks for its venv and its standard library by, before initialisation. Later Python
// children are started by that name. The text is never freed: Python keeps the pointer.
func Py_SetProgramName(name string) error {
	if err := noNull("program name", name); err != nil {
		return err
	}
	C.call_Py_SetProgramName(wide(name))
	return nil
}

// Py_GetProgramName returns the program's name. The error is always nil.
func Py_GetProgramName() (string, error) { return narrow(C.call_Py_GetProgramName()), nil }

// Py_GetPrefix returns the prefix of the standard library, which is that of the base installation and not of a venv (sys.prefix tells the
// venv's), after initialisation. The error is always nil.
func Py_GetPrefix() (string, error) { return narrow(C.call_Py_GetPrefix()), nil }

// Py_GetExecPrefix is Py_GetPrefix for platform-dependent files. The error is always nil.
func Py_GetExecPrefix() (string, error) { return narrow(C.call_Py_GetExecPrefix()), nil }

// Py_GetProgramFullPath returns the initial value of sys.executable, after initialisation. The error is always nil.
func Py_GetProgramFullPath() (string, error) { return narrow(C.call_Py_GetProgramFullPath()), nil }

// Py_GetPath returns the initial module search path, after initialisation. The error is always nil.
func Py_GetPath() (string, error) { return narrow(C.call_Py_GetPath()), nil }

// Py_SetPath sets the module search path before initialisation; Python then looks for no venv and no prefix.
func Py_SetPath(path string) error {
	if err := noNull("path", path); err != nil {
		return err
	}
	p := wide(path)
	defer freeWide(p)
	C.call_Py_SetPath(p)
	return nil
}

// Py_SetPythonHome sets where the standard library stands, before initialisation. The text is never freed: Python keeps the pointer.
func Py_SetPythonHome(home string) error {
	if err := noNull("home", home); err != nil {
		return err
	}
	C.call_Py_SetPythonHome(wide(home))
	return nil
}

// Py_GetPythonHome returns what Py_SetPythonHome or PYTHONHOME set, or "". The error is always nil.
func Py_GetPythonHome() (string, error) { return narrow(C.call_Py_GetPythonHome()), nil }

// Py_GetVersion returns the interpreter's version, for example "3.11.7 (main, ...) [GCC ...]". It needs no initialisation.
func Py_GetVersion() string { return C.GoString(C.call_Py_GetVersion()) }

// Py_GetPlatform returns the platform, for example "linux".
func Py_GetPlatform() string { return C.GoString(C.call_Py_GetPlatform()) }

// Py_GetCopyright returns Python's copyright text.
func Py_GetCopyright() string { return C.GoString(C.call_Py_GetCopyright()) }

// Py_GetCompiler returns the compiler that Python was built with, in brackets.
func Py_GetCompiler() string { return C.GoString(C.call_Py_GetCompiler()) }

// Py_GetBuildInfo returns Python's build number, date and time.
func Py_GetBuildInfo() string { return C.GoString(C.call_Py_GetBuildInfo()) }

// PySys_SetArgvEx sets sys.argv; with updatepath the script's folder (args[0]) goes in front of sys.path. The interpreter lock must be held.
func PySys_SetArgvEx(args []string, updatepath bool) error {
	argv := make([]*C.wchar_t, 0, len(args)+1)
	defer func() {
		for _, a := range argv {
			freeWide(a)
		}
	}()
	for _, a := range args {
		if err := noNull("argument", a); err != nil {
			return err
		}
		argv = append(argv, wide(a))
	}
	argv = append(argv, nil)
	C.call_PySys_SetArgvEx(C.int(len(args)), &argv[0], cbool(updatepath))
	return nil
}

// PySys_SetArgv is PySys_SetArgvEx with updatepath.
func PySys_SetArgv(args []string) error { return PySys_SetArgvEx(args, true) }

func noNull(what, s string) error {
	if strings.IndexByte(s, 0) >= 0 {
		return fmt.Errorf("python3: %s %q holds a null character", what, s)
	}
	return nil
}
