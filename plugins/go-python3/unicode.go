package python3

/*
#include "capi.h"
*/
import "C"

// PyUnicode_Check tells whether o is a str or of a subtype.
func PyUnicode_Check(o *PyObject) bool { return isType(o, Unicode, false) }

// PyUnicode_CheckExact tells whether o is a str and not of a subtype.
func PyUnicode_CheckExact(o *PyObject) bool { return isType(o, Unicode, true) }

// PyUnicode_New returns a str of size characters, each at most maxchar, to be filled at once: a new reference, or nil with an exception set.
func PyUnicode_New(size int, maxchar rune) *PyObject {
	return togo(C.call_PyUnicode_New(C.Py_ssize_t(size), C.Py_UCS4(maxchar)))
}

// PyUnicode_FromString returns a str from UTF-8, null characters included: a new reference, or nil with UnicodeDecodeError set where u is not UTF-8
// (PyUnicode_DecodeUTF8 keeps such bytes).
func PyUnicode_FromString(u string) *PyObject {
	p, n := text(u)
	return togo(C.call_PyUnicode_FromStringAndSize(p, n))
}

// PyUnicode_DecodeUTF8 returns a str from UTF-8, with an error handler for bytes that are not: "surrogateescape" keeps them, so that
// PyUnicode_AsBytes gives the same bytes back. A new reference, or nil with an exception set. An addition.
func PyUnicode_DecodeUTF8(u string, errors string) *PyObject {
	handler, ok := cstring(errors)
	if !ok {
		return nil
	}
	defer free(handler)
	p, n := text(u)
	return togo(C.call_PyUnicode_DecodeUTF8(p, n, handler))
}

// PyUnicode_FromEncodedObject decodes a bytes-like object: a new reference, or nil with an exception set.
func PyUnicode_FromEncodedObject(obj *PyObject, encoding, errors string) *PyObject {
	return withCodec(encoding, errors, func(e, h *C.char) *C.PyObject {
		return C.call_PyUnicode_FromEncodedObject(toc(obj), e, h)
	})
}

// PyUnicode_AsEncodedString encodes a str: a new reference to a bytes, or nil with an exception set. An addition.
func PyUnicode_AsEncodedString(unicode *PyObject, encoding, errors string) *PyObject {
	return withCodec(encoding, errors, func(e, h *C.char) *C.PyObject {
		return C.call_PyUnicode_AsEncodedString(toc(unicode), e, h)
	})
}

func withCodec(encoding, errors string, f func(encoding, errors *C.char) *C.PyObject) *PyObject {
	e, ok := cstring(encoding)
	if !ok {
		return nil
	}
	defer free(e)
	h, ok := cstring(errors)
	if !ok {
		return nil
	}
	defer free(h)
	return togo(f(e, h))
}

// PyUnicode_GetLength returns the number of code points, or -1 with an exception set.
func PyUnicode_GetLength(unicode *PyObject) int {
	return int(C.call_PyUnicode_GetLength(toc(unicode)))
}

// PyUnicode_CopyCharacters copies how_many code points into a str that nothing else refers to: their number, or -1 with an exception set.
func PyUnicode_CopyCharacters(to, from *PyObject, to_start, from_start, how_many int) int {
	return int(C.call_PyUnicode_CopyCharacters(toc(to), C.Py_ssize_t(to_start), toc(from), C.Py_ssize_t(from_start), C.Py_ssize_t(how_many)))
}

// PyUnicode_Fill writes fill_char length times into a str that nothing else refers to: the number written, or -1 with an exception set.
func PyUnicode_Fill(unicode *PyObject, start, length int, fill_char rune) int {
	return int(C.call_PyUnicode_Fill(toc(unicode), C.Py_ssize_t(start), C.Py_ssize_t(length), C.Py_UCS4(fill_char)))
}

// PyUnicode_WriteChar writes one code point into a str that nothing else refers to: 0, or -1 with an exception set.
func PyUnicode_WriteChar(unicode *PyObject, index int, character rune) int {
	return int(C.call_PyUnicode_WriteChar(toc(unicode), C.Py_ssize_t(index), C.Py_UCS4(character)))
}

// PyUnicode_ReadChar returns one code point, or -1 with an exception set.
func PyUnicode_ReadChar(unicode *PyObject, index int) rune {
	return rune(C.call_PyUnicode_ReadChar(toc(unicode), C.Py_ssize_t(index)))
}

// PyUnicode_Substring returns the code points from start to before end: a new reference, or nil with an exception set.
func PyUnicode_Substring(unicode *PyObject, start, end int) *PyObject {
	return togo(C.call_PyUnicode_Substring(toc(unicode), C.Py_ssize_t(start), C.Py_ssize_t(end)))
}

// PyUnicode_AsUTF8 returns a copy of the str as UTF-8, null characters included. It gives "" with an exception set where o is not a str or holds
// surrogates; PyUnicode_AsBytes and PyUnicode_AsText give something for every str.
func PyUnicode_AsUTF8(unicode *PyObject) string {
	var n C.Py_ssize_t
	return goString(C.call_PyUnicode_AsUTF8AndSize(toc(unicode), &n), n)
}

// PyUnicode_AsBytes returns the bytes that the str was decoded from: UTF-8, and escaped bytes as they were, so the result may be invalid UTF-8.
// Any other surrogate becomes a backslash escape. It gives false with an exception set if o is not a str. An addition.
func PyUnicode_AsBytes(o *PyObject) (string, bool) { return encode(o, "surrogateescape") }

// PyUnicode_AsText returns the str as valid UTF-8, with surrogates as backslash escapes. It gives false with an exception set if o is not a
// str. An addition.
func PyUnicode_AsText(o *PyObject) (string, bool) { return encode(o, "backslashreplace") }

// encode tries the shortest way first, then the handler, then the one that cannot fail.
func encode(o *PyObject, handler string) (string, bool) {
	var n C.Py_ssize_t
	if p := C.call_PyUnicode_AsUTF8AndSize(toc(o), &n); p != nil {
		return goString(p, n), true
	}
	for _, h := range []string{handler, "backslashreplace"} {
		if !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) {
			return "", false
		}
		PyErr_Clear()
		if b := PyUnicode_AsEncodedString(o, "utf-8", h); b != nil {
			defer b.DecRef()
			return PyBytes_AsString(b), true
		}
	}
	return "", false
}
