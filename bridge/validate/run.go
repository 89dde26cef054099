// Package validate proves that a kernel computes what its definition says: it runs both in a plugin on the same bytes
// and compares the outputs here, outside of the process that made them.
package validate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/layactl/layactl/bridge"
)

// CPUVersusReference is the comparison of the CPU kernel with its float32 definition.
const CPUVersusReference = "cpu-vs-reference"

// DefaultSeed is the seed of upstream's figures.
const DefaultSeed = 1234

// Options say what to validate. The zero value validates every case with seed 0.
type Options struct {
	// Selectors name kernels ("gemm") or cases ("gemm/k24"); empty means all.
	Selectors []string
	// Seed of the inputs.
	Seed int64
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
	options.Progress(bridge.Progress{Text: "start the interpreter, import torch and TileLang", Fraction: -1})
	info, err := plugin.Info(ctx)
	if err != nil {
		return nil, err
	}
	r.record.Versions = info.Versions
	all, err := Kernels(ctx, plugin)
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
	upstream := map[string]*Number{}
	for _, k := range all {
		upstream[k.Name] = k.UpstreamMaxAbsDiff
	}
	r.record.summarize(upstream)
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

// compile compiles every kernel first, so that the plugin can do several at once.
func (r *run) compile(ctx context.Context, kernels []Kernel) error {
	jobs := [][2]string{}
	for _, k := range kernels {
		for _, c := range k.Cases {
			jobs = append(jobs, [2]string{k.Name, c.Name})
		}
	}
	data, err := r.plugin.Call(ctx, bridge.Request{Op: "compile", Params: map[string]any{"jobs": jobs}, Progress: r.options.Progress})
	if err != nil {
		return err
	}
	var failed []struct{ Kernel, Case, Error string }
	if err := json.Unmarshal(data, &failed); err != nil {
		return fmt.Errorf("op compile: %w", err)
	}
	if len(failed) > 0 {
		f := failed[0]
		return bridge.Errorf(bridge.ErrCompileFailed, "%d of the kernels did not compile; first %s, case %s: %s", len(failed), f.Kernel, f.Case, f.Error)
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
			if err := r.validate(ctx, k.Name, c); err != nil {
				return fmt.Errorf("%s, case %s: %w", k.Name, c.Name, err)
			}
			done++
		}
	}
	return nil
}

// side is one implementation's set of tensors: the inputs are everybody's, what is written is its own.
type side struct {
	implementation string
	args           []bridge.Arg
}

func (r *run) validate(ctx context.Context, kernel string, c Case) error {
	var owned []*bridge.Tensor
	defer func() {
		for _, t := range owned {
			t.Free()
		}
	}()
	alloc := func(spec TensorSpec) (*bridge.Tensor, error) {
		dtype, err := bridge.ParseDType(spec.DType)
		if err != nil {
			return nil, err
		}
		t, err := r.segment.Alloc(dtype, spec.Shape...)
		if err != nil {
			return nil, fmt.Errorf("tensor %s: %w", spec.Name, err)
		}
		owned = append(owned, t)
		return t, poison(t)
	}

	originals, err := r.fill(ctx, kernel, c, alloc)
	if err != nil {
		return err
	}
	before, err := hashes(originals)
	if err != nil {
		return err
	}
	for i, spec := range c.Tensors {
		if originals[i] != nil {
			r.record.Inputs = append(r.record.Inputs, Hash{Op: kernel, Case: c.Name, Tensor: spec.Name, SHA256: before[i]})
		}
	}
	sides := []*side{{implementation: "kernel"}, {implementation: "reference"}}
	changed := make([]string, len(c.Tensors)) // which implementation changed an input
	for _, s := range sides {
		if err := s.bind(c, originals, alloc); err != nil {
			return err
		}
		params := map[string]any{"kernel": kernel, "case": c.Name, "implementation": s.implementation}
		if _, err := r.plugin.Call(ctx, bridge.Request{Op: "run", Params: params, Tensors: s.args}); err != nil {
			return err
		}
		after, err := hashes(originals)
		if err != nil {
			return err
		}
		for i := range after {
			if after[i] != before[i] && changed[i] == "" {
				changed[i] = s.implementation
			}
		}
	}
	return r.rows(kernel, c, sides[0], sides[1], changed)
}

