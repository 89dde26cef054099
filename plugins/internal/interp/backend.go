// Package interp runs a Python module of ops inside a plugin process: it owns the interpreter, and with it the
// interpreter lock, the one thread that runs Python, exceptions, and the signal handlers that imports replace.
package interp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	python3 "github.com/DataDog/go-python3"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/venv"
)

// EnvPython names the environment variable with the venv's python.
const EnvPython = "LAYACTL_PYTHON"

// Backend serves a Python module's ops. The interpreter starts with the first call, after the handshake.
type Backend struct {
	module string

	start    sync.Once
	startErr error
	thread   *thread
	boundary *python3.PyObject // layabridge.boundary.Boundary; its methods are called with the lock held
	progress *progressPipe
	lastCall atomic.Int64
}

// NewBackend returns a backend for the module of that name, such as "layabridge.ops.tilelang".
func NewBackend(module string) *Backend { return &Backend{module: module} }

// ready starts the interpreter on first use.
func (b *Backend) ready(ctx context.Context) error {
	b.start.Do(func() { b.startErr = b.startInterpreter(ctx) })
	return b.startErr
}

func (b *Backend) startInterpreter(ctx context.Context) error {
	python := os.Getenv(EnvPython)
	if python == "" {
		return bridge.Errorf(bridge.ErrUnsupportedHere, "%s is not set: expected the path of a venv's python", EnvPython)
	}
	environment, err := venv.Inspect(ctx, python)
	if err != nil {
		return bridge.Errorf(bridge.ErrUnsupportedHere, "%v", err)
	}
	if b.progress, err = newProgressPipe(); err != nil {
		return err
	}
	b.thread, err = startThread(environment.LibPython, environment.Executable, b.importBoundary)
	return err
}

// importBoundary runs on the Python thread while the interpreter starts.
func (b *Backend) importBoundary() error {
	module := python3.PyImport_ImportModule("layabridge.boundary")
	if module == nil {
		exception := python3.FetchException()
		return bridge.Errorf(bridge.ErrUnsupportedHere, "the venv cannot import layabridge (%v); run `make setup`", exception)
	}
	defer module.DecRef()
	class := module.GetAttrString("Boundary")
	if class == nil {
		return raised()
	}
	defer class.DecRef()
	args := tuple(python3.PyUnicode_FromString(b.module), python3.PyLong_FromGoInt64(int64(b.progress.write.Fd())))
	defer args.DecRef()
	if b.boundary = class.CallObject(args); b.boundary == nil {
		return raised()
	}
	return nil
}

// Info imports the module of ops and describes it.
func (b *Backend) Info(ctx context.Context) (bridge.Info, error) {
	var info bridge.Info
	if err := b.ready(ctx); err != nil {
		return info, err
	}
	result, err := b.invoke(ctx, "info", func() *python3.PyObject { return python3.PyTuple_New(0) })
	if err != nil {
		return info, err
	}
	return info, json.Unmarshal(result, &info)
}

// Call runs one op.
func (b *Backend) Call(ctx context.Context, call *bridge.Invocation) (json.RawMessage, error) {
	if err := b.ready(ctx); err != nil {
		return nil, err
	}
	id := b.lastCall.Add(1)
	end := b.progress.listenTo(id, call.Progress)
	result, err := b.invoke(ctx, "call", func() *python3.PyObject {
		tensors := python3.PyTuple_New(len(call.Tensors))
		for i, t := range call.Tensors {
			python3.PyTuple_SetItem(tensors, i, operand(t))
		}
		return tuple(
			python3.PyLong_FromGoInt64(id), python3.PyUnicode_FromString(call.Op),
			python3.PyUnicode_FromString(string(call.Params)), tensors,
		)
	})
	if endErr := end(); err == nil {
		err = endErr
	}
	return result, err
}

// Close lets the process end. Python is not finalized: modules such as torch do not survive that reliably, and everything
// they hold goes with the process. What ops printed was flushed after each call.
func (b *Backend) Close() error { return nil }

// invoke calls a method of the boundary on the Python thread and opens its envelope. args runs with the lock held.
func (b *Backend) invoke(ctx context.Context, method string, args func() *python3.PyObject) (json.RawMessage, error) {
	var text string
	var err error
	ran := b.thread.do(ctx, func() {
		function := b.boundary.GetAttrString(method)
		if function == nil {
			err = raised()
			return
		}
		defer function.DecRef()
		tuple := args()
		defer tuple.DecRef()
		out := function.CallObject(tuple)
		if out == nil {
			err = raised()
			return
		}
		defer out.DecRef()
		text = python3.PyUnicode_AsUTF8(out)
	})
	if !ran {
		return nil, bridge.Errorf(bridge.ErrCancelled, "cancelled while waiting for the interpreter")
	}
	if err != nil {
		return nil, err
	}
	var envelope struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code      string `json:"code"`
			Type      string `json:"type"`
			Message   string `json:"message"`
			Traceback string `json:"traceback"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(text), &envelope); err != nil {
		return nil, fmt.Errorf("the boundary's answer: %w", err)
	}
	if e := envelope.Error; e != nil {
		return nil, bridge.ErrorFromCode(e.Code, e.Message, e.Type, e.Traceback)
	}
	return envelope.Result, nil
}

// operand is one tensor as the boundary takes it: (name, dtype, shape, memory, writable). A new reference.
func operand(t bridge.Operand) *python3.PyObject {
	shape := python3.PyTuple_New(len(t.Shape))
	for i, n := range t.Shape {
		python3.PyTuple_SetItem(shape, i, python3.PyLong_FromGoInt64(n))
	}
	writable := 0
	if t.Writable {
		writable = 1
	}
	return tuple(
		python3.PyUnicode_FromString(t.Name), python3.PyUnicode_FromString(t.DType.String()), shape,
		python3.PyMemoryView_FromMemory(t.Bytes, python3.PyBUF_WRITE), python3.PyBool_FromLong(writable),
	)
}

// tuple makes a tuple and takes the references it is given.
func tuple(items ...*python3.PyObject) *python3.PyObject {
	t := python3.PyTuple_New(len(items))
	for i, item := range items {
		python3.PyTuple_SetItem(t, i, item)
	}
	return t
}

// raised turns the current Python exception into a bridge error.
func raised() error {
	e := python3.FetchException()
	if e == nil {
		return &bridge.RemoteError{Type: "SystemError", Message: "a call failed without an exception"}
	}
	if e.Type == "KeyboardInterrupt" { // an interrupt that hit on the way out of the boundary
		return bridge.Errorf(bridge.ErrCancelled, "cancelled")
	}
	return &bridge.RemoteError{Type: e.Type, Message: e.Message, Traceback: e.Traceback}
}
