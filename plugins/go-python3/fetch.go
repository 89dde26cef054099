package python3

import "strings"

// Exception is a Python exception as text, so that it can outlive the interpreter lock and cross processes. All three are valid UTF-8: what
// Python holds and UTF-8 cannot is written as backslash escapes.
type Exception struct {
	// Type is the class by its qualified name: "ValueError", "torch.OutOfMemoryError". The module is left out for builtins, as Python does.
	Type string
	// Message is str(exception), possibly empty.
	Message string
	// Traceback is what Python would print, with chained causes and notes, ending in a newline.
	Traceback string
}

// Error returns "Type: Message".
func (e *Exception) Error() string {
	if e.Message == "" {
		return e.Type
	}
	return e.Type + ": " + e.Message
}

// FetchException takes the current exception, of whatever class (SystemExit and KeyboardInterrupt too), clears it and describes it; nil if
// there is none. It leaves no exception set, even where the exception's own code fails. The interpreter lock must be held. An addition.
func FetchException() *Exception {
	if PyErr_Occurred() == nil {
		return nil
	}
	t, v, tb := fetchNormalized()
	defer decRef(t, v, tb)
	defer PyErr_Clear()
	e := &Exception{Type: qualifiedName(t), Message: messageOf(v)}
	e.Traceback = tracebackOf(t, v, tb)
	if e.Traceback == "" {
		e.Traceback = e.Error() + "\n"
	}
	return e
}

func qualifiedName(class *PyObject) string {
	name := attrText(class, "__qualname__")
	if name == "" {
		name = "<unnamed exception>"
	}
	if module := attrText(class, "__module__"); module != "" && module != "builtins" {
		return module + "." + name
	}
	return name
}

func messageOf(v *PyObject) string {
	if v == nil {
		return ""
	}
	s := v.Str()
	if s == nil {
		PyErr_Clear()
		return "<exception str() failed>"
	}
	defer s.DecRef()
	return plainText(s)
}

// tracebackOf is "".join(traceback.format_exception(t, v, tb)), or "" if that fails.
func tracebackOf(t, v, tb *PyObject) string {
	if v == nil {
		return ""
	}
	if tb == nil {
		tb = Py_None
	}
	module := PyImport_ImportModule("traceback")
	if module == nil {
		PyErr_Clear()
		return ""
	}
	defer module.DecRef()
	lines := module.CallMethodArgs("format_exception", t, v, tb)
	if lines == nil {
		PyErr_Clear()
		return ""
	}
	defer lines.DecRef()
	var b strings.Builder
	for i := range PyList_Size(lines) {
		b.WriteString(plainText(PyList_GetItem(lines, i)))
	}
	return b.String()
}

func attrText(o *PyObject, name string) string {
	if o == nil {
		return ""
	}
	a := o.GetAttrString(name)
	if a == nil {
		PyErr_Clear()
		return ""
	}
	defer a.DecRef()
	return plainText(a)
}

// plainText gives "" for anything but a str, and leaves no exception set.
func plainText(o *PyObject) string {
	if o == nil {
		PyErr_Clear()
		return ""
	}
	s, ok := PyUnicode_AsText(o)
	if !ok {
		PyErr_Clear()
	}
	return s
}
