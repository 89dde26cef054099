package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/venv"
)

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
	}{
		{nil, 0},
		{fmt.Errorf("%w: 2 of 70 rows failed", errCheckFailed), 1},
		{usagef("--seed: expected a number"), 2},
		{bridge.Errorf(bridge.ErrInvalidArgument, "x"), 2},
		{bridge.Errorf(bridge.ErrInvalidTensor, "x"), 2},
		{bridge.Errorf(bridge.ErrUnknownOp, "x"), 2},
		{errEnvironment, 3},
		{bridge.Errorf(bridge.ErrPluginNotFound, "x"), 3},
		{bridge.Errorf(bridge.ErrUnsupportedHere, "x"), 3},
		{fmt.Errorf("python: %w", venv.ErrUnusable), 3},
		{&fs.PathError{Op: "write", Path: "out.json", Err: errors.New("no space left on device")}, 3},
		{&bridge.ExitError{Plugin: "tilelang"}, 4},
		{&bridge.RemoteError{Type: "ValueError"}, 4},
		{bridge.Errorf(bridge.ErrDeadlineExceeded, "x"), 4},
		{context.DeadlineExceeded, 4},
		{bridge.Errorf(bridge.ErrCompileFailed, "x"), 5},
		{bridge.Errorf(bridge.ErrPackageRejected, "x"), 5},
		{bridge.Errorf(bridge.ErrCancelled, "x"), 130},
		{errors.Join(&bridge.ExitError{Plugin: "tilelang"}, context.Canceled), 130},
	} {
		if got := exitStatus(c.err); got != c.status {
			t.Errorf("%v: expected %d, got %d", c.err, c.status, got)
		}
	}
}
