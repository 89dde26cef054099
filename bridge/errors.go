package bridge

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"
)

// The errors that callers can test for with errors.Is. Each is also a code on the wire.
var (
	// ErrInvalidArgument: Call, Start and Alloc refuse a parameter, a size or a configuration.
	ErrInvalidArgument = errors.New("invalid argument")
	// ErrInvalidTensor: Call and the views refuse a tensor's dtype, shape, offset, overlap or owner.
	ErrInvalidTensor = errors.New("invalid tensor")
	// ErrUnknownOp: Call names an op, kernel or case that the plugin does not offer.
	ErrUnknownOp = errors.New("unknown op")
	// ErrPluginNotFound: Start and FindPlugin find no program to run.
	ErrPluginNotFound = errors.New("plugin not found")
	// ErrPluginExited: any call whose plugin process ended; the chain holds an *ExitError.
	ErrPluginExited = errors.New("plugin exited")
	// ErrDeadlineExceeded: the plugin did not answer in time and was ended.
	ErrDeadlineExceeded = errors.New("deadline exceeded")
	// ErrCancelled: the caller's context was cancelled.
	ErrCancelled = errors.New("cancelled")
	// ErrCompileFailed: a kernel did not compile.
	ErrCompileFailed = errors.New("compile failed")
	// ErrUnsupportedHere: this host lacks something: a GPU, an operating system's call, memory, a package version.
	ErrUnsupportedHere = errors.New("unsupported here")
	// ErrPackageRejected: a package's files do not match its manifest, or this host does not match it.
	ErrPackageRejected = errors.New("package rejected")
	// ErrRemote: the op raised; the chain holds a *RemoteError.
	ErrRemote = errors.New("remote error")
)

// codes are the wire names of the sentinels. A code that is not here arrives as ErrRemote.
var codes = map[string]error{
	"invalid_argument":  ErrInvalidArgument,
	"invalid_tensor":    ErrInvalidTensor,
	"unknown_op":        ErrUnknownOp,
	"plugin_not_found":  ErrPluginNotFound,
	"plugin_exited":     ErrPluginExited,
	"deadline_exceeded": ErrDeadlineExceeded,
	"cancelled":         ErrCancelled,
	"compile_failed":    ErrCompileFailed,
	"unsupported_here":  ErrUnsupportedHere,
	"package_rejected":  ErrPackageRejected,
	"remote":            ErrRemote,
}

// Code returns the wire name of the first sentinel in err's chain, "remote" if there is none.
func Code(err error) string {
	for code, sentinel := range codes {
		if errors.Is(err, sentinel) {
			return code
		}
	}
	return "remote"
}

// ErrorFromCode is the inverse of Code: an error that reads as message and matches the code's sentinel. Code "remote", and
// a code that is not known here, give a *RemoteError with the exception's type and traceback.
func ErrorFromCode(code, message, exception, traceback string) error {
	sentinel, ok := codes[code]
	if !ok || sentinel == ErrRemote {
		return &RemoteError{Type: exception, Message: message, Traceback: traceback}
	}
	return Errorf(sentinel, "%s", message)
}

// RemoteError is an exception that an op raised.
type RemoteError struct {
	// Type is the qualified name, such as "ValueError" or "torch.OutOfMemoryError".
	Type string
	// Message is the exception's text.
	Message string
	// Traceback is the formatted traceback with chained causes; it may be empty.
	Traceback string
}

func (e *RemoteError) Error() string {
	if e.Type == "" {
		return e.Message
	}
	return e.Type + ": " + e.Message
}

// Unwrap returns ErrRemote.
func (e *RemoteError) Unwrap() error { return ErrRemote }

// ExitError says how a plugin process ended.
type ExitError struct {
	// Plugin is the plugin's name, Op the op that was running ("" if none).
	Plugin, Op string
	// Status is the exit status, or -1 when a signal ended the process.
	Status int
	// Signal is the fatal signal. A crash that the Go runtime reported on stderr counts, though the status is then 2.
	Signal syscall.Signal
	// After is how long the process had lived.
	After time.Duration
	// LastLines are the last lines on its stderr, oldest first.
	LastLines []string
}

func (e *ExitError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "plugin %s ", e.Plugin)
	switch {
	case e.Signal != 0:
		fmt.Fprintf(&b, "died of %s", signalName(e.Signal))
	default:
		fmt.Fprintf(&b, "exited with status %d", e.Status)
	}
	if e.Op != "" {
		fmt.Fprintf(&b, " while running op %s", e.Op)
	}
	if len(e.LastLines) > 0 {
		fmt.Fprintf(&b, "; its last lines:\n    %s", strings.Join(e.LastLines, "\n    "))
	}
	return b.String()
}

// Unwrap returns ErrPluginExited.
func (e *ExitError) Unwrap() error { return ErrPluginExited }

// failure is a sentinel with a sentence of its own.
type failure struct {
	sentinel error
	text     string
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.sentinel }

// Errorf returns an error that reads as the formatted text and matches sentinel, one of this package's errors.
func Errorf(sentinel error, format string, args ...any) error {
	return &failure{sentinel: sentinel, text: fmt.Sprintf(format, args...)}
}
