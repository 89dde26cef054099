package python3

/*
#include "handlers.h"
*/
import "C"

import (
	"fmt"
	"math/bits"
	"sync"
	"syscall"
)

// ReplacedHandler is a signal whose handler RestoreSignalHandlers found replaced.
type ReplacedHandler struct {
	Signal syscall.Signal
	// OnStackLost: the replacement ran without SA_ONSTACK, on whatever stack was current. On a goroutine's stack that ends a Go program.
	OnStackLost bool
}

// FatalSignals are the signals that a fault in Python or in C raises; an argument for RestoreSignalHandlers. Do not change it.
var FatalSignals = []syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGABRT}

var handlers struct {
	sync.Mutex
	saved bool
}

// SaveSignalHandlers keeps the handlers of all signals, for RestoreSignalHandlers. Call it before Python starts, when Go's handlers are in place,
// and again after changing one on purpose (os/signal.Ignore, os/signal.Reset). It may be called from any goroutine. An addition.
func SaveSignalHandlers() {
	handlers.Lock()
	defer handlers.Unlock()
	C.python3_save_handlers()
	handlers.saved = true
}

func signalHandlersSaved() bool {
	handlers.Lock()
	defer handlers.Unlock()
	return handlers.saved
}

// RestoreSignalHandlers puts back every handler that differs from the one kept by SaveSignalHandlers, with its flags and mask, and returns the
// signals it did that for, in ascending order. With arguments it looks at those signals only, which is cheaper. Python code, faulthandler and
// native libraries (libtvm_ffi takes SIGSEGV at import) replace handlers: call it after imports and calls.
//
// A handler that Go itself has installed since (os/signal.Notify, the profiler) stays. The error wraps ErrSignals if nothing was saved, or the
// system's refusal. It needs neither the interpreter lock nor an open library, and may be called from any goroutine. An addition.
func RestoreSignalHandlers(only ...syscall.Signal) ([]ReplacedHandler, error) {
	handlers.Lock()
	defer handlers.Unlock()
	if !handlers.saved {
		return nil, fmt.Errorf("%w: call SaveSignalHandlers first", ErrSignals)
	}
	among := ^uint64(0)
	if len(only) > 0 {
		among = 0
		for _, s := range only {
			among |= 1 << (s - 1)
		}
	}
	var changed C.struct_python3_handlers
	if errno := C.python3_restore_handlers(C.uint64_t(among), &changed); errno != 0 {
		return nil, fmt.Errorf("python3: restoring signal handlers: %w", syscall.Errno(errno))
	}
	if changed.replaced == 0 {
		return nil, nil
	}
	var found []ReplacedHandler
	for left := uint64(changed.replaced); left != 0; left &= left - 1 {
		bit := bits.TrailingZeros64(left)
		lost := uint64(changed.lost_onstack)&(1<<bit) != 0
		found = append(found, ReplacedHandler{Signal: syscall.Signal(bit + 1), OnStackLost: lost})
	}
	return found, nil
}
