package python3

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

func testText(t *testing.T) {
	python(t, func() {
		for _, s := range []string{"", "plain", "vénv 日本語 😀", "null\x00inside", strings.Repeat("é", 1<<20)} {
			o := must(t, PyUnicode_FromString(s))
			same(t, "PyUnicode_AsUTF8", PyUnicode_AsUTF8(o), s)
			same(t, "PyUnicode_GetLength", PyUnicode_GetLength(o), len([]rune(s)))
			same(t, "PyUnicode_Check", PyUnicode_Check(o) && PyUnicode_CheckExact(o), true)
			o.DecRef()
		}
		same(t, "not UTF-8", PyUnicode_FromString("\xff"), nil)
		raises(t, "not UTF-8", "UnicodeDecodeError")

		// Bytes that are not UTF-8 come back as they were, or as text that is.
		for _, s := range []string{"\xff\xfe", "caf\xe9", "ok\xc3", "\xed\xa0\x80", "é\xff"} {
			o := must(t, PyUnicode_DecodeUTF8(s, "surrogateescape"))
			got, ok := PyUnicode_AsBytes(o)
			same(t, "PyUnicode_AsBytes", got, s)
			same(t, "PyUnicode_AsBytes", ok, true)
			same(t, "PyUnicode_AsUTF8", PyUnicode_AsUTF8(o), "")
			raises(t, "PyUnicode_AsUTF8", "UnicodeEncodeError")
			o.DecRef()
		}
		lone := evaluate(t, `"a\ud800\udcff"`)
		defer lone.DecRef()
		text, _ := PyUnicode_AsText(lone)
		same(t, "PyUnicode_AsText", text, `a\ud800\udcff`)
		text, _ = PyUnicode_AsBytes(lone)
		same(t, "PyUnicode_AsBytes of other surrogates", text, `a\ud800\udcff`)
		_, ok := PyUnicode_AsText(Py_None)
		same(t, "PyUnicode_AsText of None", ok, false)
		raises(t, "PyUnicode_AsText of None", "TypeError")
		_, ok = PyUnicode_AsBytes(Py_None)
		same(t, "PyUnicode_AsBytes of None", ok, false)
		raises(t, "PyUnicode_AsBytes of None", "TypeError")
		same(t, "unknown handler", PyUnicode_DecodeUTF8("\xff", "nonsense"), nil)
		raises(t, "unknown handler", "LookupError")
		same(t, "handler with null", PyUnicode_DecodeUTF8("\xff", "a\x00b"), nil)
		raises(t, "handler with null", "ValueError")

		raw := PyBytes_FromString("\xe9")
		defer raw.DecRef()
		same(t, "PyUnicode_FromEncodedObject", repr(t, PyUnicode_FromEncodedObject(raw, "latin-1", "strict")), "'é'")
		same(t, "PyUnicode_FromEncodedObject", PyUnicode_FromEncodedObject(raw, "utf-8", "strict"), nil)
		raises(t, "PyUnicode_FromEncodedObject", "UnicodeDecodeError")
		same(t, "PyUnicode_AsEncodedString", repr(t, PyUnicode_AsEncodedString(lone, "ascii", "ignore")), "b'a'")

		made := must(t, PyUnicode_New(4, 'é'))
		defer made.DecRef()
		same(t, "PyUnicode_Fill", PyUnicode_Fill(made, 0, 4, 'x'), 4)
		same(t, "PyUnicode_WriteChar", PyUnicode_WriteChar(made, 1, 'é'), 0)
		same(t, "PyUnicode_ReadChar", PyUnicode_ReadChar(made, 1), 'é')
		same(t, "PyUnicode_Substring", repr(t, PyUnicode_Substring(made, 1, 3)), "'éx'")
		target := must(t, PyUnicode_New(3, 'é'))
		defer target.DecRef()
		PyUnicode_Fill(target, 0, 3, '-')
		same(t, "PyUnicode_CopyCharacters", PyUnicode_CopyCharacters(target, made, 1, 0, 2), 2)
		same(t, "PyUnicode_CopyCharacters", PyUnicode_AsUTF8(target), "-xé")
	})
}

