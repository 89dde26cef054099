package validate

import (
	"context"

	"github.com/layactl/layactl/bridge"
)

// cudaDTypes are the activations that CUDA kernels are compared in.
var cudaDTypes = []bridge.DType{bridge.BFloat16, bridge.Float16}

// onCUDA compares the CUDA kernel, in a 16-bit dtype, with the CPU kernel and with the float64 definition. All three get
// the same values: inputs are rounded to dtype once, and the CPU gets them widened.
func (r *run) onCUDA(ctx context.Context, kernel string, c Case, dtype bridge.DType) error {
	t := &trial{run: r, kernel: kernel, c: c}
	defer t.free()
	if err := t.fill(ctx, dtype); err != nil {
		return err
	}
	cpu, err := t.execute(ctx, r.plugin, "kernel", bridge.Float32, bridge.Float32)
	if err != nil {
		return err
	}
	exact, err := t.execute(ctx, r.plugin, "reference", bridge.Float64, bridge.Float32)
	if err != nil {
		return err
	}
	cuda, err := t.execute(ctx, r.options.CUDA, "kernel", dtype, dtype)
	if err != nil {
		return err
	}
	if err := t.compare(CPUVersusCUDA, dtype, cuda, cpu, c.CUDATolerances); err != nil {
		return err
	}
	return t.compare(CUDAVersusReference, dtype, cuda, exact, c.CUDATolerances)
}

// difference compares got, 16-bit where activations are, with want in float32. Differences are those of the values;
// the distance in ulp is that of the 16-bit type, from want rounded to it.
func (t *trial) difference(got, want *bridge.Tensor) (Difference, error) {
	if got.DType() == want.DType() {
		return Compare(got, want, t.c.ExpectsNaN)
	}
	wide, err := t.alloc(want.DType(), got.Shape())
	if err != nil {
		return Difference{}, err
	}
	if err := convert(wide, got); err != nil {
		return Difference{}, err
	}
	narrow, err := t.alloc(got.DType(), want.Shape())
	if err != nil {
		return Difference{}, err
	}
	if err := convert(narrow, want); err != nil {
		return Difference{}, err
	}
	d, err := Compare(wide, want, t.c.ExpectsNaN)
	if err != nil {
		return Difference{}, err
	}
	rounded, err := Compare(got, narrow, t.c.ExpectsNaN)
	d.MaxULP = rounded.MaxULP
	return d, err
}

// convert copies from into to and widens or narrows 16-bit floats; narrowing rounds to nearest, ties to even.
func convert(to, from *bridge.Tensor) error {
	switch pair := [2]bridge.DType{from.DType(), to.DType()}; {
	case pair[0] == pair[1]:
		return copyTensor(to, from)
	case pair == [2]bridge.DType{bridge.Float32, bridge.BFloat16}:
		return convertElements(to, from, bridge.RoundBFloat16)
	case pair == [2]bridge.DType{bridge.Float32, bridge.Float16}:
		return convertElements(to, from, bridge.RoundFloat16)
	case pair == [2]bridge.DType{bridge.BFloat16, bridge.Float32}:
		return convertElements(to, from, bridge.BFloat16Bits.Float32)
	case pair == [2]bridge.DType{bridge.Float16, bridge.Float32}:
		return convertElements(to, from, bridge.Float16Bits.Float32)
	default:
		return bridge.Errorf(bridge.ErrInvalidTensor, "cannot convert %s to %v", from, to.DType())
	}
}

func convertElements[T, U bridge.Element](to, from *bridge.Tensor, f func(T) U) error {
	source, err := bridge.View[T](from)
	if err != nil {
		return err
	}
	target, err := bridge.View[U](to)
	if err != nil {
		return err
	}
	for i, v := range source {
		target[i] = f(v)
	}
	return nil
}
