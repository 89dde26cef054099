package bridge

import (
	"errors"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// awaitExit returns when the child pid has exited, and leaves it to be reaped.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// continueOnParentExit makes the system wake a stopped plugin when the controller ends, so that its watch of the
// controller runs. SIGKILL instead would end the plugin before it could end what it started and remove its folder.
func continueOnParentExit(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = unix.SIGCONT }

// noCoreDumps keeps a crash of this process from writing its memory, tensors included, to disk.
func noCoreDumps() error {
	return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}

// stdoutToStderr makes file descriptor 1 a copy of 2, for Go, C and every child alike.
func stdoutToStderr() error {
	return unix.Dup3(2, 1, 0)
}

// onParentExit runs f once the process parent is gone, at once if it is gone already.
func onParentExit(parent int, f func()) error {
	fd, err := unix.PidfdOpen(parent, 0)
	if errors.Is(err, unix.ESRCH) || os.Getppid() != parent {
		go f()
		return nil
	}
	if err != nil {
		return Errorf(ErrUnsupportedHere, "cannot watch the controller: pidfd_open: %v", err)
	}
	go func() {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for {
			if _, err := unix.Poll(fds, -1); !errors.Is(err, unix.EINTR) {
				break
			}
		}
		f()
	}()
	return nil
}

// endGroup ends this process and, if it leads a process group, the whole group.
func endGroup() {
	if unix.Getpgrp() == os.Getpid() {
		_ = unix.Kill(0, unix.SIGKILL)
	}
	os.Exit(1)
}
