package validate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/layactl/layactl/bridge"
)

// trial is one case with its inputs, on which several implementations run.
type trial struct {
	*run
	kernel string
	c      Case

	owned []*bridge.Tensor
	// originals are the inputs, float32 where the spec says "act"; nil for a tensor that is only written.
	originals []*bridge.Tensor
	before    []Hash
	changed   string // who changed which input, "" if nobody did
}

// alloc returns a poisoned tensor that free gives back.
func (t *trial) alloc(dtype bridge.DType, shape []int64) (*bridge.Tensor, error) {
	tensor, err := t.segment.Alloc(dtype, shape...)
	if err != nil {
		return nil, err
	}
	t.owned = append(t.owned, tensor)
	return tensor, poison(tensor)
}

func (t *trial) free() {
	for _, tensor := range t.owned {
		tensor.Free()
	}
}

// fill makes the inputs once, with activations rounded to dtype.
func (t *trial) fill(ctx context.Context, dtype bridge.DType) error {
	t.originals = make([]*bridge.Tensor, len(t.c.Tensors))
	var args []bridge.Arg
	for i, spec := range t.c.Tensors {
		if spec.Role == "out" {
			continue
		}
		d, err := spec.dtype(bridge.Float32)
		if err != nil {
			return err
		}
		tensor, err := t.alloc(d, spec.Shape)
		if err != nil {
			return fmt.Errorf("tensor %s: %w", spec.Name, err)
		}
		t.originals[i] = tensor
		args = append(args, bridge.Arg{Name: spec.Name, Tensor: tensor, Write: true})
	}
	params := map[string]any{"kernel": t.kernel, "case": t.c.Name, "seed": t.options.Seed, "dtype": dtype.String()}
	if _, err := t.plugin.Call(ctx, bridge.Request{Op: "fill", Params: params, Tensors: args}); err != nil {
		return err
	}
	var err error
	t.before, err = t.hashes(t.originals)
	return err
}

// execute runs one implementation and returns the tensors it had. Activations are of the dtype given; inputs are
// everybody's where that is their dtype, what is updated is a copy, what is only written is poisoned.
func (t *trial) execute(ctx context.Context, plugin *bridge.Plugin, implementation string, compute, activations bridge.DType) ([]*bridge.Tensor, error) {
	tensors := make([]*bridge.Tensor, len(t.c.Tensors))
	inputs := make([]*bridge.Tensor, len(t.c.Tensors))
	var args []bridge.Arg
	for i, spec := range t.c.Tensors {
		dtype, err := spec.dtype(activations)
		if err != nil {
			return nil, err
		}
		if spec.Role == "in" && t.originals[i].DType() == dtype {
			tensors[i], inputs[i] = t.originals[i], t.originals[i]
		} else {
			own, err := t.alloc(dtype, spec.Shape)
			if err != nil {
				return nil, fmt.Errorf("tensor %s: %w", spec.Name, err)
			}
			if spec.Role != "out" {
				if err := convert(own, t.originals[i]); err != nil {
					return nil, err
				}
			}
			if tensors[i] = own; spec.Role == "in" {
				inputs[i] = own
			}
		}
		args = append(args, bridge.Arg{Name: spec.Name, Tensor: tensors[i], Write: spec.Role != "in"})
	}
	before, err := t.hashes(inputs)
	if err != nil {
		return nil, err
	}
	params := map[string]any{"kernel": t.kernel, "case": t.c.Name, "implementation": implementation, "dtype": compute.String()}
	if _, err := plugin.Call(ctx, bridge.Request{Op: "run", Params: params, Tensors: args}); err != nil {
		return nil, err
	}
	after, err := t.hashes(inputs)
	if err != nil {
		return nil, err
	}
	for i := range after {
		if after[i] != before[i] && t.changed == "" {
			t.changed = fmt.Sprintf("the %s changed the input %s", implementation, t.c.Tensors[i].Name)
		}
	}
	return tensors, nil
}

// compare adds a row for every tensor that the kernel writes.
func (t *trial) compare(comparison string, dtype bridge.DType, got, want []*bridge.Tensor, tolerances map[string]float64) error {
	for i, spec := range t.c.Tensors {
		if spec.Role == "in" {
			continue
		}
		d, err := t.difference(got[i], want[i])
		if err != nil {
			return err
		}
		sum, err := hash(got[i])
		if err != nil {
			return err
		}
		element, err := spec.dtype(dtype)
		if err != nil {
			return err
		}
		row := Row{
			Op: t.kernel, Case: t.c.Name, Options: t.c.Options, Tensor: spec.Name, Comparison: comparison, DType: element.String(),
			Activations: dtype.String(), Shape: spec.Shape, Elements: d.Elements, MaxAbsDiff: Number(d.MaxAbs), MaxULP: d.MaxULP,
			ReferenceMax: Number(d.ReferenceMax), Tolerance: Number(tolerances[spec.Name]), Worst: d.Worst, SHA256: sum,
			Verdict: Pass, Reason: t.changed,
		}
		if d.Worst != nil {
			row.Got, row.Want = number(d.Got), number(d.Want)
		}
		if row.Reason == "" {
			row.Reason = d.judge(tolerances[spec.Name])
		}
		if row.Reason != "" {
			row.Verdict = Fail
		}
		t.record.Rows = append(t.record.Rows, row)
	}
	return nil
}

// hashes returns the SHA-256 of each tensor's bytes, empty where there is none.
func (t *trial) hashes(tensors []*bridge.Tensor) ([]Hash, error) {
	sums := make([]Hash, len(tensors))
	for i, tensor := range tensors {
		if tensor == nil {
			continue
		}
		sum, err := hash(tensor)
		if err != nil {
			return nil, err
		}
		sums[i] = Hash{Op: t.kernel, Case: t.c.Name, Tensor: t.c.Tensors[i].Name, SHA256: sum}
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
