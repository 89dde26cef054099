package python3

import (
	"math"
	"strings"
	"testing"
)

func testObject(t *testing.T) {
	python(t, func() {
		scope := execute(t, "class A:\n    x = 1\n    def __repr__(self): return 'A()'\n    def __bytes__(self): return b'ab'\na = A()\nb = [3, 1, 2]")
		defer scope.DecRef()
		a, class, b := PyDict_GetItemString(scope, "a"), PyDict_GetItemString(scope, "A"), PyDict_GetItemString(scope, "b")
		x := PyUnicode_FromString("x")
		defer x.DecRef()

		same(t, "HasAttr", a.HasAttr(x), true)
		same(t, "HasAttrString", a.HasAttrString("y"), false)
		same(t, "HasAttrString, not UTF-8", a.HasAttrString("\xff"), false)
		same(t, "GetAttr", repr(t, a.GetAttr(x)), "1")
		same(t, "SetAttrString", a.SetAttrString("y", x), 0)
		same(t, "GetAttrString", repr(t, a.GetAttrString("y")), "'x'")
		same(t, "SetAttr", a.SetAttr(x, Py_None), 0)
		same(t, "DelAttr", a.DelAttr(x), 0)
		same(t, "DelAttrString", a.DelAttrString("y"), 0)
		same(t, "DelAttrString again", a.DelAttrString("y"), -1)
		raises(t, "DelAttrString again", "AttributeError")
		same(t, "GetAttrString with null", a.GetAttrString("x\x00y"), nil)
		raises(t, "GetAttrString with null", "AttributeError")

		same(t, "IsInstance", a.IsInstance(class), 1)
		same(t, "IsSubclass", class.IsSubclass(List), 0)
		same(t, "IsInstance of a non-class", a.IsInstance(a), -1)
		raises(t, "IsInstance", "TypeError")
		same(t, "Type", repr(t, b.Type()), "<class 'list'>")
		same(t, "PyType_Check", PyType_Check(class), true)
		same(t, "PyType_CheckExact", PyType_CheckExact(class), true)
		same(t, "PyType_Check of an instance", PyType_Check(a), false)
		same(t, "Repr", repr(t, a.Str()), "'A()'")
		same(t, "ASCII", repr(t, a.ASCII()), "'A()'")
		same(t, "Bytes", repr(t, a.Bytes()), "b'ab'")
		same(t, "IsTrue", b.IsTrue(), 1)
		same(t, "Not", b.Not(), 0)
		same(t, "Length", b.Length(), 3)
		same(t, "LengthHint", a.LengthHint(7), 7)
		same(t, "Hash", a.Hash() != -1, true)
		same(t, "HashNotImplemented", b.HashNotImplemented(), -1)
		raises(t, "HashNotImplemented", "TypeError")
		same(t, "Length of an instance", a.Length(), -1)
		raises(t, "Length", "TypeError")

		zero := PyLong_FromLong(0)
		defer zero.DecRef()
		same(t, "GetItem", repr(t, b.GetItem(zero)), "3")
		same(t, "SetItem", b.SetItem(zero, Py_True), 0)
		same(t, "DelItem", b.DelItem(zero), 0)
		same(t, "list", repr(t, b.GetIter()) != "", true)
		same(t, "RichCompareBool", b.RichCompareBool(b, Py_EQ), 1)
		same(t, "RichCompare", repr(t, zero.RichCompare(Py_True, Py_LT)), "True")
		same(t, "Dir", PyList_Check(b.Dir()), true)
		same(t, "ReprEnter", b.ReprEnter(), 0)
		same(t, "ReprEnter again", b.ReprEnter(), 1)
		b.ReprLeave()

		iterator := must(t, b.GetIter())
		defer iterator.DecRef()
		same(t, "Next", repr(t, iterator.Next()), "1")
		same(t, "Next", repr(t, iterator.Next()), "2")
		same(t, "Next at the end", iterator.Next(), nil)
	})
}

