package bridgetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/layactl/layactl/bridge"
)

// The conformance ops; the package's comment says what each does.
const (
	opEcho      = "conform_echo"
	opDescribe  = "conform_describe"
	opIncrement = "conform_increment"
	opProgress  = "conform_progress"
	opFail      = "conform_fail"
	opWait      = "conform_wait"
	opExit      = "conform_exit"
)

var conformanceOps = []string{opEcho, opDescribe, opIncrement, opProgress, opFail, opWait, opExit}

func offersConformance(info bridge.Info) bool {
	for _, name := range conformanceOps {
		if !slices.ContainsFunc(info.Ops, func(op bridge.Op) bool { return op.Name == name }) {
			return false
		}
	}
	return true
}

// withOps are the checks that look into the plugin.
var withOps = []check{
	{name: "parameters and results arrive as they were", run: echo, ops: true},
	{name: "names, dtypes and shapes arrive as they were, in order", run: described, ops: true},
	{name: "every dtype and size is shared both ways", run: sharedBothWays, ops: true},
	{name: "every error code keeps its sentinel and text", run: everyCode, ops: true},
	{name: "an exception arrives with type, message and traceback", run: exception, ops: true},
	{name: "progress arrives in order, before the result", run: progressInOrder, ops: true},
	{name: "a call is cancelled in the middle, and the plugin goes on", run: cancelledInTheMiddle, ops: true},
	{name: "a deadline ends a call in the middle, and the plugin goes on", run: lateInTheMiddle, ops: true},
	{name: "32 callers at once change their own tensors only", run: concurrentTensors, ops: true},
	{name: "closing in the middle of a call ends the call", run: closeInTheMiddle, ops: true, fresh: true},
	{name: "the end of the process is plugin_exited with its status", run: death, ops: true, process: true, fresh: true},
}

func echo(c *checking) error {
	for _, value := range []string{`null`, `true`, `-7`, `1.5`, `"snowman ☃, quote \", zero \u0000"`, `[]`, `{"a":[{"b":null}]}`} {
		out, err := c.plugin.Call(c.ctx, bridge.Request{Op: opEcho, Params: map[string]json.RawMessage{"value": json.RawMessage(value)}})
		if err != nil {
			return failf("%s: %w", value, err)
		}
		var got, want any
		if err := errors.Join(json.Unmarshal(out, &got), json.Unmarshal([]byte(value), &want)); err != nil || !reflect.DeepEqual(got, want) {
			return failf("%s came back as %s (%v)", value, out, err)
		}
	}
	return nil
}

func described(c *checking) error {
	args, err := c.everyTensor()
	defer free(args)
	if err != nil {
		return err
	}
	out, err := c.plugin.Call(c.ctx, bridge.Request{Op: opDescribe, Tensors: args})
	if err != nil {
		return failf("%w", err)
	}
	var got []description
	if err := json.Unmarshal(out, &got); err != nil || len(got) != len(args) {
		return failf("expected %d descriptions, got %d (%v)", len(args), len(got), err)
	}
	for i, arg := range args {
		want := description{arg.Name, arg.DType().String(), arg.Shape(), arg.NumBytes(), arg.Write}
		if !reflect.DeepEqual(got[i], want) {
			return failf("tensor %d: expected %+v, got %+v", i, want, got[i])
		}
	}
	return nil
}

func sharedBothWays(c *checking) error {
	args, err := c.everyTensor()
	defer free(args)
	if err != nil {
		return err
	}
	for i := range args {
		args[i].Write = true
	}
	if _, err := c.plugin.Call(c.ctx, bridge.Request{Op: opIncrement, Tensors: args}); err != nil {
		return failf("%w", err)
	}
	return sameBytes(args, 1)
}

func everyCode(c *checking) error {
	for _, sentinel := range []error{
		bridge.ErrInvalidArgument, bridge.ErrInvalidTensor, bridge.ErrUnknownOp, bridge.ErrPluginNotFound, bridge.ErrPluginExited,
		bridge.ErrDeadlineExceeded, bridge.ErrCancelled, bridge.ErrCompileFailed, bridge.ErrUnsupportedHere, bridge.ErrPackageRejected, bridge.ErrRemote,
	} {
		_, err := c.fail(bridge.Code(sentinel), "expected 3 rows, got 5 ☃")
		if !errors.Is(err, sentinel) || !strings.Contains(err.Error(), "expected 3 rows, got 5 ☃") {
			return failf("code %s: expected %v with the text, got %v", bridge.Code(sentinel), sentinel, err)
		}
	}
	return nil
}

