package bridgetest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/layactl/layactl/bridge"
)

// description is one element of what conform_describe returns.
type description struct {
	Name     string  `json:"name"`
	DType    string  `json:"dtype"`
	Shape    []int64 `json:"shape"`
	Bytes    int64   `json:"bytes"`
	Writable bool    `json:"writable"`
}

// Fake is a backend in memory that offers the conformance ops and nothing else. The zero value is ready. A program's own
// tests can use it where any plugin will do.
type Fake struct{}

// Info lists the conformance ops.
func (Fake) Info(context.Context) (bridge.Info, error) {
	parameter := func(name, kind string) bridge.Parameter { return bridge.Parameter{Name: name, Type: kind} }
	return bridge.Info{
		Name: "fake", Version: "1", Devices: []bridge.Device{{Kind: "cpu", Name: "fake"}},
		Ops: []bridge.Op{
			{Name: opEcho, Doc: "Returns its parameter.", Parameters: []bridge.Parameter{parameter("value", "any")}},
			{Name: opDescribe, Doc: "Returns name, dtype, shape, size in bytes and writable of each tensor."},
			{Name: opIncrement, Doc: "Adds 1 to every byte, modulo 256."},
			{Name: opProgress, Doc: `Reports "step 0" and so on, count of them.`, Parameters: []bridge.Parameter{parameter("count", "int")}},
			{Name: opFail, Doc: "Fails with the code.", Parameters: []bridge.Parameter{parameter("code", "str"), parameter("text", "str")}},
			{Name: opWait, Doc: `Reports "waiting" and waits until it is cancelled.`},
			{Name: opExit, Doc: "Ends the process at once, with that status.", Parameters: []bridge.Parameter{parameter("status", "int")}},
		},
	}, nil
}

// Call runs one conformance op.
func (Fake) Call(ctx context.Context, call *bridge.Invocation) (json.RawMessage, error) {
	var params struct {
		Value         json.RawMessage
		Code, Text    string
		Count, Status int
	}
	if err := json.Unmarshal(call.Params, &params); err != nil {
		return nil, bridge.Errorf(bridge.ErrInvalidArgument, "parameters: %v", err)
	}
	switch call.Op {
	case opEcho:
		return params.Value, nil
	case opDescribe:
		all := []description{}
		for _, t := range call.Tensors {
			all = append(all, description{t.Name, t.DType.String(), append([]int64{}, t.Shape...), int64(len(t.Bytes)), t.Writable})
		}
		return json.Marshal(all)
	case opIncrement:
		for _, t := range call.Tensors {
			for i := range t.Bytes {
				t.Bytes[i]++
			}
		}
	case opProgress:
		for i := range params.Count {
			call.Progress(bridge.Progress{Text: fmt.Sprint("step ", i), Fraction: float64(i) / float64(params.Count)})
		}
	case opFail:
		return nil, bridge.ErrorFromCode(params.Code, params.Text, "ValueError", "Traceback: conform_fail")
	case opWait:
		call.Progress(bridge.Progress{Text: "waiting", Fraction: -1})
		<-ctx.Done()
		return nil, bridge.Errorf(bridge.ErrCancelled, "cancelled while waiting")
	case opExit:
		os.Exit(params.Status)
	default:
		return nil, bridge.Errorf(bridge.ErrUnknownOp, "no op %q", call.Op)
	}
	return json.RawMessage("null"), nil
}

// Close has nothing to let go of.
func (Fake) Close() error { return nil }
