// Package command runs a program to its end or to its deadline, together with everything that it started.
package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// ErrDeadline is what Run returns, wrapped, when a program did not end in time. The program is gone by then.
var ErrDeadline = errors.New("did not end in time")

// keptOutput limits what Run keeps of each stream. A program that prints more is let run on.
const keptOutput = 1 << 20

// pipeGrace is how long Run waits for streams that a left-over grandchild holds open.
const pipeGrace = time.Second

// Spec says what to run.
type Spec struct {
	// Args are the program, a path or a name on PATH, and its arguments.
	Args []string
	// Dir is the working folder. Default: this process's.
	Dir string
	// Env is the whole environment. Default: this process's.
	Env []string
	// Timeout ends the program. Zero means no deadline of its own; that of the context always holds.
	Timeout time.Duration
}

// Output is what a program printed, each stream's first 1 MiB.
type Output struct{ Stdout, Stderr []byte }

// Run runs a program. Its error reads as a sentence with the program's name: how it ended and its last line on
// stderr. It matches ErrDeadline, the context's error, or *exec.ExitError. Whatever the program started in its own
// process group ends with it when the deadline or the context does.
func Run(ctx context.Context, spec Spec) (Output, error) {
	outer := ctx
	if spec.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, spec.Timeout)
		defer cancel()
	}
	var stdout, stderr head
	cmd := exec.CommandContext(ctx, spec.Args[0], spec.Args[1:]...)
	cmd.Dir, cmd.Env = spec.Dir, spec.Env
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = pipeGrace
	ownGroup(cmd)
	err := cmd.Run()
	out := Output{stdout.kept.Bytes(), stderr.kept.Bytes()}
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return out, nil
	case outer.Err() != nil:
		return out, fmt.Errorf("%s: %w", spec.Args[0], outer.Err())
	case ctx.Err() != nil:
		return out, fmt.Errorf("%s %w: ended after %v", spec.Args[0], ErrDeadline, spec.Timeout)
	}
	if line := lastLine(out.Stderr); line != "" {
		return out, fmt.Errorf("%s: %w: %s", spec.Args[0], err, line)
	}
	return out, fmt.Errorf("%s: %w", spec.Args[0], err)
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// head keeps the first keptOutput bytes and swallows the rest.
type head struct{ kept bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	h.kept.Write(p[:min(len(p), keptOutput-h.kept.Len())])
	return len(p), nil
}