func (c *checking) fail(code, text string) (json.RawMessage, error) {
	return c.plugin.Call(c.ctx, bridge.Request{Op: opFail, Params: map[string]string{"code": code, "text": text}})
}

func exception(c *checking) error {
	_, err := c.fail("remote", "boom")
	var remote *bridge.RemoteError
	if !errors.As(err, &remote) || remote.Type != "ValueError" || remote.Message != "boom" || remote.Traceback == "" {
		return failf("expected a RemoteError of type ValueError with message and traceback, got %#v (%v)", remote, err)
	}
	return nil
}

func progressInOrder(c *checking) error {
	const count = 200
	var got []string
	_, err := c.plugin.Call(c.ctx, bridge.Request{
		Op: opProgress, Params: map[string]int{"count": count},
		Progress: func(p bridge.Progress) { got = append(got, p.Text) },
	})
	if err != nil {
		return failf("%w", err)
	}
	for i := range count {
		if i >= len(got) || got[i] != fmt.Sprint("step ", i) {
			return failf("expected %d steps in order, got %d: %.200q", count, len(got), got)
		}
	}
	return nil
}

// wait calls the op that waits and ends its context as end says once it does.
func (c *checking) wait(ctx context.Context, begun func()) error {
	_, err := c.plugin.Call(ctx, bridge.Request{Op: opWait, Progress: func(bridge.Progress) { begun() }})
	return err
}

func cancelledInTheMiddle(c *checking) error {
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	if err := expect("a cancelled call", c.wait(ctx, cancel), bridge.ErrCancelled); err != nil {
		return err
	}
	return c.goesOn()
}

func lateInTheMiddle(c *checking) error {
	ctx, cancel := context.WithTimeout(c.ctx, 500*time.Millisecond)
	defer cancel()
	if err := expect("a call past its deadline", c.wait(ctx, func() {}), bridge.ErrDeadlineExceeded); err != nil {
		return err
	}
	return c.goesOn()
}

func (c *checking) goesOn() error {
	out, err := c.plugin.Call(c.ctx, bridge.Request{Op: opEcho, Params: map[string]int{"value": 1}})
	if err != nil || !bytes.Equal(bytes.TrimSpace(out), []byte("1")) {
		return failf("the next call: expected 1, got %s, %v", out, err)
	}
	return nil
}

func concurrentTensors(c *checking) error {
	return together(func(i int) error {
		x, err := c.segment.Alloc(bridge.Uint8, 1000+int64(i))
		if err != nil {
			return err
		}
		defer x.Free()
		data, err := x.Bytes()
		if err != nil {
			return err
		}
		for j := range data {
			data[j] = byte(i)
		}
		for range 5 {
			if _, err := c.plugin.Call(c.ctx, bridge.Request{Op: opIncrement, Tensors: []bridge.Arg{{Name: "x", Tensor: x, Write: true}}}); err != nil {
				return failf("caller %d: %w", i, err)
			}
		}
		if j := slices.IndexFunc(data, func(b byte) bool { return b != byte(i+5) }); j >= 0 {
			return failf("caller %d: byte %d: expected %d, got %d", i, j, i+5, data[j])
		}
		return nil
	})
}

func closeInTheMiddle(c *checking) error {
	closed := make(chan error, 1)
	begun := func() { go func() { closed <- c.plugin.Close() }() }
	if err := expect("a call in flight", c.wait(c.ctx, begun), bridge.ErrPluginExited); err != nil {
		return err
	}
	if err := <-closed; err != nil {
		return failf("Close: %w", err)
	}
	return nil
}

func death(c *checking) error {
	_, err := c.plugin.Call(c.ctx, bridge.Request{Op: opExit, Params: map[string]int{"status": 7}})
	var exit *bridge.ExitError
	if !errors.Is(err, bridge.ErrPluginExited) || !errors.As(err, &exit) || exit.Status != 7 || exit.Op != opExit {
		return failf("expected an ExitError with status 7 and the op's name, got %v", err)
	}
	_, err = c.plugin.Call(c.ctx, bridge.Request{Op: opEcho})
	return expect("the next call", err, bridge.ErrPluginExited)
}