func testBytes(t *testing.T) {
	python(t, func() {
		for _, s := range []string{"", "plain", "\x00\xff\x00", strings.Repeat("x", 1<<20)} {
			b := must(t, PyBytes_FromString(s))
			same(t, "PyBytes_AsString", PyBytes_AsString(b), s)
			same(t, "PyBytes_Size", PyBytes_Size(b), len(s))
			same(t, "PyBytes_Check", PyBytes_Check(b) && PyBytes_CheckExact(b) && !PyByteArray_Check(b), true)
			array := must(t, PyByteArray_FromObject(b))
			same(t, "PyByteArray_AsString", PyByteArray_AsString(array), s)
			same(t, "PyBytes_FromObject", repr(t, PyBytes_FromObject(array)) != "", true)
			decRef(array, b)
		}
		same(t, "PyBytes_AsString of None", PyBytes_AsString(Py_None), "")
		raises(t, "PyBytes_AsString", "TypeError")

		part := PyBytes_FromString("cd")
		joined := must(t, PyBytes_Concat(PyBytes_FromString("ab"), part))
		joined = must(t, PyBytes_ConcatAndDel(joined, part))
		same(t, "PyBytes_Concat", repr(t, joined), "b'abcdcd'")

		array := must(t, PyByteArray_FromStringAndSize("a\x00b"))
		defer array.DecRef()
		same(t, "PyByteArray_Size", PyByteArray_Size(array), 3)
		same(t, "PyByteArray_CheckExact", PyByteArray_CheckExact(array), true)
		same(t, "PyByteArray_Concat", repr(t, PyByteArray_Concat(array, array)), `bytearray(b'a\x00ba\x00b')`)
		PyByteArray_Resize(array, 1)
		same(t, "PyByteArray_Resize", PyByteArray_AsString(array), "a")
		same(t, "PyByteArray_AsString of None", PyByteArray_AsString(Py_None), "")
		PyByteArray_Resize(Py_None, 1)
		raises(t, "PyByteArray_Resize of None", "TypeError")
	})
}

func testMemoryView(t *testing.T) {
	memory, err := syscall.Mmap(-1, 0, 1<<16, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	}()
	python(t, func() {
		scope := execute(t, `
import ctypes
def poke(view, i, v): view[i] = v
def peek(view, i): return view[i]
def address(view): return ctypes.addressof(ctypes.c_char.from_buffer(view))
def describe(view): return view.format, view.ndim, view.nbytes, view.readonly, view.contiguous
`)
		defer scope.DecRef()
		call := func(name string, args ...*PyObject) *PyObject {
			return PyDict_GetItemString(scope, name).CallFunctionObjArgs(args...)
		}
		at, value := PyLong_FromLong(5000), PyLong_FromLong(77)
		defer decRef(at, value)

		view := must(t, PyMemoryView_FromMemory(memory, PyBUF_WRITE))
		same(t, "view", repr(t, call("describe", view)), "('B', 1, 65536, False, True)")
		address := must(t, call("address", view))
		same(t, "address", uintptr(PyLong_AsUnsignedLongLong(address)), uintptr(unsafe.Pointer(&memory[0])))
		address.DecRef()
		memory[5000] = 33
		same(t, "Go's write in Python", repr(t, call("peek", view, at)), "33")
		must(t, call("poke", view, at, value)).DecRef()
		same(t, "Python's write in Go", memory[5000], 77)

		must(t, view.CallMethodArgs("release")).DecRef()
		same(t, "released view", call("peek", view, at), nil)
		raises(t, "released view", "ValueError")
		view.DecRef()

		readonly := must(t, PyMemoryView_FromMemory(memory[4096:8192:8192], PyBUF_READ))
		defer readonly.DecRef()
		same(t, "view", repr(t, call("describe", readonly)), "('B', 1, 4096, True, True)")
		same(t, "offset", repr(t, call("peek", readonly, evaluate(t, "5000 - 4096"))), "77")
		same(t, "write to read-only", call("poke", readonly, value, value), nil)
		raises(t, "write to read-only", "TypeError")
		if !bytes.Equal(memory[4096:4100], make([]byte, 4)) {
			t.Error("the read-only view was written to")
		}
		for _, empty := range [][]byte{nil, {}, memory[:0]} {
			view := must(t, PyMemoryView_FromMemory(empty, PyBUF_WRITE))
			same(t, "empty view", repr(t, call("describe", view)), "('B', 1, 0, False, True)")
			view.DecRef()
		}
	})
}
