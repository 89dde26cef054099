package python3

/*
#include "capi.h"
*/
import "C"

// PyDict_Check tells whether p is a dict or of a subtype.
func PyDict_Check(p *PyObject) bool { return isType(p, Dict, false) }

// PyDict_CheckExact tells whether p is a dict and not of a subtype.
func PyDict_CheckExact(p *PyObject) bool { return isType(p, Dict, true) }

// PyDict_New returns an empty dict: a new reference, or nil with an exception set.
func PyDict_New() *PyObject { return togo(C.call_PyDict_New()) }

// PyDictProxy_New returns a read-only view of a mapping: a new reference, or nil with an exception set.
func PyDictProxy_New(mapping *PyObject) *PyObject {
	return togo(C.call_PyDictProxy_New(toc(mapping)))
}

// PyDict_Clear removes everything.
func PyDict_Clear(p *PyObject) { C.call_PyDict_Clear(toc(p)) }

// PyDict_Contains is key in p: 1 or 0, or -1 with an exception set.
func PyDict_Contains(p, key *PyObject) int { return int(C.call_PyDict_Contains(toc(p), toc(key))) }

// PyDict_Copy returns a shallow copy: a new reference, or nil with an exception set.
func PyDict_Copy(p *PyObject) *PyObject { return togo(C.call_PyDict_Copy(toc(p))) }

// PyDict_SetItem is p[key] = val, with references of its own: 0, or -1 with an exception set.
func PyDict_SetItem(p, key, val *PyObject) int {
	return int(C.call_PyDict_SetItem(toc(p), toc(key), toc(val)))
}

// PyDict_SetItemString is PyDict_SetItem with a Go key.
func PyDict_SetItemString(p *PyObject, key string, val *PyObject) int {
	return named(key, -1, func(k *PyObject) int { return PyDict_SetItem(p, k, val) })
}

// PyDict_DelItem is del p[key]: 0, or -1 with an exception set.
func PyDict_DelItem(p, key *PyObject) int { return int(C.call_PyDict_DelItem(toc(p), toc(key))) }

// PyDict_DelItemString is PyDict_DelItem with a Go key.
func PyDict_DelItemString(p *PyObject, key string) int {
	return named(key, -1, func(k *PyObject) int { return PyDict_DelItem(p, k) })
}

// PyDict_GetItem returns p[key]: borrowed, or nil without an exception, even if looking failed.
func PyDict_GetItem(p, key *PyObject) *PyObject {
	return togo(C.call_PyDict_GetItem(toc(p), toc(key)))
}

// PyDict_GetItemWithError returns p[key]: borrowed, or nil, with an exception set only if looking failed.
func PyDict_GetItemWithError(p, key *PyObject) *PyObject {
	return togo(C.call_PyDict_GetItemWithError(toc(p), toc(key)))
}

// PyDict_GetItemString is PyDict_GetItem with a Go key.
func PyDict_GetItemString(p *PyObject, key string) *PyObject {
	k := PyUnicode_FromString(key)
	if k == nil {
		PyErr_Clear()
		return nil
	}
	defer k.DecRef()
	return PyDict_GetItem(p, k)
}

// PyDict_SetDefault is p.setdefault(key, pyDefault): borrowed, or nil with an exception set.
func PyDict_SetDefault(p, key, pyDefault *PyObject) *PyObject {
	return togo(C.call_PyDict_SetDefault(toc(p), toc(key), toc(pyDefault)))
}

// PyDict_Items is list(p.items()): a new reference, or nil with an exception set.
func PyDict_Items(p *PyObject) *PyObject { return togo(C.call_PyDict_Items(toc(p))) }

// PyDict_Keys is list(p): a new reference, or nil with an exception set.
func PyDict_Keys(p *PyObject) *PyObject { return togo(C.call_PyDict_Keys(toc(p))) }

// PyDict_Values is list(p.values()): a new reference, or nil with an exception set.
func PyDict_Values(p *PyObject) *PyObject { return togo(C.call_PyDict_Values(toc(p))) }

// PyDict_Size returns the number of items, or -1 with an exception set.
func PyDict_Size(p *PyObject) int { return int(C.call_PyDict_Size(toc(p))) }

// PyDict_Next walks a dict that nothing changes meanwhile: start with *ppos 0; each true sets *pkey and *pvalue, both borrowed.
func PyDict_Next(p *PyObject, ppos *int, pkey, pvalue **PyObject) bool {
	pos := C.Py_ssize_t(*ppos)
	key, value := orNull(*pkey), orNull(*pvalue)
	more := C.call_PyDict_Next(toc(p), &pos, &key, &value) != 0
	*ppos, *pkey, *pvalue = int(pos), togo(key), togo(value)
	return more
}
