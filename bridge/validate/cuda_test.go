package validate

import (
	"errors"
	"math"
	"testing"

	"github.com/layactl/layactl/bridge"
)

func TestConvert(t *testing.T) {
	s := newSegment(t)
	shape := []int64{4}
	wide := tensor[float32](t, s, bridge.Float32, shape, 1.5, -3, float32(math.Inf(1)), 1+1.0/1024)
	for _, half := range []bridge.DType{bridge.BFloat16, bridge.Float16} {
		narrow, err := s.Alloc(half, shape...)
		if err != nil {
			t.Fatal(err)
		}
		back := tensor[float32](t, s, bridge.Float32, shape)
		if err := errors.Join(convert(narrow, wide), convert(back, narrow)); err != nil {
			t.Fatal(err)
		}
		v, err := bridge.View[float32](back)
		if err != nil {
			t.Fatal(err)
		}
		last := map[bridge.DType]float32{bridge.BFloat16: 1, bridge.Float16: 1 + 1.0/1024}[half]
		if v[0] != 1.5 || v[1] != -3 || !math.IsInf(float64(v[2]), 1) || v[3] != last {
			t.Errorf("%v: got %v", half, v)
		}
	}
	if err := convert(wide, tensor[int64](t, s, bridge.Int64, shape)); !errors.Is(err, bridge.ErrInvalidTensor) {
		t.Errorf("int64 to float32: got %v", err)
	}
}

// A 16-bit output one step off differs by that step in value, and by one ulp of its own type.
func TestDifferenceOfHalfFloats(t *testing.T) {
	s := newSegment(t)
	trial := &trial{run: &run{segment: s}}
	defer trial.free()
	got := tensor(t, s, bridge.BFloat16, []int64{2}, bridge.RoundBFloat16(1.0078125), bridge.RoundBFloat16(2))
	d, err := trial.difference(got, tensor[float32](t, s, bridge.Float32, []int64{2}, 1, 2.001))
	if err != nil {
		t.Fatal(err)
	}
	if d.MaxAbs != 0.0078125 || d.MaxULP != 1 {
		t.Errorf("expected 0.0078125 and 1 ulp, got %g and %d", d.MaxAbs, d.MaxULP)
	}
}
