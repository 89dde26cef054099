// Command gemm runs one TileLang kernel from Go: it hands tensors over in shared memory and reads what the kernel wrote.
//
// Run it in the root of the repository, after `make build`:
//
//	go run ./examples/gemm
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/venv"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "gemm:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	python, err := venv.Find("") // LAYACTL_VENV, VIRTUAL_ENV, then .venv
	if err != nil {
		return err
	}
	found, err := bridge.FindPlugin("tilelang", "bin", filepath.Join("..", "..", "bin"))
	if err != nil {
		return err
	}
	config, err := found.Config()
	if err != nil {
		return err
	}
	segment, err := bridge.NewSegment(0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, segment.Close()) }()
	config.Segment, config.Env = segment, []string{"LAYACTL_PYTHON=" + python, "CUDA_VISIBLE_DEVICES="}
	plugin, err := bridge.Start(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plugin.Close()) }()

	const M, N, K = 17, 70, 67
	args := make([]bridge.Arg, 0, 4)
	for _, t := range []struct {
		name  string
		shape []int64
		write bool
	}{{"A", []int64{M, K}, false}, {"W", []int64{N, K}, false}, {"bias", []int64{N}, false}, {"C", []int64{M, N}, true}} {
		tensor, err := segment.Alloc(bridge.Float32, t.shape...)
		if err != nil {
			return err
		}
		values, err := bridge.View[float32](tensor)
		if err != nil {
			return err
		}
		for i := range values {
			values[i] = float32(i%7-3) / 8
		}
		args = append(args, bridge.Arg{Name: t.name, Tensor: tensor, Write: t.write})
	}
	_, err = plugin.Call(ctx, bridge.Request{
		Op: "gemm", Params: map[string]any{"N": N, "K": K, "bias": true, "act": "relu"}, Tensors: args,
		Progress: func(p bridge.Progress) { fmt.Println(p.Text) },
	})
	if err != nil {
		return err
	}
	return compare(args, M, N, K)
}

// compare computes one row in Go, from the same memory.
func compare(args []bridge.Arg, M, N, K int) error {
	var views [4][]float32
	for i, arg := range args {
		view, err := bridge.View[float32](arg.Tensor)
		if err != nil {
			return err
		}
		views[i] = view
	}
	a, w, bias, c := views[0], views[1], views[2], views[3]
	row := M - 1
	for j := range N {
		sum := bias[j]
		for k := range K {
			sum += a[row*K+k] * w[j*K+k]
		}
		if want := max(sum, 0); c[row*N+j] != want { // multiples of 1/64 add up exactly, in any order
			return fmt.Errorf("element [%d, %d] of C: expected %g, got %g", row, j, want, c[row*N+j])
		}
	}
	fmt.Printf("C[%d] = %.4g … agrees with Go\n", row, c[row*N:row*N+5])
	return nil
}
