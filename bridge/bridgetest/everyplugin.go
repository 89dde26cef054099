package bridgetest

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/layactl/layactl/bridge"
)

// nowhere is an op that no plugin offers.
const nowhere = "no_such_op_for_the_conformance_suite"

// odd are sizes in bytes at which things go wrong: nothing, one, and one more than gRPC's default limit.
var odd = []int64{0, 1, 4<<20 + 1}

// everyPlugin are the checks that need nothing but the contract.
var everyPlugin = []check{
	{name: "Info is complete, and the same twice", run: infoIsComplete},
	{name: "an unknown op is unknown_op", run: unknownOp},
	{name: "parameters that are no object are invalid_argument", run: paramsMustBeAnObject},
	{name: "5 MiB of parameters pass", run: longParams},
	{name: "tensors that are freed, or of another segment, are invalid_tensor", run: badTensors},
	{name: "tensors of every dtype and odd sizes pass untouched", run: tensorsPass},
	{name: "a call that is cancelled before it starts is cancelled", run: cancelledBefore},
	{name: "a call whose deadline has passed is deadline_exceeded", run: lateBefore},
	{name: "32 callers at once get their answers", run: concurrentUnknown},
	{name: "it closes twice, and then calls fail with plugin_exited", run: closeTwice, fresh: true},
	{name: "it starts again and offers the same", run: restart, fresh: true},
}

func infoIsComplete(c *checking) error {
	info, err := c.plugin.Info(c.ctx)
	if err != nil {
		return failf("Info: %w", err)
	}
	if info.Name == "" || len(info.Ops) == 0 {
		return failf("expected a name and at least one op, got %q and %d", info.Name, len(info.Ops))
	}
	seen := map[string]bool{}
	for _, op := range info.Ops {
		if op.Name == "" || seen[op.Name] {
			return failf("op %q: expected a name that no other op has", op.Name)
		}
		seen[op.Name] = true
		for _, p := range op.Parameters {
			if p.Name == "" || p.Type == "" {
				return failf("op %s: parameter %q: expected a name and a type, got type %q", op.Name, p.Name, p.Type)
			}
			if p.Default != nil && !json.Valid(p.Default) {
				return failf("op %s: parameter %s: expected a default in JSON, got %q", op.Name, p.Name, p.Default)
			}
		}
	}
	again, err := c.plugin.Info(c.ctx)
	if err != nil || !reflect.DeepEqual(info, again) {
		return failf("a second Info: expected %+v, got %+v, %v", info, again, err)
	}
	return nil
}

// expect compares what a call returned with the error it must return.
func expect(what string, err, want error) error {
	if want == nil && err != nil || !errors.Is(err, want) {
		return failf("%s: expected %v, got %v", what, want, err)
	}
	return nil
}

func unknownOp(c *checking) error {
	for _, op := range []string{nowhere, "", "op with spaces ☃"} {
		_, err := c.plugin.Call(c.ctx, bridge.Request{Op: op})
		if err := expect("op "+op, err, bridge.ErrUnknownOp); err != nil {
			return err
		}
	}
	return nil
}

func paramsMustBeAnObject(c *checking) error {
	for _, params := range []any{[]int{1}, "text", 3, json.RawMessage("null"), json.RawMessage("{")} {
		_, err := c.plugin.Call(c.ctx, bridge.Request{Op: nowhere, Params: params})
		if err := expect("parameters", err, bridge.ErrInvalidArgument); err != nil {
			return err
		}
	}
	return nil
}

func longParams(c *checking) error {
	_, err := c.plugin.Call(c.ctx, bridge.Request{Op: nowhere, Params: map[string]string{"text": strings.Repeat("x", 5<<20)}})
	return expect("5 MiB", err, bridge.ErrUnknownOp)
}

func badTensors(c *checking) error {
	other, err := bridge.NewSegment(1 << 20)
	if err != nil {
		return err
	}
	defer other.Close()
	foreign, err := other.Alloc(bridge.Float32, 1)
	if err != nil {
		return err
	}
	freed, err := c.segment.Alloc(bridge.Float32, 1)
	if err != nil {
		return err
	}
	freed.Free()
	for what, tensor := range map[string]*bridge.Tensor{"nil": nil, "a freed tensor": freed, "a tensor of another segment": foreign} {
		_, err := c.plugin.Call(c.ctx, bridge.Request{Op: nowhere, Tensors: []bridge.Arg{{Name: "x", Tensor: tensor}}})
		if err := expect(what, err, bridge.ErrInvalidTensor); err != nil {
			return err
		}
	}
	return nil
}

