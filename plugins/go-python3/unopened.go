package python3

/*
#include "capi.h"
*/
import "C"

// python3Unopened is what every entry of the function table leads to before Open. The panic passes through C to the Go caller.
//
//export python3Unopened
func python3Unopened(name *C.char) {
	panic("python3: " + C.GoString(name) + ": no libpython is open, call Open first")
}