func testCall(t *testing.T) {
	python(t, func() {
		scope := execute(t, "def f(*args, **kwargs): return args, kwargs\nclass A:\n    def m(self, *args): return args")
		defer scope.DecRef()
		f := PyDict_GetItemString(scope, "f")
		a := must(t, PyDict_GetItemString(scope, "A").CallObject(nil))
		defer a.DecRef()
		one, name := PyLong_FromLong(1), PyUnicode_FromString("m")
		defer decRef(one, name)

		same(t, "no arguments", repr(t, f.CallFunctionObjArgs()), "((), {})")
		same(t, "two arguments", repr(t, f.CallFunctionObjArgs(one, name)), "((1, 'm'), {})")
		many := make([]*PyObject, 3*MaxVariadicLength)
		for i := range many {
			many[i] = one
		}
		same(t, "60 arguments", repr(t, f.CallFunctionObjArgs(many...)), "(("+strings.Repeat("1, ", 59)+"1), {})")
		same(t, "method", repr(t, a.CallMethodObjArgs(name, one)), "(1,)")
		same(t, "method by name", repr(t, a.CallMethodArgs("m")), "()")
		same(t, "missing method", a.CallMethodArgs("n"), nil)
		raises(t, "missing method", "AttributeError")

		args, kwargs := PyTuple_New(1), PyDict_New()
		defer decRef(args, kwargs)
		one.IncRef()
		PyTuple_SetItem(args, 0, one)
		PyDict_SetItemString(kwargs, "k", name)
		same(t, "Call", repr(t, f.Call(args, kwargs)), "((1,), {'k': 'm'})")
		same(t, "Call without kwargs", repr(t, f.Call(args, nil)), "((1,), {})")
		same(t, "CallObject", repr(t, f.CallObject(args)), "((1,), {})")
		same(t, "PyCallable_Check", PyCallable_Check(f), true)
		same(t, "PyCallable_Check of an int", PyCallable_Check(one), false)
		same(t, "PyEval_GetFuncName", PyEval_GetFuncName(f)+PyEval_GetFuncDesc(f), "f()")
	})
}

func testNumber(t *testing.T) {
	python(t, func() {
		for want, o := range map[string]*PyObject{
			"-9223372036854775808": PyLong_FromGoInt64(math.MinInt64), "18446744073709551615": PyLong_FromGoUint64(math.MaxUint64),
			"-7": PyLong_FromGoInt(-7), "7": PyLong_FromGoUint(7), "2": PyLong_FromGoFloat64(2.9), "255": PyLong_FromString("ff", 16),
			"1.5": PyFloat_FromDouble(1.5), "(1+2j)": PyComplex_FromDoubles(1, 2), "True": PyBool_FromLong(math.MinInt64), "False": PyBool_FromLong(0),
		} {
			same(t, want, repr(t, o), want)
		}
		for _, v := range []int64{0, 1, -1, math.MaxInt64, math.MinInt64} {
			o := PyLong_FromLongLong(v)
			same(t, "PyLong_AsLongLong", PyLong_AsLongLong(o), v)
			same(t, "PyLong_AsLong", int64(PyLong_AsLong(o)), v)
			same(t, "PyLong_AsUnsignedLongLongMask", PyLong_AsUnsignedLongLongMask(o), uint64(v))
			same(t, "PyLong_AsUnsignedLongMask", PyLong_AsUnsignedLongMask(o), uint(v))
			same(t, "PyLong_Check", PyLong_Check(o) && PyLong_CheckExact(o) && !PyBool_Check(o), true)
			o.DecRef()
		}
		large := evaluate(t, "2 ** 64")
		defer large.DecRef()
		same(t, "too large", PyLong_AsLongLong(large), -1)
		raises(t, "too large", "OverflowError")
		same(t, "too large", PyLong_AsUnsignedLongLong(large), math.MaxUint64)
		raises(t, "too large", "OverflowError")
		same(t, "too large", PyLong_AsUnsignedLong(large), math.MaxUint)
		raises(t, "too large", "OverflowError")
		_, overflow := PyLong_AsLongAndOverflow(large)
		same(t, "overflow", overflow, 1)
		_, overflow = PyLong_AsLongLongAndOverflow(large)
		same(t, "overflow", overflow, 1)
		same(t, "PyLong_AsDouble", PyLong_AsDouble(large), 0x1p64)
		same(t, "PyLong_CheckExact of a bool", PyLong_CheckExact(Py_True), false)
		same(t, "PyLong_FromString", PyLong_FromString("1\x002", 10), nil)
		raises(t, "PyLong_FromString", "ValueError")
		same(t, "PyLong_FromDouble", PyLong_FromDouble(math.NaN()), nil)
		raises(t, "PyLong_FromDouble", "ValueError")

		text := PyUnicode_FromString("-0.5")
		defer text.DecRef()
		half := must(t, PyFloat_FromString(text))
		defer half.DecRef()
		same(t, "PyFloat_AsDouble", PyFloat_AsDouble(half), -0.5)
		same(t, "PyFloat_Check", PyFloat_Check(half) && PyFloat_CheckExact(half), true)
		same(t, "PyFloat_GetMax", PyFloat_GetMax(), math.MaxFloat64)
		same(t, "PyFloat_GetMin", PyFloat_GetMin(), 0x1p-1022)
		must(t, PyFloat_GetInfo()).DecRef()
		z := PyComplex_FromDoubles(1, 2)
		defer z.DecRef()
		same(t, "PyComplex_Check", PyComplex_Check(z) && PyComplex_CheckExact(z), true)
		same(t, "parts", [2]float64{PyComplex_RealAsDouble(z), PyComplex_ImagAsDouble(z)}, [2]float64{1, 2})
	})
}