// fill makes a case's inputs once; the result has nil where a tensor is only written.
func (r *run) fill(ctx context.Context, kernel string, c Case, alloc func(TensorSpec) (*bridge.Tensor, error)) ([]*bridge.Tensor, error) {
	originals := make([]*bridge.Tensor, len(c.Tensors))
	var args []bridge.Arg
	for i, spec := range c.Tensors {
		if spec.Role == "out" {
			continue
		}
		t, err := alloc(spec)
		if err != nil {
			return nil, err
		}
		originals[i] = t
		args = append(args, bridge.Arg{Name: spec.Name, Tensor: t, Write: true})
	}
	params := map[string]any{"kernel": kernel, "case": c.Name, "seed": r.options.Seed}
	_, err := r.plugin.Call(ctx, bridge.Request{Op: "fill", Params: params, Tensors: args})
	return originals, err
}

// bind gives the side its tensors: inputs as they are, a copy of what is updated in place, a poisoned output.
func (s *side) bind(c Case, originals []*bridge.Tensor, alloc func(TensorSpec) (*bridge.Tensor, error)) error {
	for i, spec := range c.Tensors {
		arg := bridge.Arg{Name: spec.Name, Tensor: originals[i], Write: spec.Role != "in"}
		if spec.Role != "in" {
			own, err := alloc(spec)
			if err != nil {
				return err
			}
			if spec.Role == "inout" {
				if err := copyTensor(own, originals[i]); err != nil {
					return err
				}
			}
			arg.Tensor = own
		}
		s.args = append(s.args, arg)
	}
	return nil
}

func (r *run) rows(kernel string, c Case, got, want *side, changed []string) error {
	reason := ""
	for i, implementation := range changed {
		if implementation != "" {
			reason = fmt.Sprintf("the %s changed the input %s", implementation, c.Tensors[i].Name)
		}
	}
	for i, spec := range c.Tensors {
		if spec.Role == "in" {
			continue
		}
		d, err := Compare(got.args[i].Tensor, want.args[i].Tensor, c.ExpectsNaN)
		if err != nil {
			return err
		}
		sum, err := hash(got.args[i].Tensor)
		if err != nil {
			return err
		}
		row := Row{
			Op: kernel, Case: c.Name, Options: c.Options, Tensor: spec.Name, Comparison: CPUVersusReference, DType: spec.DType,
			Shape: spec.Shape, Elements: d.Elements, MaxAbsDiff: Number(d.MaxAbs), MaxULP: d.MaxULP, ReferenceMax: Number(d.ReferenceMax),
			Tolerance: Number(c.Tolerances[spec.Name]), Worst: d.Worst, SHA256: sum, Verdict: Pass, Reason: reason,
		}
		if d.Worst != nil {
			row.Got, row.Want = number(d.Got), number(d.Want)
		}
		if row.Reason == "" {
			row.Reason = d.judge(c.Tolerances[spec.Name])
		}
		if row.Reason != "" {
			row.Verdict = Fail
		}
		r.record.Rows = append(r.record.Rows, row)
	}
	return nil
}

// poison sets every byte to 0xFF, which is a NaN in every float type: what a kernel does not write shows.
func poison(t *bridge.Tensor) error {
	data, err := t.Bytes()
	for i := range data {
		data[i] = 0xff
	}
	return err
}

func copyTensor(to, from *bridge.Tensor) error {
	target, err := to.Bytes()
	if err != nil {
		return err
	}
	source, err := from.Bytes()
	copy(target, source)
	return err
}

func hashes(tensors []*bridge.Tensor) ([]string, error) {
	sums := make([]string, len(tensors))
	for i, t := range tensors {
		if t == nil {
			continue
		}
		sum, err := hash(t)
		if err != nil {
			return nil, err
		}
		sums[i] = sum
	}
	return sums, nil
}

func hash(t *bridge.Tensor) (string, error) {
	data, err := t.Bytes()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
