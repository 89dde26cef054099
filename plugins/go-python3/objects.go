package python3

// Objects of the library itself. All are nil before Open; all are borrowed references that live as long as the process (Python counts
// references to them like to any other object, so a reference given away must be taken first).
var (
	Py_None  *PyObject
	Py_True  *PyObject
	Py_False *PyObject
)

// Types; see Py_None for their lifetime.
var (
	Bool      *PyObject
	ByteArray *PyObject
	Bytes     *PyObject
	Complex   *PyObject
	Dict      *PyObject
	Float     *PyObject
	List      *PyObject
	Long      *PyObject
	Module    *PyObject
	Tuple     *PyObject
	Type      *PyObject
	Unicode   *PyObject
)

// Exception classes; see Py_None for their lifetime. PyExc_ConnectcionResetError is the original's spelling of PyExc_ConnectionResetError.
var (
	PyExc_BaseException          *PyObject
	PyExc_Exception              *PyObject
	PyExc_ArithmeticError        *PyObject
	PyExc_AssertionError         *PyObject
	PyExc_AttributeError         *PyObject
	PyExc_BlockingIOError        *PyObject
	PyExc_BrokenPipeError        *PyObject
	PyExc_BufferError            *PyObject
	PyExc_ChildProcessError      *PyObject
	PyExc_ConnectionAbortedError *PyObject
	PyExc_ConnectionError        *PyObject
	PyExc_ConnectionRefusedError *PyObject
	PyExc_ConnectcionResetError  *PyObject
	PyExc_EOFError               *PyObject
	PyExc_FileExistsError        *PyObject
	PyExc_FileNotFoundError      *PyObject
	PyExc_FloatingPointError     *PyObject
	PyExc_GeneratorExit          *PyObject
	PyExc_ImportError            *PyObject
	PyExc_IndentationError       *PyObject
	PyExc_IndexError             *PyObject
	PyExc_InterruptedError       *PyObject
	PyExc_IsADirectoryError      *PyObject
	PyExc_KeyError               *PyObject
	PyExc_KeyboardInterrupt      *PyObject
	PyExc_LookupError            *PyObject
	PyExc_MemoryError            *PyObject
	PyExc_ModuleNotFoundError    *PyObject
	PyExc_NameError              *PyObject
	PyExc_NotADirectoryError     *PyObject
	PyExc_NotImplementedError    *PyObject
	PyExc_OSError                *PyObject
	PyExc_OverflowError          *PyObject
	PyExc_PermissionError        *PyObject
	PyExc_ProcessLookupError     *PyObject
	PyExc_RecursionError         *PyObject
	PyExc_ReferenceError         *PyObject
	PyExc_RuntimeError           *PyObject
	PyExc_StopAsyncIteration     *PyObject
	PyExc_StopIteration          *PyObject
	PyExc_SyntaxError            *PyObject
	PyExc_SystemError            *PyObject
	PyExc_SystemExit             *PyObject
	PyExc_TabError               *PyObject
	PyExc_TimeoutError           *PyObject
	PyExc_TypeError              *PyObject
	PyExc_UnboundLocalError      *PyObject
	PyExc_UnicodeDecodeError     *PyObject
	PyExc_UnicodeEncodeError     *PyObject
	PyExc_UnicodeError           *PyObject
	PyExc_UnicodeTranslateError  *PyObject
	PyExc_ValueError             *PyObject
	PyExc_ZeroDivisionError      *PyObject
	PyExc_ConnectionResetError   *PyObject
)

// Warning classes; see Py_None for their lifetime.
var (
	PyExc_Warning                   *PyObject
	PyExc_BytesWarning              *PyObject
	PyExc_DeprecationWarning        *PyObject
	PyExc_FutureWarning             *PyObject
	PyExc_ImportWarning             *PyObject
	PyExc_PendingDeprecationWarning *PyObject
	PyExc_ResourceWarning           *PyObject
	PyExc_RuntimeWarning            *PyObject
	PyExc_SyntaxWarning             *PyObject
	PyExc_UnicodeWarning            *PyObject
	PyExc_UserWarning               *PyObject
)

