package bridge

import (
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// drainTime is how long the reason of an end is waited for after the end.
const drainTime = 250 * time.Millisecond

// process is a plugin's process, in a process group of its own. It is the runner that go-plugin works with, so that
// its end is seen at once, through wait, and so that whatever it started ends with it.
type process struct {
	name string
	cmd  *exec.Cmd

	stdout io.ReadCloser
	stderr *drainedPipe

	started time.Time
	exited  chan struct{} // closed when the process was reaped and its group killed; then the fields below are set
	state   *os.ProcessState
	ended   time.Time
}

func newProcess(name string, cmd *exec.Cmd) *process {
	return &process{name: name, cmd: cmd, exited: make(chan struct{})}
}

// Start starts the process on a thread of its own, which then waits for its end.
func (p *process) Start(context.Context) error {
	// Pipes of our own: cmd.StdoutPipe would make Wait race with go-plugin's readers.
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return err
	}
	errRead, errWrite, err := os.Pipe()
	if err != nil {
		outRead.Close()
		outWrite.Close()
		return err
	}
	defer outWrite.Close()
	defer errWrite.Close()
	p.stdout = outRead
	p.stderr = &drainedPipe{File: errRead, drained: make(chan struct{})}
	p.cmd.Stdin = nil // /dev/null: a background process group that read the terminal would be stopped
	p.cmd.Stdout = outWrite
	p.cmd.Stderr = errWrite
	ownGroup(p.cmd)
	continueOnParentExit(p.cmd)
	started := make(chan error)
	go func() {
		// The system takes the end of the thread that forks for the end of the parent: it must live as long as the process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		p.started = time.Now()
		started <- err
		if err == nil {
			p.wait()
		}
	}()
	if err := <-started; err != nil {
		outRead.Close()
		errRead.Close()
		return err
	}
	return nil
}

func (p *process) wait() {
	awaitExit(p.cmd.Process.Pid) // not reaped yet: the group's id cannot be another's while we kill it
	killGroup(p.cmd.Process)
	_ = p.cmd.Wait() // its error repeats the state
	p.state = p.cmd.ProcessState
	p.ended = time.Now()
	close(p.exited)
}

// Wait returns when the process is gone.
func (p *process) Wait(ctx context.Context) error {
	select {
	case <-p.exited:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Kill ends the process and its group and waits for the process. A process that never started is fine too.
func (p *process) Kill(ctx context.Context) error {
	if p.cmd.Process == nil {
		return nil
	}
	select {
	case <-p.exited:
		return nil
	default:
		killGroup(p.cmd.Process)
	}
	return p.Wait(ctx)
}

func (p *process) Stdout() io.ReadCloser { return p.stdout }
func (p *process) Stderr() io.ReadCloser { return p.stderr }
func (p *process) Name() string          { return p.name }

func (p *process) ID() string {
	if p.cmd.Process == nil {
		return ""
	}
	return strconv.Itoa(p.cmd.Process.Pid)
}

// Diagnose adds nothing: startError says what was found.
func (p *process) Diagnose(context.Context) string { return "" }

func (p *process) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

func (p *process) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// exitError describes the end of the process. It must have exited.
func (p *process) exitError(op string, lines *lastLines) *ExitError {
	select { // what it wrote last may still be on its way through the pipe, which something outside its group may hold open
	case <-p.stderr.drained:
	case <-time.After(drainTime):
	}
	e := &ExitError{Plugin: p.name, Op: op, Status: p.state.ExitCode(), After: p.ended.Sub(p.started)}
	if status, ok := p.state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.Signal = status.Signal()
	}
	e.LastLines = lines.last()
	if e.Status == goCrashStatus {
		if signal, around, ok := lines.goCrash(); ok {
			e.Signal, e.LastLines = signal, around
		}
	}
	return e
}

// drainedPipe tells when its reader has seen the end.
type drainedPipe struct {
	*os.File
	drained chan struct{}
	once    sync.Once
}

func (d *drainedPipe) Read(b []byte) (int, error) {
	n, err := d.File.Read(b)
	if err != nil {
		d.once.Do(func() {
			close(d.drained)
			d.File.Close()
		})
	}
	return n, err
}
