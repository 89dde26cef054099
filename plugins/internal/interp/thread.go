package interp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"

	python3 "github.com/DataDog/go-python3"
)

// thread is the one OS thread that runs Python. Jobs queue for it in the order of their arrival.
type thread struct {
	jobs  chan *job
	ident uint64 // Python's name of the thread, for asynchronous exceptions

	mu      sync.Mutex
	running *job // the job that an interrupt may reach
}

type job struct {
	run  func()
	done chan struct{}
}

// startThread opens libpython on a new locked OS thread, starts the interpreter of the venv and runs setup with the
// interpreter lock held. The thread lives as long as the process: there is no way to unload CPython and the modules
// that torch brings.
func startThread(library, python string, setup func() error) (*thread, error) {
	t := &thread{jobs: make(chan *job)}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := t.initialize(library, python, setup)
		started <- err
		if err != nil {
			return
		}
		for j := range t.jobs {
			t.work(j)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return t, nil
}

func (t *thread) initialize(library, python string, setup func() error) error {
	python3.SaveSignalHandlers()
	if err := python3.Open(library); err != nil {
		return err
	}
	if err := python3.InitializeVenv(python3.VenvConfig{Python: python}); err != nil {
		return err
	}
	t.ident = python3.PyThread_get_thread_ident()
	err := setup()
	python3.PyEval_SaveThread()
	return errors.Join(err, restoreSignalHandlers())
}

func (t *thread) work(j *job) {
	defer close(j.done)
	python3.WithGIL(func() {
		t.setRunning(j)
		j.run()
		t.setRunning(nil)
		// An interrupt that came too late for this job must not hit the next one.
		python3.PyThreadState_SetAsyncExc(t.ident, nil)
	})
	if err := restoreSignalHandlers(); err != nil {
		fmt.Fprintln(os.Stderr, "[WARN] signal handlers:", err)
	}
}

// restoreSignalHandlers puts Go's handlers back. Imports replace them: TileLang's libtvm_ffi takes SIGSEGV and does not
// run on the alternate stack, CUDA takes the alternate stack off SIGINT. A crash would then not be reported by Go.
func restoreSignalHandlers() error {
	_, err := python3.RestoreSignalHandlers()
	return err
}

func (t *thread) setRunning(j *job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = j
}

// do runs f on the thread with the interpreter lock held. When ctx ends first, a job that waits is given up and one that
// runs gets a KeyboardInterrupt; do still returns only when it has let go. The result is false if f never ran.
func (t *thread) do(ctx context.Context, f func()) bool {
	j := &job{run: f, done: make(chan struct{})}
	select {
	case t.jobs <- j:
	case <-ctx.Done():
		return false
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		t.interrupt(j)
		<-j.done
	}
	return true
}

// interrupt raises KeyboardInterrupt in j at its next Python instruction. C code is not interrupted: then the caller's
// patience ends before j does, and it ends the process.
func (t *thread) interrupt(j *job) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	python3.WithGIL(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.running == j {
			python3.PyThreadState_SetAsyncExc(t.ident, python3.PyExc_KeyboardInterrupt)
		}
	})
}
