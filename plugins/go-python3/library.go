package python3

/*
#include "capi.h"
#cgo LDFLAGS: -ldl
*/
import "C"

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// Errors of [Open], [InitializeVenv] and [RestoreSignalHandlers], wrapped with what was found; compare with errors.Is.
var (
	// ErrLibrary is returned by Open when the file cannot be loaded, is not a CPython library, or lacks a function.
	ErrLibrary = errors.New("python3: not a usable libpython")
	// ErrVersion is returned by Open for a CPython older than 3.10, and by InitializeVenv for a venv of another version than the library's.
	ErrVersion = errors.New("python3: wrong Python version")
	// ErrOpen is returned by Open when another library is open already.
	ErrOpen = errors.New("python3: another libpython is open")
	// ErrNotOpen is returned by InitializeVenv when no library is open.
	ErrNotOpen = errors.New("python3: no libpython is open")
	// ErrVenv is returned by InitializeVenv when the venv is damaged or Python did not take it for its own.
	ErrVenv = errors.New("python3: venv not honoured")
	// ErrInitialized is returned by InitializeVenv when the interpreter already runs.
	ErrInitialized = errors.New("python3: interpreter already initialised")
	// ErrSignals is returned by RestoreSignalHandlers when nothing was saved.
	ErrSignals = errors.New("python3: no saved signal handlers")
)

const oldestMinor = 10

// library is the one libpython of this process. It is never closed: Python does not survive that.
var library struct {
	sync.Mutex
	handle       unsafe.Pointer
	file         string
	version      string
	major, minor int
	utf8Mode     *C.int // Python's switch for UTF-8 mode, read when it starts
}

// Open loads the shared library libpath of a CPython 3.10 or newer (for example /usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0), resolves
// every function and object of this package in it, and fills the package's variables (Py_None, PyExc_ValueError, Unicode, ...). The
// library's symbols become global, as extension modules need them. It starts no interpreter.
//
// It returns an error that wraps ErrLibrary, ErrVersion or ErrOpen; after an error nothing has changed. A process holds one libpython for its
// lifetime: a second Open of the same library does nothing, of a different one it fails. Open may be called from any goroutine.
func Open(libpath string) error {
	library.Lock()
	defer library.Unlock()
	if libpath == "" || strings.IndexByte(libpath, 0) >= 0 {
		return fmt.Errorf("%w: %q is not the path of a library", ErrLibrary, libpath)
	}
	look, err := dlopen(libpath, false)
	if err != nil {
		return err
	}
	defer C.python3_dlclose(look)
	if library.handle != nil {
		if look != library.handle {
			return fmt.Errorf("%w: this process holds %s and cannot open %s too", ErrOpen, library.file, libpath)
		}
		return nil
	}
	version, major, minor, err := identify(look, libpath)
	if err != nil {
		return err
	}
	handle, err := dlopen(libpath, true)
	if err != nil {
		return err
	}
	if err := bind(handle, libpath); err != nil {
		C.python3_dlclose(handle)
		return err
	}
	library.handle, library.version, library.major, library.minor = handle, version, major, minor
	library.file = libpath
	if file := C.python3_file(symbol(handle, "Py_GetVersion")); file != nil {
		library.file = C.GoString(file)
	}
	return nil
}

// Library returns the file and the version of the open libpython ("3.11.7"), or two empty strings before Open.
func Library() (file, version string) {
	library.Lock()
	defer library.Unlock()
	version, _, _ = strings.Cut(library.version, " ")
	return library.file, version
}

func dlopen(path string, global bool) (unsafe.Pointer, error) {
	p := C.CString(path)
	defer free(p)
	var sentence [1024]C.char
	handle := C.python3_dlopen(p, cbool(global), &sentence[0], C.size_t(len(sentence)))
	if handle == nil {
		return nil, fmt.Errorf("%w: %s", ErrLibrary, C.GoString(&sentence[0]))
	}
	return handle, nil
}

func symbol(handle unsafe.Pointer, name string) unsafe.Pointer {
	n := C.CString(name)
	defer free(n)
	return C.python3_dlsym(handle, n)
}

// identify asks the library for its version before anything else is looked up in it.
func identify(handle unsafe.Pointer, path string) (version string, major, minor int, err error) {
	f := symbol(handle, "Py_GetVersion")
	if f == nil {
		return "", 0, 0, fmt.Errorf("%w: %s is not a CPython library: it has no Py_GetVersion", ErrLibrary, path)
	}
	version = C.GoString(C.python3_version(f))
	major, minor, ok := parseVersion(version)
	if !ok || strings.Contains(version, "PyPy") || strings.Contains(version, "GraalVM") {
		return "", 0, 0, fmt.Errorf("%w: %s is not CPython but %q", ErrLibrary, path, version)
	}
	if major != 3 || minor < oldestMinor {
		return "", 0, 0, fmt.Errorf("%w: %s is Python %d.%d, need 3.%d or newer", ErrVersion, path, major, minor, oldestMinor)
	}
	return version, major, minor, nil
}

// parseVersion reads the start of "3.11.7 (main, ...) [GCC ...]" or of a pyvenv.cfg value such as "3.11" and "3.11.7.final.0".
func parseVersion(s string) (major, minor int, ok bool) {
	s, _, _ = strings.Cut(strings.TrimSpace(s), " ")
	parts := strings.SplitN(s, ".", 3)
	if len(parts) < 2 {
		return 0, 0, false
	}
	major, errMajor := strconv.Atoi(parts[0])
	minor, errMinor := strconv.Atoi(parts[1])
	return major, minor, errMajor == nil && errMinor == nil
}

// bind resolves everything first and changes the package's state only if nothing was missing.
func bind(handle unsafe.Pointer, path string) error {
	found := make([]unsafe.Pointer, len(objects))
	for i, o := range objects {
		if found[i] = symbol(handle, o.name); found[i] == nil {
			return fmt.Errorf("%w: %s has no %s", ErrLibrary, path, o.name)
		}
	}
	utf8Mode := (*C.int)(symbol(handle, "Py_UTF8Mode"))
	if utf8Mode == nil {
		return fmt.Errorf("%w: %s has no Py_UTF8Mode", ErrLibrary, path)
	}
	if name := C.python3_bind(handle); name != nil {
		return fmt.Errorf("%w: %s has no %s", ErrLibrary, path, C.GoString(name))
	}
	library.utf8Mode = utf8Mode
	for i, o := range objects {
		if o.pointer {
			*o.to = *(**PyObject)(found[i])
		} else {
			*o.to = (*PyObject)(found[i])
		}
	}
	return nil
}
