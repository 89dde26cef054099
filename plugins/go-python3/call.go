package python3

/*
#include "capi.h"
*/
import "C"

// MaxVariadicLength is the original's limit on the arguments of CallFunctionObjArgs and its kin. Here there is none.
const MaxVariadicLength = 20

// PyCallable_Check is callable(o); false for nil.
func PyCallable_Check(o *PyObject) bool {
	return o != nil && C.call_PyCallable_Check(toc(o)) == 1
}

// Call is o(*args, **kwargs); args is a tuple, kwargs a dict or nil. It takes over no reference. A new reference, or nil with an exception set.
func (pyObject *PyObject) Call(args *PyObject, kwargs *PyObject) *PyObject {
	return togo(C.call_PyObject_Call(toc(pyObject), toc(args), orNull(kwargs)))
}

// CallObject is o(*args); args is a tuple or nil. It takes over no reference. A new reference, or nil with an exception set.
func (pyObject *PyObject) CallObject(args *PyObject) *PyObject {
	return togo(C.call_PyObject_CallObject(toc(pyObject), orNull(args)))
}

// CallFunctionObjArgs is o(*args), for any number of arguments. It takes over no reference. A new reference, or nil with an exception set.
func (pyObject *PyObject) CallFunctionObjArgs(args ...*PyObject) *PyObject {
	argv := vector(args)
	return togo(C.call_PyObject_VectorcallDict(toc(pyObject), &argv[0], C.size_t(len(args)), nil))
}

// CallMethodObjArgs is o.name(*args), for any number of arguments. It takes over no reference. A new reference, or nil with an exception set.
func (pyObject *PyObject) CallMethodObjArgs(name *PyObject, args ...*PyObject) *PyObject {
	argv := append([]*C.PyObject{toc(pyObject)}, vector(args)...)
	return togo(C.call_PyObject_VectorcallMethod(toc(name), &argv[0], C.size_t(len(args)+1), nil))
}

// CallMethodArgs is CallMethodObjArgs with a Go name.
func (pyObject *PyObject) CallMethodArgs(name string, args ...*PyObject) *PyObject {
	return named(name, nil, func(n *PyObject) *PyObject { return pyObject.CallMethodObjArgs(n, args...) })
}

// vector lays arguments out for a vectorcall and ends them with a nil, so that there is always a first element to point to.
func vector(args []*PyObject) []*C.PyObject {
	argv := make([]*C.PyObject, 0, len(args)+1)
	for _, a := range args {
		argv = append(argv, toc(a))
	}
	return append(argv, nil)
}
