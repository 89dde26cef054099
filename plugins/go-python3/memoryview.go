package python3

/*
#include "capi.h"
*/
import "C"

import "unsafe"

// Access for PyMemoryView_FromMemory. Additions.
const (
	PyBUF_READ  = 0x100
	PyBUF_WRITE = 0x200
)

// PyMemoryView_FromMemory returns a memoryview of unsigned bytes over mem itself, without a copy; flags is PyBUF_READ or PyBUF_WRITE. A new
// reference, or nil with an exception set.
//
// mem must lie outside the Go heap (mmap, C memory): Python keeps the pointer after the call, which Go's rules forbid for Go memory. It must
// stay mapped as long as Python can reach it, through the view or through whatever was made from it (a slice, an array, a tensor). The view's
// release method closes the view alone: torch and ctypes keep the address without telling it. An addition.
func PyMemoryView_FromMemory(mem []byte, flags int) *PyObject {
	p := unsafe.Pointer(unsafe.SliceData(mem))
	if len(mem) == 0 {
		// A view of nothing keeps this pointer, which must be valid, and must not keep the caller's.
		p = unsafe.Pointer(C.python3_nothing())
	}
	return togo(C.call_PyMemoryView_FromMemory((*C.char)(p), C.Py_ssize_t(len(mem)), C.int(flags)))
}
