// Package bridge runs plugins in supervised processes and hands them tensors in shared memory.
//
// A controller makes a [Segment], allocates tensors in it, starts a [Plugin] and calls its ops:
//
//	seg, err := bridge.NewSegment(0)
//	x, err := seg.Alloc(bridge.Float32, 17, 70)
//	p, err := bridge.Start(ctx, bridge.Config{Path: "bin/laya-plugin-tilelang", Segment: seg})
//	out, err := p.Call(ctx, bridge.Request{Op: "gemm", Params: params, Tensors: []bridge.Arg{{Name: "A", Tensor: x}}})
//
// A plugin implements [Backend] and calls [Serve] from its main function.
//
// Tensor bytes never travel in messages: both sides map the same segment, and a message holds dtype, shape and offset.
// The package has no cgo and knows no Python. Plugin processes and segments need Linux; elsewhere the package compiles
// and says so with [ErrUnsupportedHere].
package bridge
