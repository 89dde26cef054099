package python3

/*
#include "capi.h"
*/
import "C"

// PyObject is a Python object. It is memory of Python's, never of Go's: only pointers to it exist.
type PyObject C.PyObject

// Comparisons for RichCompare and RichCompareBool.
var (
	Py_LT = 0
	Py_LE = 1
	Py_EQ = 2
	Py_NE = 3
	Py_GT = 4
	Py_GE = 5
)

// IncRef takes one more reference to the object. A nil object is left alone.
func (pyObject *PyObject) IncRef() {
	if pyObject != nil {
		C.call_Py_IncRef(toc(pyObject))
	}
}

// DecRef gives one owned reference back; the object may be gone afterwards. A nil object is left alone.
func (pyObject *PyObject) DecRef() {
	if pyObject != nil {
		C.call_Py_DecRef(toc(pyObject))
	}
}

// ReprEnter guards a recursive repr: 0 for a new entry, 1 for an object being printed already, -1 on error.
func (pyObject *PyObject) ReprEnter() int { return int(C.call_Py_ReprEnter(toc(pyObject))) }

// ReprLeave ends what a ReprEnter that returned 0 began.
func (pyObject *PyObject) ReprLeave() { C.call_Py_ReprLeave(toc(pyObject)) }

// HasAttr tells whether the attribute exists. An exception while looking counts as "no" and is dropped.
func (pyObject *PyObject) HasAttr(attr_name *PyObject) bool {
	return C.call_PyObject_HasAttr(toc(pyObject), toc(attr_name)) == 1
}

// HasAttrString is HasAttr with a Go name.
func (pyObject *PyObject) HasAttrString(attr_name string) bool {
	name := PyUnicode_FromString(attr_name)
	if name == nil {
		PyErr_Clear()
		return false
	}
	defer name.DecRef()
	return pyObject.HasAttr(name)
}

// GetAttr returns the attribute: a new reference, or nil with an exception set.
func (pyObject *PyObject) GetAttr(attr_name *PyObject) *PyObject {
	return togo(C.call_PyObject_GetAttr(toc(pyObject), toc(attr_name)))
}

// GetAttrString is GetAttr with a Go name: a new reference, or nil with an exception set.
func (pyObject *PyObject) GetAttrString(attr_name string) *PyObject {
	return named(attr_name, nil, pyObject.GetAttr)
}

// SetAttr sets the attribute to v, taking a reference of its own; a nil v deletes it. -1 with an exception set on error, else 0.
func (pyObject *PyObject) SetAttr(attr_name *PyObject, v *PyObject) int {
	return int(C.call_PyObject_SetAttr(toc(pyObject), toc(attr_name), orNull(v)))
}

// SetAttrString is SetAttr with a Go name.
func (pyObject *PyObject) SetAttrString(attr_name string, v *PyObject) int {
	return named(attr_name, -1, func(name *PyObject) int { return pyObject.SetAttr(name, v) })
}

// DelAttr deletes the attribute. -1 with an exception set on error, else 0.
func (pyObject *PyObject) DelAttr(attr_name *PyObject) int { return pyObject.SetAttr(attr_name, nil) }

// DelAttrString is DelAttr with a Go name.
func (pyObject *PyObject) DelAttrString(attr_name string) int {
	return pyObject.SetAttrString(attr_name, nil)
}

// RichCompare compares with o by Py_LT ... Py_GE: a new reference to the result, or nil with an exception set.
func (pyObject *PyObject) RichCompare(o *PyObject, opid int) *PyObject {
	return togo(C.call_PyObject_RichCompare(toc(pyObject), toc(o), C.int(opid)))
}

// RichCompareBool compares with o by Py_LT ... Py_GE: 1 or 0, or -1 with an exception set. An object equals itself without being asked.
func (pyObject *PyObject) RichCompareBool(o *PyObject, opid int) int {
	return int(C.call_PyObject_RichCompareBool(toc(pyObject), toc(o), C.int(opid)))
}

// Repr returns repr(o): a new reference to a str, or nil with an exception set.
func (pyObject *PyObject) Repr() *PyObject { return togo(C.call_PyObject_Repr(toc(pyObject))) }

