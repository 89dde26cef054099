package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.uber.org/zap"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/venv"
)

// Exit statuses.
const (
	exitOK          = 0
	exitCheckFailed = 1
	exitUsage       = 2
	exitEnvironment = 3
	exitPlugin      = 4
	exitCompile     = 5
	exitCancelled   = 130
)

// errCheckFailed is a verdict: everything ran, and something was found that must not be. Verbs wrap it with what.
var errCheckFailed = errors.New("check failed")

// errEnvironment is a verb's finding that this host lacks something. Verbs wrap it with what.
var errEnvironment = errors.New("environment incomplete")

// usageError is a command line that cannot be followed.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usagef returns an error that ends layactl with exitUsage.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitTable gives each kind of error its status. The first match counts: a cancelled call may end in other errors too.
var exitTable = []struct {
	kind   error
	status int
}{
	{context.Canceled, exitCancelled},
	{bridge.ErrCancelled, exitCancelled},
	{errCheckFailed, exitCheckFailed},
	{errEnvironment, exitEnvironment},
	{bridge.ErrCompileFailed, exitCompile},
	{bridge.ErrPackageRejected, exitCompile},
	{bridge.ErrPluginExited, exitPlugin},
	{bridge.ErrDeadlineExceeded, exitPlugin},
	{context.DeadlineExceeded, exitPlugin},
	{bridge.ErrRemote, exitPlugin},
	{venv.ErrUnusable, exitEnvironment},
	{bridge.ErrPluginNotFound, exitEnvironment},
	{bridge.ErrUnsupportedHere, exitEnvironment},
	{bridge.ErrInvalidArgument, exitUsage},
	{bridge.ErrInvalidTensor, exitUsage},
	{bridge.ErrUnknownOp, exitUsage},
}

// exitStatus returns the status for err. What the table does not know, such as a full disk, is this host's fault.
func exitStatus(err error) int {
	if err == nil {
		return exitOK
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	for _, row := range exitTable {
		if errors.Is(err, row.kind) {
			return row.status
		}
	}
	return exitEnvironment
}

// exit tells the user what went wrong and returns the exit status.
func (a *app) exit(err error) int {
	status := exitStatus(err)
	switch {
	case err == nil:
	case status == exitCancelled:
		fmt.Fprintln(a.stderr, "layactl: cancelled")
	default:
		fmt.Fprintln(a.stderr, "layactl: "+strings.TrimSpace(err.Error()))
		a.explain(err)
	}
	return status
}

// explain adds the Python traceback where there is one and the verb or the log level asks for it.
func (a *app) explain(err error) {
	remote, ok := errors.AsType[*bridge.RemoteError](err)
	if !ok || remote.Traceback == "" {
		return
	}
	if a.tracebacks || a.log.Core().Enabled(zap.DebugLevel) {
		fmt.Fprintln(a.stderr, strings.TrimSpace(remote.Traceback))
	} else {
		fmt.Fprintln(a.stderr, "(--log-level debug shows the Python traceback)")
	}
}
