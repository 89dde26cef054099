package validate

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/layactl/layactl/bridge"
)

func newSegment(t *testing.T) *bridge.Segment {
	t.Helper()
	s, err := bridge.NewSegment(1 << 24)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func tensor[T bridge.Element](t *testing.T, s *bridge.Segment, dtype bridge.DType, shape []int64, values ...T) *bridge.Tensor {
	t.Helper()
	x, err := s.Alloc(dtype, shape...)
	if err != nil {
		t.Fatal(err)
	}
	v, err := bridge.View[T](x)
	if err != nil {
		t.Fatal(err)
	}
	copy(v, values)
	return x
}

var (
	inf = float32(math.Inf(1))
	nan = float32(math.NaN())
)

func TestCompareFloat32(t *testing.T) {
	s := newSegment(t)
	for _, test := range []struct {
		name      string
		got, want []float32
		tolerance float64
		expectNaN bool
		maxAbs    float64
		maxULP    uint64
		reason    string
	}{
		{name: "equal", got: []float32{1, -2, 0}, want: []float32{1, -2, 0}},
		{name: "zeros of both signs are equal", got: []float32{1, float32(math.Copysign(0, -1))}, want: []float32{1, 0}},
		{name: "one ulp", got: []float32{1, math.Nextafter32(1, 2)}, want: []float32{1, 1}, tolerance: 1e-6, maxAbs: 1.0 / (1 << 23), maxULP: 1},
		{name: "across zero", got: []float32{1, math.SmallestNonzeroFloat32}, want: []float32{1, -math.SmallestNonzeroFloat32}, tolerance: 1e-6, maxAbs: 2 * math.SmallestNonzeroFloat32, maxULP: 2},
		{name: "past the tolerance", got: []float32{1, 2.5}, want: []float32{1, 2}, tolerance: 0.25, maxAbs: 0.5, maxULP: 1 << 21, reason: "differs by 0.5 at [1]: got 2.5, expected 2"},
		{name: "NaN in the output", got: []float32{nan, 1}, want: []float32{1, 1}, reason: "NaN or an unwritten element at [0] (1 of 2)"},
		{name: "NaN in both is not equality", got: []float32{1, nan}, want: []float32{1, nan}, reason: "at [1]"},
		{name: "NaN in both where it is expected", got: []float32{1, nan}, want: []float32{1, nan}, expectNaN: true},
		{name: "NaN in the wrong place", got: []float32{nan, 1}, want: []float32{1, nan}, expectNaN: true, reason: "at [0] (2 of 2)"},
		{name: "the same infinity", got: []float32{inf, 1}, want: []float32{inf, 1}},
		{name: "infinity against a number", got: []float32{inf, 1}, want: []float32{3e38, 1}, tolerance: 1e30, maxAbs: math.Inf(1), maxULP: 0x7f800000 - uint64(math.Float32bits(3e38)), reason: "differs by +Inf at [0]"},
		{name: "opposite infinities", got: []float32{-inf, 1}, want: []float32{inf, 1}, tolerance: 1e30, maxAbs: math.Inf(1), maxULP: 2 * 0x7f800000, reason: "differs by +Inf"},
		{name: "zeros against a reference below the tolerance", got: []float32{0, 0}, want: []float32{1e-6, 0}, tolerance: 2e-5, maxAbs: float64(float32(1e-6)), maxULP: uint64(math.Float32bits(1e-6)), reason: "proves nothing"},
		{name: "zeros against zeros", got: []float32{0, 0}, want: []float32{0, 0}, reason: "proves nothing"},
		{name: "empty", got: nil, want: nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			shape := []int64{int64(len(test.got))}
			d, err := Compare(tensor(t, s, bridge.Float32, shape, test.got...), tensor(t, s, bridge.Float32, shape, test.want...), test.expectNaN)
			if err != nil {
				t.Fatal(err)
			}
			if d.MaxAbs != test.maxAbs || d.MaxULP != test.maxULP {
				t.Errorf("expected a difference of %g (%d ulp), got %g (%d)", test.maxAbs, test.maxULP, d.MaxAbs, d.MaxULP)
			}
			if reason := d.judge(test.tolerance); test.reason == "" && reason != "" || !strings.Contains(reason, test.reason) {
				t.Errorf("expected the reason %q, got %q", test.reason, reason)
			}
		})
	}
}

