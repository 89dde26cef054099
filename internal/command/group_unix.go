//go:build unix

package command

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the program lead a process group, and its cancellation end that group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
