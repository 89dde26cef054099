package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/layactl/layactl/bridge/internal/pb"
)

// Request is one call of an op.
type Request struct {
	// Op is the op's name.
	Op string
	// Params is marshalled to a JSON object. Nil stands for no parameters.
	Params any
	// Tensors are handed over in this order. They must belong to the plugin's segment.
	Tensors []Arg
	// Progress, if not nil, is called for every progress event, from the goroutine of Call.
	Progress func(Progress)
}

// Arg is one tensor of a call.
type Arg struct {
	Name string
	*Tensor
	// Write lets the op write to the tensor.
	Write bool
}

// Call runs an op and returns its result, a JSON value. It returns when the op has let go of the tensors.
//
// Errors: the op's own, with its code; ErrRemote with a *RemoteError when it raised; ErrInvalidTensor before anything is
// sent when a tensor is freed or of another segment; ErrPluginExited with an *ExitError when the process ended;
// ErrDeadlineExceeded or ErrCancelled when ctx ended. An op that then does not return within CancelGrace is ended with
// its process, and the error says so.
func (p *Plugin) Call(ctx context.Context, request Request) (json.RawMessage, error) {
	wire, err := p.requestToWire(request)
	if err != nil {
		return nil, fmt.Errorf("op %s: %w", request.Op, err)
	}
	if ctx.Err() != nil {
		return nil, contextError(ctx, "op "+request.Op)
	}
	// The stream outlives ctx: a cancelled op still has to say that it has let go.
	streamCtx, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	stream, err := p.remote.Call(streamCtx)
	if err == nil {
		err = stream.Send(&pb.CallInput{Input: &pb.CallInput_Request{Request: wire}})
	}
	if err != nil && !errors.Is(err, io.EOF) { // EOF: the reason comes from Recv
		return nil, p.lost(request.Op, err)
	}
	c := &call{plugin: p, request: request, stream: stream}
	stop := context.AfterFunc(ctx, c.cancel)
	defer stop()
	result, err := c.receive()
	switch {
	case err == nil || ctx.Err() == nil:
		return result, err
	case c.ended.Load():
		return nil, fmt.Errorf("%w; it did not stop within %v, so plugin %s was ended",
			contextError(ctx, "op "+request.Op+c.lastStep()), p.config.CancelGrace, p.config.Name)
	case errors.Is(err, ErrCancelled):
		return nil, contextError(ctx, "op "+request.Op+c.lastStep())
	default: // it failed by itself at the same time
		return nil, err
	}
}

func (p *Plugin) requestToWire(request Request) (*pb.CallRequest, error) {
	wire := &pb.CallRequest{Op: request.Op}
	if request.Params != nil {
		params, err := json.Marshal(request.Params)
		if err != nil {
			return nil, Errorf(ErrInvalidArgument, "parameters: %v", err)
		}
		if len(params) == 0 || params[0] != '{' {
			return nil, Errorf(ErrInvalidArgument, "parameters: expected a JSON object, got %.40s", params)
		}
		wire.Params = params
	}
	for _, arg := range request.Tensors {
		if p.config.Segment == nil {
			return nil, Errorf(ErrInvalidTensor, "tensor %q: plugin %s was started without a segment", arg.Name, p.config.Name)
		}
		d, err := p.config.Segment.descriptor(arg.Tensor)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", arg.Name, err)
		}
		wire.Tensors = append(wire.Tensors, descriptorToWire(arg.Name, d, arg.Write))
	}
	return wire, nil
}

// call is one op in flight.
type call struct {
	plugin  *Plugin
	request Request
	stream  grpc.BidiStreamingClient[pb.CallInput, pb.CallEvent]
	step    string      // text of the last progress event; receive's own
	ended   atomic.Bool // the process was killed because this call did not stop
}

// cancel asks the op to stop and ends the process if it does not.
func (c *call) cancel() {
	_ = c.stream.Send(&pb.CallInput{Input: &pb.CallInput_Cancel{Cancel: &pb.Cancel{}}}) // a broken stream is seen by receive
	select {
	case <-c.stream.Context().Done():
	case <-c.plugin.process.exited:
	case <-time.After(c.plugin.config.CancelGrace):
		c.ended.Store(true)
		c.plugin.kill()
	}
}

// receive reads events up to the last one.
func (c *call) receive() (json.RawMessage, error) {
	for {
		event, err := c.stream.Recv()
		if err != nil {
			return nil, c.plugin.lost(c.request.Op, err)
		}
		switch e := event.Event.(type) {
		case *pb.CallEvent_Progress:
			c.step = e.Progress.Text
			if c.request.Progress != nil {
				c.request.Progress(Progress{Text: e.Progress.Text, Fraction: e.Progress.Fraction})
			}
		case *pb.CallEvent_Result:
			return e.Result, nil
		case *pb.CallEvent_Error:
			return nil, fmt.Errorf("op %s: %w", c.request.Op, fromWire(e.Error))
		}
	}
}

func (c *call) lastStep() string {
	if c.step == "" {
		return ""
	}
	return " at step \"" + c.step + "\""
}
