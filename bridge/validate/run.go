// Package validate proves that a kernel computes what its definition says: it runs both in a plugin on the same bytes
// and compares the outputs here, outside of the process that made them.
package validate

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/layactl/layactl/bridge"
)

// The comparisons.
const (
	// CPUVersusReference compares the CPU kernel with its float32 definition.
	CPUVersusReference = "cpu-vs-reference"
	// CPUVersusCUDA compares the CUDA kernel with the CPU kernel, on inputs that were rounded to the 16-bit dtype first.
	CPUVersusCUDA = "cpu-vs-cuda"
	// CUDAVersusReference compares the CUDA kernel with its float64 definition, on the same inputs.
	CUDAVersusReference = "cuda-vs-reference"
)

// DefaultSeed is the seed of upstream's figures.
const DefaultSeed = 1234

// Options say what to validate. The zero value validates every case on the CPU with seed 0.
type Options struct {
	// Selectors name kernels ("gemm") or cases ("gemm/k24"); empty means all.
	Selectors []string
	// Seed of the inputs.
	Seed int64
	// CUDA is a second plugin, on the same segment, that runs the CUDA kernels. Nil leaves those comparisons out.
	CUDA *bridge.Plugin
	// Progress is told about every step, with the share of the work that is done.
	Progress func(bridge.Progress)
}

// Run validates kernels of a plugin that was started with segment. The record has the verdicts; an error means that a
// verdict could not be reached: what Plugin.Call returns, or ErrUnknownOp for a selector.
func Run(ctx context.Context, plugin *bridge.Plugin, segment *bridge.Segment, options Options) (*Record, error) {
	if options.Progress == nil {
		options.Progress = func(bridge.Progress) {}
	}
	began := time.Now()
	r := &run{plugin: plugin, segment: segment, options: options, record: &Record{
		Schema: Schema, Created: began.UTC().Truncate(time.Second), Seed: options.Seed, Host: ThisHost(),
		Skipped: []Skipped{}, Rows: []Row{}, Inputs: []Hash{},
	}}
	all, err := r.describe(ctx)
	if err != nil {
		return nil, err
	}
	kernels, err := Select(all, options.Selectors)
	if err != nil {
		return nil, err
	}
	started := time.Now()
	if err := r.compile(ctx, kernels); err != nil {
		return nil, err
	}
	compiled := time.Now()
	if err := r.cases(ctx, kernels); err != nil {
		return nil, err
	}
	r.record.summarize(all)
	r.record.Timings = Timings{
		StartSeconds: started.Sub(began).Seconds(), CompileSeconds: compiled.Sub(started).Seconds(),
		RunSeconds: time.Since(compiled).Seconds(), TotalSeconds: time.Since(began).Seconds(),
	}
	return r.record, nil
}

type run struct {
	plugin  *bridge.Plugin
	segment *bridge.Segment
	options Options
	record  *Record
}

// describe starts the interpreters and asks for the kernels.
func (r *run) describe(ctx context.Context) ([]Kernel, error) {
	r.options.Progress(bridge.Progress{Text: "start the interpreter, import torch and TileLang", Fraction: -1})
	info, err := r.plugin.Info(ctx)
	if err != nil {
		return nil, err
	}
	r.record.Versions = info.Versions
	if r.options.CUDA != nil {
		there, err := r.options.CUDA.Info(ctx)
		if err != nil {
			return nil, err
		}
		for _, d := range there.Devices {
			if d.Kind == "cuda" {
				r.record.Host.GPUs = append(r.record.Host.GPUs, d.Name)
			}
		}
		if len(r.record.Host.GPUs) == 0 {
			return nil, bridge.Errorf(bridge.ErrUnsupportedHere, "torch in plugin %s finds no CUDA device", r.options.CUDA.Name())
		}
	}
	return Kernels(ctx, r.plugin)
}

// compile compiles every kernel first, so that a plugin can do several at once.
func (r *run) compile(ctx context.Context, kernels []Kernel) error {
	var jobs, cudaJobs [][2]string
	for _, k := range kernels {
		for _, c := range k.Cases {
			jobs = append(jobs, [2]string{k.Name, c.Name})
			if len(c.CUDATolerances) > 0 {
				cudaJobs = append(cudaJobs, [2]string{k.Name, c.Name})
			}
		}
	}
	if err := r.compileJobs(ctx, r.plugin, jobs, bridge.Float32); err != nil {
		return err
	}
	if r.options.CUDA == nil {
		return nil
	}
	for _, dtype := range cudaDTypes {
		if err := r.compileJobs(ctx, r.options.CUDA, cudaJobs, dtype); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) compileJobs(ctx context.Context, plugin *bridge.Plugin, jobs [][2]string, dtype bridge.DType) error {
	params := map[string]any{"jobs": append([][2]string{}, jobs...), "dtype": dtype.String()}
	data, err := plugin.Call(ctx, bridge.Request{Op: "compile", Params: params, Progress: r.options.Progress})
	if err != nil {
		return err
	}
	var failed []struct{ Kernel, Case, Error string }
	if err := json.Unmarshal(data, &failed); err != nil {
		return fmt.Errorf("op compile: %w", err)
	}
	if len(failed) > 0 {
		f := failed[0]
		return bridge.Errorf(bridge.ErrCompileFailed, "%d of the kernels did not compile; first %s, case %s, %v: %s", len(failed), f.Kernel, f.Case, dtype, f.Error)
	}
	return nil
}

func (r *run) cases(ctx context.Context, kernels []Kernel) error {
	total, done := 0, 0
	for _, k := range kernels {
		total += len(k.Cases)
	}
	for _, k := range kernels {
		for _, c := range k.Cases {
			r.options.Progress(bridge.Progress{Text: fmt.Sprintf("validate %s, case %s", k.Name, c.Name), Fraction: float64(done) / float64(total)})
			err := r.onCPU(ctx, k.Name, c)
			for _, dtype := range cudaDTypes {
				if err == nil && r.options.CUDA != nil && len(c.CUDATolerances) > 0 {
					err = r.onCUDA(ctx, k.Name, c, dtype)
				}
			}
			if err != nil {
				return fmt.Errorf("%s, case %s: %w", k.Name, c.Name, err)
			}
			done++
		}
	}
	return nil
}

// onCPU compares the CPU kernel with its definition.
func (r *run) onCPU(ctx context.Context, kernel string, c Case) error {
	t := &trial{run: r, kernel: kernel, c: c}
	defer t.free()
	if err := t.fill(ctx, bridge.Float32); err != nil {
		return err
	}
	for _, sum := range t.before {
		if sum.SHA256 != "" {
			r.record.Inputs = append(r.record.Inputs, sum)
		}
	}
	got, err := t.execute(ctx, r.plugin, "kernel", bridge.Float32, bridge.Float32)
	if err != nil {
		return err
	}
	want, err := t.execute(ctx, r.plugin, "reference", bridge.Float32, bridge.Float32)
	if err != nil {
		return err
	}
	return t.compare(CPUVersusReference, bridge.Float32, got, want, c.Tolerances)
}
