package bridge

import (
	"math"
	"testing"
)

func TestEveryHalfFloatRoundTrips(t *testing.T) {
	for i := range 1 << 16 {
		b := BFloat16Bits(i)
		if got := RoundBFloat16(b.Float32()); got != b && !isNaN(b.Float32()) {
			t.Fatalf("bfloat16 %#04x came back as %#04x", i, got)
		}
		h := Float16Bits(i)
		if got := RoundFloat16(h.Float32()); got != h && !isNaN(h.Float32()) {
			t.Fatalf("float16 %#04x came back as %#04x", i, got)
		}
		if isNaN(b.Float32()) && !isNaN(RoundBFloat16(b.Float32()).Float32()) || isNaN(h.Float32()) && !isNaN(RoundFloat16(h.Float32()).Float32()) {
			t.Fatalf("the NaN %#04x came back as a number", i)
		}
	}
}

func isNaN(f float32) bool { return f != f }

func TestRounding(t *testing.T) {
	for _, test := range []struct {
		f    float32
		bf16 BFloat16Bits
		fp16 Float16Bits
	}{
		{0, 0, 0},
		{float32(math.Copysign(0, -1)), 0x8000, 0x8000},
		{1, 0x3f80, 0x3c00},
		{1 + 1.0/256, 0x3f80, 0x3c04},  // half a bf16 step: to even, down
		{1 + 3.0/256, 0x3f82, 0x3c0c},  // to even, up
		{1 + 1.0/2048, 0x3f80, 0x3c00}, // half an fp16 step: to even, down
		{1 + 3.0/2048, 0x3f80, 0x3c02}, // to even, up
		{65519, 0x4780, 0x7bff},        // the largest finite fp16
		{65520, 0x4780, 0x7c00},        // rounds to infinity
		{-65520, 0xc780, 0xfc00},       //
		{5.9604645e-8, 0x3380, 0x0001}, // 2^-24, the smallest subnormal
		{2.9802322e-8, 0x3300, 0x0000}, // 2^-25, half of it: to even
		{8.9406967e-8, 0x33c0, 0x0002}, // 1.5 of it: to even
		{6.0975552e-5, 0x3880, 0x03ff}, // the largest subnormal
		{3.4028235e38, 0x7f80, 0x7c00}, // the largest fp32 rounds to infinity
		{float32(math.Inf(-1)), 0xff80, 0xfc00},
	} {
		if got := RoundBFloat16(test.f); got != test.bf16 {
			t.Errorf("bfloat16 of %g: expected %#04x, got %#04x", test.f, test.bf16, got)
		}
		if got := RoundFloat16(test.f); got != test.fp16 {
			t.Errorf("float16 of %g: expected %#04x, got %#04x", test.f, test.fp16, got)
		}
	}
	if got := RoundBFloat16(math.Float32frombits(0x7f800001)); !isNaN(got.Float32()) {
		t.Errorf("a NaN with a low payload became %g", got.Float32())
	}
}