// ASCII returns ascii(o): a new reference to a str, or nil with an exception set.
func (pyObject *PyObject) ASCII() *PyObject { return togo(C.call_PyObject_ASCII(toc(pyObject))) }

// Str returns str(o): a new reference to a str, or nil with an exception set.
func (pyObject *PyObject) Str() *PyObject { return togo(C.call_PyObject_Str(toc(pyObject))) }

// Bytes returns bytes(o), except that an int is refused: a new reference, or nil with an exception set.
func (pyObject *PyObject) Bytes() *PyObject { return togo(C.call_PyObject_Bytes(toc(pyObject))) }

// IsSubclass is issubclass(o, cls): 1 or 0, or -1 with an exception set. cls may be a tuple.
func (pyObject *PyObject) IsSubclass(cls *PyObject) int {
	return int(C.call_PyObject_IsSubclass(toc(pyObject), toc(cls)))
}

// IsInstance is isinstance(o, cls): 1 or 0, or -1 with an exception set. cls may be a tuple.
func (pyObject *PyObject) IsInstance(cls *PyObject) int {
	return int(C.call_PyObject_IsInstance(toc(pyObject), toc(cls)))
}

// Hash returns hash(o), or -1 with an exception set.
func (pyObject *PyObject) Hash() int { return int(C.call_PyObject_Hash(toc(pyObject))) }

// HashNotImplemented sets the TypeError of an unhashable type and returns -1.
func (pyObject *PyObject) HashNotImplemented() int {
	return int(C.call_PyObject_HashNotImplemented(toc(pyObject)))
}

// IsTrue is bool(o): 1 or 0, or -1 with an exception set.
func (pyObject *PyObject) IsTrue() int { return int(C.call_PyObject_IsTrue(toc(pyObject))) }

// Not is not o: 1 or 0, or -1 with an exception set.
func (pyObject *PyObject) Not() int { return int(C.call_PyObject_Not(toc(pyObject))) }

// Type returns type(o): a new reference.
func (pyObject *PyObject) Type() *PyObject { return togo(C.call_PyObject_Type(toc(pyObject))) }

// Length is len(o), or -1 with an exception set.
func (pyObject *PyObject) Length() int { return int(C.call_PyObject_Size(toc(pyObject))) }

// LengthHint is len(o), else o.__length_hint__(), else pyDefault; -1 with an exception set on error.
func (pyObject *PyObject) LengthHint(pyDefault int) int {
	return int(C.call_PyObject_LengthHint(toc(pyObject), C.Py_ssize_t(pyDefault)))
}

// GetItem is o[key]: a new reference, or nil with an exception set.
func (pyObject *PyObject) GetItem(key *PyObject) *PyObject {
	return togo(C.call_PyObject_GetItem(toc(pyObject), toc(key)))
}

// SetItem is o[key] = v and takes a reference of its own to v. -1 with an exception set on error, else 0.
func (pyObject *PyObject) SetItem(key, v *PyObject) int {
	return int(C.call_PyObject_SetItem(toc(pyObject), toc(key), toc(v)))
}

// DelItem is del o[key]. -1 with an exception set on error, else 0.
func (pyObject *PyObject) DelItem(key *PyObject) int {
	return int(C.call_PyObject_DelItem(toc(pyObject), toc(key)))
}

// Dir is dir(o): a new reference to a list of str, or nil with an exception set. A nil object lists the names of the running frame, and is
// nil without an exception where none runs.
func (pyObject *PyObject) Dir() *PyObject { return togo(C.call_PyObject_Dir(orNull(pyObject))) }

// GetIter is iter(o): a new reference, or nil with an exception set.
func (pyObject *PyObject) GetIter() *PyObject { return togo(C.call_PyObject_GetIter(toc(pyObject))) }

// Next is next(o) of an iterator: a new reference, nil without an exception at the end, nil with an exception set on error. An addition.
func (pyObject *PyObject) Next() *PyObject { return togo(C.call_PyIter_Next(toc(pyObject))) }
