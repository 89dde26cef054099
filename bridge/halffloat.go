package bridge

import "math"

// BFloat16Bits is a bfloat16 as its 16 bits: sign, 8 exponent bits, 7 fraction bits.
type BFloat16Bits uint16

// Float16Bits is an IEEE binary16 as its 16 bits: sign, 5 exponent bits, 10 fraction bits.
type Float16Bits uint16

// Float32 returns the value; every bfloat16 has one.
func (b BFloat16Bits) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// RoundBFloat16 rounds to nearest, ties to even, as torch does. NaN stays NaN (quiet), infinities stay.
func RoundBFloat16(f float32) BFloat16Bits {
	bits := math.Float32bits(f)
	if f != f {
		return BFloat16Bits(bits>>16 | 0x40) // the quiet bit keeps a NaN whose payload is in the lower half
	}
	return BFloat16Bits((bits + 0x7fff + bits>>16&1) >> 16)
}

// Float32 returns the value; every binary16 has one.
func (h Float16Bits) Float32() float32 {
	sign := uint32(h&0x8000) << 16
	exponent := uint32(h>>10) & 0x1f
	fraction := uint32(h) & 0x3ff
	switch {
	case exponent == 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	case exponent != 0:
		return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
	default: // zero or subnormal: fraction * 2^-24 is exact
		f := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(f) | sign)
	}
}

// RoundFloat16 rounds to nearest, ties to even, as torch does; values past 65504 + half a step become infinite.
func RoundFloat16(f float32) Float16Bits {
	bits := math.Float32bits(f)
	sign := Float16Bits(bits >> 16 & 0x8000)
	magnitude := bits & 0x7fffffff
	switch {
	case f != f:
		return sign | 0x7e00 | Float16Bits(magnitude>>13&0x3ff)
	case magnitude >= 0x477ff000: // 65520: rounds to infinity
		return sign | 0x7c00
	case magnitude >= 0x38800000: // 2^-14: normal
		rounded := magnitude + 0xfff + magnitude>>13&1
		return sign | Float16Bits((rounded-112<<23)>>13)
	default: // adding 0.5 leaves the subnormal's fraction, rounded, in the low bits of the sum
		sum := math.Float32frombits(magnitude) + 0.5
		return sign | Float16Bits(math.Float32bits(sum)-math.Float32bits(0.5))
	}
}
