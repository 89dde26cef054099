//go:build !linux

package bridge

import (
	"os"
	"os/exec"
	"runtime"
)

func awaitExit(int) {}

func continueOnParentExit(*exec.Cmd) {}

func noCoreDumps() error { return nil }

func stdoutToStderr() error { return nil }

func onParentExit(int, func()) error {
	return Errorf(ErrUnsupportedHere, "plugins need Linux, this is %s", runtime.GOOS)
}

func endGroup() { os.Exit(1) }
