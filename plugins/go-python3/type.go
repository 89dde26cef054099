package python3

// PyType_Check tells whether o is a class.
func PyType_Check(o *PyObject) bool { return isType(o, Type, false) }

// PyType_CheckExact tells whether o is a class whose metaclass is type itself.
func PyType_CheckExact(o *PyObject) bool { return isType(o, Type, true) }
