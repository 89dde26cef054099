package bridge

import (
	"context"
	"encoding/json"
)

// Backend is what a plugin implements. Serve calls its methods concurrently.
type Backend interface {
	// Info says what the plugin offers. It may start an interpreter and take its time; ctx holds the deadline.
	Info(ctx context.Context) (Info, error)
	// Call runs one op and returns its result, a JSON value. When ctx is cancelled it should return soon; the caller
	// ends the plugin if it does not. An error that matches one of this package's sentinels keeps its code on the wire.
	Call(ctx context.Context, call *Invocation) (json.RawMessage, error)
	// Close lets go of what the plugin holds. The process ends right after.
	Close() error
}

// Invocation is one call as the plugin sees it. It is valid until Call returns.
type Invocation struct {
	// Op is the op's name.
	Op string
	// Params is a JSON object; "{}" when the caller gave none.
	Params json.RawMessage
	// Tensors are the caller's tensors in call order. Serve has checked them against the segment.
	Tensors []Operand
	// Progress tells the caller how far the op is. It may be called from any goroutine until Call returns.
	Progress func(Progress)
}

// Operand is one tensor in the plugin's memory.
type Operand struct {
	Name  string
	DType DType
	Shape []int64
	// Bytes is the tensor's memory in the shared segment.
	Bytes []byte
	// Writable is false for a tensor that the op must leave as it is.
	Writable bool
}

// Progress is one message on how far an op is.
type Progress struct {
	// Text says what is being done, such as "compile gemm 70x67".
	Text string
	// Fraction is the share done from 0 to 1, or negative when it is not known.
	Fraction float64
}

// Info describes a plugin.
type Info struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Ops     []Op   `json:"ops"`
	// Versions of what the plugin runs on, such as "python", "torch" and "tilelang".
	Versions map[string]string `json:"versions"`
	Devices  []Device          `json:"devices"`
}

// Op describes one named function of a plugin.
type Op struct {
	Name       string      `json:"name"`
	Doc        string      `json:"doc"`
	Parameters []Parameter `json:"parameters"`
}

// Parameter describes one parameter of an op.
type Parameter struct {
	Name string `json:"name"`
	Type string `json:"type"`
	// Default is JSON, nil when the parameter is required.
	Default json.RawMessage `json:"default,omitempty"`
}

// Device is something a plugin can compute on.
type Device struct {
	// Kind is "cpu" or "cuda".
	Kind string `json:"kind"`
	Name string `json:"name"`
}
