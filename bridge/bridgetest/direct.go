package bridgetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/layactl/layactl/bridge"
)

// Direct returns backend as a Plugin that is called in this process, without a wire and without a copy: for tests of a
// backend's own ops, and of programs that use one. The segment's tensors are the backend's operands.
func Direct(backend bridge.Backend, segment *bridge.Segment) Plugin {
	life, end := context.WithCancel(context.Background())
	return &direct{backend: backend, segment: segment, life: life, end: end}
}

type direct struct {
	backend bridge.Backend
	segment *bridge.Segment
	life    context.Context // ends with Close
	end     context.CancelFunc
	close   sync.Once
	err     error
}

func (d *direct) Info(ctx context.Context) (bridge.Info, error) {
	if d.life.Err() != nil {
		return bridge.Info{}, errClosed()
	}
	return d.backend.Info(ctx)
}

func (d *direct) Call(ctx context.Context, request bridge.Request) (json.RawMessage, error) {
	call, err := d.invocation(request)
	switch {
	case err != nil:
		return nil, err
	case d.life.Err() != nil:
		return nil, errClosed()
	case ctx.Err() != nil:
		return nil, contextError(ctx)
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.life, cancel)()
	result, err := d.backend.Call(inner, call)
	switch {
	case err == nil || !errors.Is(err, bridge.ErrCancelled):
		return result, err
	case d.life.Err() != nil:
		return nil, errClosed()
	case ctx.Err() != nil:
		return nil, contextError(ctx)
	default:
		return nil, err
	}
}

func (d *direct) invocation(request bridge.Request) (*bridge.Invocation, error) {
	call := &bridge.Invocation{Op: request.Op, Params: json.RawMessage("{}"), Progress: request.Progress}
	if call.Progress == nil {
		call.Progress = func(bridge.Progress) {}
	}
	if request.Params != nil {
		params, err := json.Marshal(request.Params)
		if err != nil || params[0] != '{' {
			return nil, bridge.Errorf(bridge.ErrInvalidArgument, "parameters: expected a JSON object, got %.40s (%v)", params, err)
		}
		call.Params = params
	}
	for _, arg := range request.Tensors {
		if arg.Tensor == nil || !d.segment.Holds(arg.Tensor) {
			return nil, bridge.Errorf(bridge.ErrInvalidTensor, "tensor %q: expected a tensor of the plugin's segment", arg.Name)
		}
		data, err := arg.Bytes()
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", arg.Name, err)
		}
		call.Tensors = append(call.Tensors, bridge.Operand{Name: arg.Name, DType: arg.DType(), Shape: arg.Shape(), Bytes: data, Writable: arg.Write})
	}
	return call, nil
}

// Close ends the calls in flight and closes the backend.
func (d *direct) Close() error {
	d.close.Do(func() {
		d.end()
		d.err = d.backend.Close()
	})
	return d.err
}

func errClosed() error { return bridge.Errorf(bridge.ErrPluginExited, "the plugin is closed") }

func contextError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return bridge.Errorf(bridge.ErrDeadlineExceeded, "deadline exceeded")
	}
	return bridge.Errorf(bridge.ErrCancelled, "cancelled")
}