func tensorsPass(c *checking) error {
	args, err := c.everyTensor()
	defer free(args)
	if err != nil {
		return err
	}
	_, err = c.plugin.Call(c.ctx, bridge.Request{Op: nowhere, Tensors: args})
	if err := expect("an unknown op with tensors", err, bridge.ErrUnknownOp); err != nil {
		return err
	}
	return sameBytes(args, 0)
}

// everyTensor allocates a tensor of every dtype in each odd size, a scalar and an empty matrix, and fills them.
func (c *checking) everyTensor() ([]bridge.Arg, error) {
	var args []bridge.Arg
	add := func(d bridge.DType, shape ...int64) error {
		tensor, err := c.segment.Alloc(d, shape...)
		if err != nil {
			return err
		}
		args = append(args, bridge.Arg{Name: tensor.String(), Tensor: tensor, Write: len(args)%2 == 0})
		data, err := tensor.Bytes()
		for i := range data {
			data[i] = byte(i % 251)
		}
		return err
	}
	for _, d := range bridge.DTypes() {
		for _, n := range odd {
			if err := add(d, (n+d.Size()-1)/d.Size()); err != nil {
				return args, err
			}
		}
		if err := errors.Join(add(d), add(d, 128, 0), add(d, 3, 1, 5)); err != nil {
			return args, err
		}
	}
	return args, nil
}

func free(args []bridge.Arg) {
	for _, arg := range args {
		arg.Free()
	}
}

// sameBytes checks that every byte is what everyTensor wrote, plus a number.
func sameBytes(args []bridge.Arg, plus byte) error {
	for _, arg := range args {
		data, err := arg.Bytes()
		if err != nil {
			return err
		}
		for i, b := range data {
			if want := byte(i%251) + plus; b != want {
				return failf("%s: byte %d: expected %d, got %d", arg.Name, i, want, b)
			}
		}
	}
	return nil
}

func cancelledBefore(c *checking) error {
	ctx, cancel := context.WithCancel(c.ctx)
	cancel()
	_, err := c.plugin.Call(ctx, bridge.Request{Op: nowhere})
	return expect("a cancelled context", err, bridge.ErrCancelled)
}

func lateBefore(c *checking) error {
	ctx, cancel := context.WithDeadline(c.ctx, time.Now().Add(-time.Second))
	defer cancel()
	_, err := c.plugin.Call(ctx, bridge.Request{Op: nowhere})
	return expect("a deadline in the past", err, bridge.ErrDeadlineExceeded)
}

// together runs f for 0 to 31 at once and returns the first error.
func together(f func(i int) error) error {
	errs := make([]error, 32)
	var callers sync.WaitGroup
	for i := range errs {
		callers.Go(func() { errs[i] = f(i) })
	}
	callers.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func concurrentUnknown(c *checking) error {
	return together(func(i int) error {
		if i%4 == 0 {
			_, err := c.plugin.Info(c.ctx)
			return expect("Info", err, nil)
		}
		_, err := c.plugin.Call(c.ctx, bridge.Request{Op: nowhere})
		return expect("an unknown op", err, bridge.ErrUnknownOp)
	})
}

func closeTwice(c *checking) error {
	for range 2 {
		if err := c.plugin.Close(); err != nil {
			return failf("Close: %w", err)
		}
	}
	_, err := c.plugin.Call(c.ctx, bridge.Request{Op: nowhere})
	if err := expect("a call after Close", err, bridge.ErrPluginExited); err != nil {
		return err
	}
	_, err = c.plugin.Info(c.ctx)
	return expect("Info after Close", err, bridge.ErrPluginExited)
}

func restart(c *checking) error {
	before, err := c.plugin.Info(c.ctx)
	if err != nil {
		return failf("Info: %w", err)
	}
	if err := c.plugin.Close(); err != nil {
		return failf("Close: %w", err)
	}
	again, err := c.target.Start(c.ctx, c.segment)
	if err != nil {
		return failf("the second start: %w", err)
	}
	defer again.Close()
	after, err := again.Info(c.ctx)
	if err != nil || !reflect.DeepEqual(before, after) {
		return failf("Info of the second start: expected %+v, got %+v, %v", before, after, err)
	}
	return nil
}