func TestCompareOtherTypes(t *testing.T) {
	s := newSegment(t)
	b := func(f float32) bridge.BFloat16Bits { return bridge.RoundBFloat16(f) }
	h := func(f float32) bridge.Float16Bits { return bridge.RoundFloat16(f) }
	shape := []int64{2}
	for name, test := range map[string]struct {
		got, want *bridge.Tensor
		maxAbs    float64
		maxULP    uint64
		nan       int64
	}{
		"bfloat16":     {tensor(t, s, bridge.BFloat16, shape, b(1), b(-1)), tensor(t, s, bridge.BFloat16, shape, b(1), b(-1.0078125)), 0.0078125, 1, 0},
		"bfloat16 NaN": {tensor(t, s, bridge.BFloat16, shape, b(nan), b(1)), tensor(t, s, bridge.BFloat16, shape, b(nan), b(1)), 0, 0, 1},
		"float16":      {tensor(t, s, bridge.Float16, shape, h(2), h(65504)), tensor(t, s, bridge.Float16, shape, h(2.001953125), h(65504)), 0.001953125, 1, 0},
		"float64":      {tensor(t, s, bridge.Float64, shape, 1, math.Nextafter(2, 3)), tensor(t, s, bridge.Float64, shape, 1.0, 2), math.Nextafter(2, 3) - 2, 1, 0},
		"int64":        {tensor(t, s, bridge.Int64, shape, int64(math.MinInt64), 7), tensor(t, s, bridge.Int64, shape, int64(math.MaxInt64), 7), math.Pow(2, 64), math.MaxUint64, 0},
		"uint8":        {tensor(t, s, bridge.Uint8, shape, uint8(0), 255), tensor(t, s, bridge.Uint8, shape, uint8(0), 250), 5, 5, 0},
		"bool":         {tensor(t, s, bridge.Bool, shape, true, false), tensor(t, s, bridge.Bool, shape, true, true), 1, 1, 0},
	} {
		d, err := Compare(test.got, test.want, false)
		if err != nil {
			t.Fatal(err)
		}
		if d.MaxAbs != test.maxAbs || d.MaxULP != test.maxULP || d.NaN != test.nan {
			t.Errorf("%s: expected %g, %d ulp, %d NaN; got %g, %d, %d", name, test.maxAbs, test.maxULP, test.nan, d.MaxAbs, d.MaxULP, d.NaN)
		}
	}
	if _, err := Compare(tensor[int8](t, s, bridge.Int8, shape), tensor[uint8](t, s, bridge.Uint8, shape), false); !errors.Is(err, bridge.ErrInvalidTensor) {
		t.Errorf("different dtypes: got %v", err)
	}
	if _, err := Compare(tensor[int8](t, s, bridge.Int8, []int64{2, 3}), tensor[int8](t, s, bridge.Int8, []int64{3, 2}), false); !errors.Is(err, bridge.ErrInvalidTensor) {
		t.Errorf("different shapes: got %v", err)
	}
}

func TestWorstIndexHasOneNumberPerDimension(t *testing.T) {
	s := newSegment(t)
	got, want := make([]float32, 24), make([]float32, 24)
	got[1*12+2*4+3], want[0] = 1, 1
	got[0] = 1
	d, err := Compare(tensor(t, s, bridge.Float32, []int64{2, 3, 4}, got...), tensor(t, s, bridge.Float32, []int64{2, 3, 4}, want...), false)
	if err != nil || !slices.Equal(d.Worst, []int64{1, 2, 3}) {
		t.Errorf("expected [1 2 3], got %v, %v", d.Worst, err)
	}
}

func TestRecordHoldsNoBareNaN(t *testing.T) {
	r := Record{Rows: []Row{{Op: "gemm", MaxAbsDiff: Number(math.Inf(1)), Got: number(math.NaN()), Verdict: Fail}}}
	r.summarize(nil)
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Record
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(float64(back.Rows[0].MaxAbsDiff), 1) || !math.IsNaN(float64(*back.Rows[0].Got)) || back.Verdict != Fail || back.Kernels[0].Failed != 1 {
		t.Errorf("%s came back as %+v", data, back)
	}
	empty := Record{}
	if empty.summarize(nil); empty.Verdict != Fail {
		t.Error("a record without rows passed")
	}
}

func TestSelect(t *testing.T) {
	kernels := []Kernel{{Name: "gemm", Cases: []Case{{Name: "a"}, {Name: "b"}}}, {Name: "rope", Cases: []Case{{Name: "a"}}}}
	for _, test := range []struct {
		selectors []string
		want      string
		err       string
	}{
		{nil, "gemm/a gemm/b rope/a", ""},
		{[]string{"rope"}, "rope/a", ""},
		{[]string{"gemm/b"}, "gemm/b", ""},
		{[]string{"gemm/b", "gemm"}, "gemm/a gemm/b", ""},
		{[]string{"rope", "gemm/a"}, "gemm/a rope/a", ""},
		{[]string{"geglu"}, "", `unknown op "geglu"; ops: gemm, rope`},
		{[]string{"gemm/z"}, "", `op gemm has no case "z"; cases: a, b`},
	} {
		got, err := Select(kernels, test.selectors)
		if test.err != "" {
			if !errors.Is(err, bridge.ErrUnknownOp) || err.Error() != test.err {
				t.Errorf("%v: expected %q, got %v", test.selectors, test.err, err)
			}
			continue
		}
		var names []string
		for _, k := range got {
			for _, c := range k.Cases {
				names = append(names, k.Name+"/"+c.Name)
			}
		}
		if strings.Join(names, " ") != test.want {
			t.Errorf("%v: expected %s, got %v", test.selectors, test.want, names)
		}
	}
}
