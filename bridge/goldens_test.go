package bridge

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestTensorBytes reads the bytes of testdata/tensors.json as Go sees them; py/tests/test_views.py reads the same.
func TestTensorBytes(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("testdata", "tensors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var goldens []struct {
		DType, Hex string
		Shape      []int64
		Values     []float64
	}
	if err := json.Unmarshal(source, &goldens); err != nil {
		t.Fatal(err)
	}
	s := newTestSegment(t, 1<<20)
	seen := map[DType]bool{}
	for _, g := range goldens {
		dtype, err := ParseDType(g.DType)
		if err != nil {
			t.Fatal(err)
		}
		seen[dtype] = true
		x, err := s.Alloc(dtype, g.Shape...)
		if err != nil {
			t.Fatal(err)
		}
		data, err := x.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		want, err := hex.DecodeString(g.Hex)
		if err != nil || copy(data, want) != len(data) || len(want) != len(data) {
			t.Fatalf("%v: expected %d bytes, got %d (%v)", x, len(data), len(want), err)
		}
		if got := asFloats(t, x); !slices.Equal(got, g.Values) {
			t.Errorf("%v: expected %v, got %v", x, g.Values, got)
		}
	}
	if len(seen) != len(DTypes()) {
		t.Errorf("expected a golden for each of %d dtypes, got %d", len(DTypes()), len(seen))
	}
}

// asFloats returns the elements of any tensor whose values a float64 can hold.
func asFloats(t *testing.T, x *Tensor) []float64 {
	t.Helper()
	switch x.DType() {
	case Float64:
		return converted(t, x, func(v float64) float64 { return v })
	case Float32:
		return converted(t, x, func(v float32) float64 { return float64(v) })
	case Float16:
		return converted(t, x, func(v Float16Bits) float64 { return float64(v.Float32()) })
	case BFloat16:
		return converted(t, x, func(v BFloat16Bits) float64 { return float64(v.Float32()) })
	case Int64:
		return converted(t, x, func(v int64) float64 { return float64(v) })
	case Int32:
		return converted(t, x, func(v int32) float64 { return float64(v) })
	case Int16:
		return converted(t, x, func(v int16) float64 { return float64(v) })
	case Int8:
		return converted(t, x, func(v int8) float64 { return float64(v) })
	case Uint8:
		return converted(t, x, func(v uint8) float64 { return float64(v) })
	default:
		return converted(t, x, func(v bool) float64 {
			if v {
				return 1
			}
			return 0
		})
	}
}

func converted[T Element](t *testing.T, x *Tensor, f func(T) float64) []float64 {
	t.Helper()
	view, err := View[T](x)
	if err != nil {
		t.Fatal(err)
	}
	out := []float64{}
	for _, v := range view {
		out = append(out, f(v))
	}
	return out
}