func testContainer(t *testing.T) {
	python(t, func() {
		list := PyList_New(2)
		defer list.DecRef()
		for i := range 2 {
			same(t, "PyList_SetItem", PyList_SetItem(list, i, PyLong_FromLong(i)), 0)
		}
		same(t, "PyList_Append", PyList_Append(list, Py_None), 0)
		same(t, "PyList_Insert", PyList_Insert(list, 0, Py_True), 0)
		same(t, "PyList_Reverse", PyList_Reverse(list), 0)
		same(t, "list", repr(t, PyList_GetSlice(list, 0, 9)), "[None, 1, 0, True]")
		same(t, "PyList_SetSlice", PyList_SetSlice(list, 0, 1, nil), 0)
		same(t, "PyList_Sort", PyList_Sort(list), 0)
		same(t, "PyList_Size", PyList_Size(list), 3)
		same(t, "PyList_GetItem", PyLong_AsLong(PyList_GetItem(list, 0)), 0)
		same(t, "PyList_GetItem outside", PyList_GetItem(list, 3), nil)
		raises(t, "PyList_GetItem", "IndexError")
		same(t, "PyList_Check", PyList_Check(list) && PyList_CheckExact(list), true)

		tuple := must(t, PyList_AsTuple(list))
		defer tuple.DecRef()
		same(t, "PyTuple_Size", PyTuple_Size(tuple), 3)
		same(t, "PyTuple_GetItem", PyLong_AsLong(PyTuple_GetItem(tuple, 2)), 1)
		same(t, "PyTuple_GetSlice", repr(t, PyTuple_GetSlice(tuple, 1, 3)), "(1, True)")
		same(t, "PyTuple_Check", PyTuple_Check(tuple) && PyTuple_CheckExact(tuple) && !PyList_Check(tuple), true)
		Py_None.IncRef()
		same(t, "PyTuple_SetItem outside", PyTuple_SetItem(PyTuple_New(1), 5, Py_None), -1)
		raises(t, "PyTuple_SetItem", "IndexError")

		dict := PyDict_New()
		defer dict.DecRef()
		key := PyUnicode_FromString("a\x00b")
		defer key.DecRef()
		same(t, "PyDict_SetItemString", PyDict_SetItemString(dict, "a\x00b", list), 0)
		same(t, "PyDict_SetItem", PyDict_SetItem(dict, tuple, key), 0)
		same(t, "PyDict_GetItem", PyDict_GetItem(dict, key), list)
		same(t, "PyDict_GetItemString", PyDict_GetItemString(dict, "a"), nil)
		same(t, "PyDict_GetItemString, not UTF-8", PyDict_GetItemString(dict, "\xff"), nil)
		same(t, "PyDict_GetItemWithError", PyDict_GetItemWithError(dict, list), nil)
		raises(t, "PyDict_GetItemWithError", "TypeError")
		same(t, "PyDict_Contains", PyDict_Contains(dict, key), 1)
		same(t, "PyDict_SetDefault", PyDict_SetDefault(dict, key, Py_None), list)
		same(t, "PyDict_Size", PyDict_Size(dict), 2)
		same(t, "PyDict_Keys", repr(t, PyDict_Keys(dict)), `['a\x00b', (0, 1, True)]`)
		same(t, "PyDict_Values", repr(t, PyDict_Values(dict)), `[[0, 1, True], 'a\x00b']`)
		same(t, "PyDict_Items", repr(t, PyDict_Items(dict)), `[('a\x00b', [0, 1, True]), ((0, 1, True), 'a\x00b')]`)
		same(t, "PyDict_Check", PyDict_Check(dict) && PyDict_CheckExact(dict), true)
		var position, seen int
		var k, v *PyObject
		for PyDict_Next(dict, &position, &k, &v) {
			seen++
			same(t, "PyDict_Next", PyDict_GetItem(dict, k), v)
		}
		same(t, "PyDict_Next", seen, 2)
		proxy := must(t, PyDictProxy_New(dict))
		defer proxy.DecRef()
		same(t, "PyDictProxy_New", proxy.Length(), 2)
		copied := must(t, PyDict_Copy(dict))
		defer copied.DecRef()
		same(t, "PyDict_DelItem", PyDict_DelItem(dict, key), 0)
		same(t, "PyDict_DelItemString", PyDict_DelItemString(dict, "a\x00b"), -1)
		raises(t, "PyDict_DelItemString", "KeyError")
		PyDict_Clear(dict)
		same(t, "sizes", [2]int{PyDict_Size(dict), PyDict_Size(copied)}, [2]int{0, 2})
	})
}
