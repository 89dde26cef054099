//go:build !unix

package command

import "os/exec"

// ownGroup does nothing: this system has no process groups, and cancellation ends the program alone.
func ownGroup(*exec.Cmd) {}