// objects says where each variable comes from: pointer means that the symbol holds a pointer to the object, otherwise it is the object.
var objects = []struct {
	name    string
	pointer bool
	to      **PyObject
}{
	{"_Py_NoneStruct", false, &Py_None},
	{"_Py_TrueStruct", false, &Py_True},
	{"_Py_FalseStruct", false, &Py_False},
	{"PyBool_Type", false, &Bool},
	{"PyByteArray_Type", false, &ByteArray},
	{"PyBytes_Type", false, &Bytes},
	{"PyComplex_Type", false, &Complex},
	{"PyDict_Type", false, &Dict},
	{"PyFloat_Type", false, &Float},
	{"PyList_Type", false, &List},
	{"PyLong_Type", false, &Long},
	{"PyModule_Type", false, &Module},
	{"PyTuple_Type", false, &Tuple},
	{"PyType_Type", false, &Type},
	{"PyUnicode_Type", false, &Unicode},
	{"PyExc_BaseException", true, &PyExc_BaseException},
	{"PyExc_Exception", true, &PyExc_Exception},
	{"PyExc_ArithmeticError", true, &PyExc_ArithmeticError},
	{"PyExc_AssertionError", true, &PyExc_AssertionError},
	{"PyExc_AttributeError", true, &PyExc_AttributeError},
	{"PyExc_BlockingIOError", true, &PyExc_BlockingIOError},
	{"PyExc_BrokenPipeError", true, &PyExc_BrokenPipeError},
	{"PyExc_BufferError", true, &PyExc_BufferError},
	{"PyExc_ChildProcessError", true, &PyExc_ChildProcessError},
	{"PyExc_ConnectionAbortedError", true, &PyExc_ConnectionAbortedError},
	{"PyExc_ConnectionError", true, &PyExc_ConnectionError},
	{"PyExc_ConnectionRefusedError", true, &PyExc_ConnectionRefusedError},
	{"PyExc_ConnectionResetError", true, &PyExc_ConnectcionResetError},
	{"PyExc_EOFError", true, &PyExc_EOFError},
	{"PyExc_FileExistsError", true, &PyExc_FileExistsError},
	{"PyExc_FileNotFoundError", true, &PyExc_FileNotFoundError},
	{"PyExc_FloatingPointError", true, &PyExc_FloatingPointError},
	{"PyExc_GeneratorExit", true, &PyExc_GeneratorExit},
	{"PyExc_ImportError", true, &PyExc_ImportError},
	{"PyExc_IndentationError", true, &PyExc_IndentationError},
	{"PyExc_IndexError", true, &PyExc_IndexError},
	{"PyExc_InterruptedError", true, &PyExc_InterruptedError},
	{"PyExc_IsADirectoryError", true, &PyExc_IsADirectoryError},
	{"PyExc_KeyError", true, &PyExc_KeyError},
	{"PyExc_KeyboardInterrupt", true, &PyExc_KeyboardInterrupt},
	{"PyExc_LookupError", true, &PyExc_LookupError},
	{"PyExc_MemoryError", true, &PyExc_MemoryError},
	{"PyExc_ModuleNotFoundError", true, &PyExc_ModuleNotFoundError},
	{"PyExc_NameError", true, &PyExc_NameError},
	{"PyExc_NotADirectoryError", true, &PyExc_NotADirectoryError},
	{"PyExc_NotImplementedError", true, &PyExc_NotImplementedError},
	{"PyExc_OSError", true, &PyExc_OSError},
	{"PyExc_OverflowError", true, &PyExc_OverflowError},
	{"PyExc_PermissionError", true, &PyExc_PermissionError},
	{"PyExc_ProcessLookupError", true, &PyExc_ProcessLookupError},
	{"PyExc_RecursionError", true, &PyExc_RecursionError},
	{"PyExc_ReferenceError", true, &PyExc_ReferenceError},
	{"PyExc_RuntimeError", true, &PyExc_RuntimeError},
	{"PyExc_StopAsyncIteration", true, &PyExc_StopAsyncIteration},
	{"PyExc_StopIteration", true, &PyExc_StopIteration},
	{"PyExc_SyntaxError", true, &PyExc_SyntaxError},
	{"PyExc_SystemError", true, &PyExc_SystemError},
	{"PyExc_SystemExit", true, &PyExc_SystemExit},
	{"PyExc_TabError", true, &PyExc_TabError},
	{"PyExc_TimeoutError", true, &PyExc_TimeoutError},
	{"PyExc_TypeError", true, &PyExc_TypeError},
	{"PyExc_UnboundLocalError", true, &PyExc_UnboundLocalError},
	{"PyExc_UnicodeDecodeError", true, &PyExc_UnicodeDecodeError},
	{"PyExc_UnicodeEncodeError", true, &PyExc_UnicodeEncodeError},
	{"PyExc_UnicodeError", true, &PyExc_UnicodeError},
	{"PyExc_UnicodeTranslateError", true, &PyExc_UnicodeTranslateError},
	{"PyExc_ValueError", true, &PyExc_ValueError},
	{"PyExc_ZeroDivisionError", true, &PyExc_ZeroDivisionError},
	{"PyExc_ConnectionResetError", true, &PyExc_ConnectionResetError},
	{"PyExc_Warning", true, &PyExc_Warning},
	{"PyExc_BytesWarning", true, &PyExc_BytesWarning},
	{"PyExc_DeprecationWarning", true, &PyExc_DeprecationWarning},
	{"PyExc_FutureWarning", true, &PyExc_FutureWarning},
	{"PyExc_ImportWarning", true, &PyExc_ImportWarning},
	{"PyExc_PendingDeprecationWarning", true, &PyExc_PendingDeprecationWarning},
	{"PyExc_ResourceWarning", true, &PyExc_ResourceWarning},
	{"PyExc_RuntimeWarning", true, &PyExc_RuntimeWarning},
	{"PyExc_SyntaxWarning", true, &PyExc_SyntaxWarning},
	{"PyExc_UnicodeWarning", true, &PyExc_UnicodeWarning},
	{"PyExc_UserWarning", true, &PyExc_UserWarning},
}
