package python3

/*
#include "capi.h"
*/
import "C"

import (
	"strings"
	"unicode/utf8"
	"unsafe"
)

// emptyText stands in for the data of an empty Go string, whose pointer may be nil.
var emptyText = [1]byte{}

func togo(o *C.PyObject) *PyObject { return (*PyObject)(o) }

// toc converts an object that Python needs; nil panics here rather than crashing in C.
func toc(o *PyObject) *C.PyObject {
	if o == nil {
		panic("python3: nil *PyObject: is a Python exception set?")
	}
	return (*C.PyObject)(o)
}

// orNull converts an object for which C takes NULL as well.
func orNull(o *PyObject) *C.PyObject { return (*C.PyObject)(o) }

// isType is the body of every XXX_Check (exact false) and XXX_CheckExact. A nil object is of no type.
func isType(o, pyType *PyObject, exact bool) bool {
	if o == nil {
		return false
	}
	return C.python3_is(toc(o), toc(pyType), cbool(exact)) != 0
}

func cbool(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// text gives the bytes of s to C for the time of one call, without a copy.
func text(s string) (*C.char, C.Py_ssize_t) {
	if s == "" {
		return (*C.char)(unsafe.Pointer(&emptyText[0])), 0
	}
	return (*C.char)(unsafe.Pointer(unsafe.StringData(s))), C.Py_ssize_t(len(s))
}

// goString copies n bytes; unlike C.GoStringN it is not limited to 2 GiB.
func goString(p *C.char, n C.Py_ssize_t) string {
	if p == nil || n <= 0 {
		return ""
	}
	return string(unsafe.Slice((*byte)(unsafe.Pointer(p)), int(n)))
}

// cstring copies s for C; the caller frees it. It refuses text that C would cut short, and then a Python ValueError is set.
func cstring(s string) (*C.char, bool) {
	if strings.IndexByte(s, 0) >= 0 {
		PyErr_SetString(PyExc_ValueError, "embedded null character")
		return nil, false
	}
	return C.CString(s), true
}

func free(p *C.char) { C.free(unsafe.Pointer(p)) }

// named calls f with s as a Python str and gives missing if s cannot be one (then an exception is set).
func named[T any](s string, missing T, f func(name *PyObject) T) T {
	name := PyUnicode_FromString(s)
	if name == nil {
		return missing
	}
	defer name.DecRef()
	return f(name)
}

// Python keeps a byte b that is not UTF-8 as the code point surrogateEscape + b.
const surrogateEscape = 0xDC00

// wide copies s to the wide text that the functions before initialisation take; the caller frees it, or never, where Python keeps the pointer.
// It decodes as UTF-8 whatever the locale is, and keeps other bytes by surrogate escapes, as Python does with file names.
func wide(s string) *C.wchar_t {
	codes := make([]C.wchar_t, 0, len(s)+1)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			r = surrogateEscape + rune(s[i])
		}
		codes = append(codes, C.wchar_t(r))
		i += n
	}
	codes = append(codes, 0)
	p := (*C.wchar_t)(C.malloc(C.size_t(len(codes)) * C.sizeof_wchar_t))
	copy(unsafe.Slice(p, len(codes)), codes)
	return p
}

// narrow is the inverse of wide. A nil pointer gives "".
func narrow(p *C.wchar_t) string {
	if p == nil {
		return ""
	}
	var b []byte
	for ; *p != 0; p = (*C.wchar_t)(unsafe.Add(unsafe.Pointer(p), C.sizeof_wchar_t)) {
		r := rune(*p)
		if r >= surrogateEscape+0x80 && r <= surrogateEscape+0xFF {
			b = append(b, byte(r-surrogateEscape))
			continue
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

func freeWide(p *C.wchar_t) { C.free(unsafe.Pointer(p)) }
