package validate

import (
	"fmt"
	"math"
	"strconv"

	"github.com/layactl/layactl/bridge"
)

// Difference is what comparing a tensor with its reference found.
type Difference struct {
	// Elements is the number of elements compared.
	Elements int64
	// MaxAbs is the largest |got - want|; infinite where one is infinite and the other is not the same.
	MaxAbs float64
	// MaxULP is the largest distance in units in the last place of the element type: how many representable values lie
	// between got and want. It is large where a sum near zero lost its leading digits, so it is shown, not judged.
	MaxULP uint64
	// Worst is the index of the element with the largest difference, nil if all are equal; Got and Want are its values.
	Worst     []int64
	Got, Want float64
	// ReferenceMax is the largest finite |want|: the scale against which MaxAbs must be read.
	ReferenceMax float64
	// NaN counts the elements where got or want is NaN and that is not allowed, FirstNaN is the index of the first.
	NaN      int64
	FirstNaN []int64
}

// Compare compares got with want element by element. NaN is refused on either side, unless nanExpected: then it must
// stand in the same places. Equal infinities differ by 0. ErrInvalidTensor means that dtypes or shapes differ.
func Compare(got, want *bridge.Tensor, nanExpected bool) (Difference, error) {
	if got.DType() != want.DType() || got.String() != want.String() {
		return Difference{}, bridge.Errorf(bridge.ErrInvalidTensor, "cannot compare %s with %s", got, want)
	}
	switch got.DType() {
	case bridge.Float64:
		return compare(got, want, nanExpected, func(v float64) float64 { return v }, func(v float64) int64 {
			return order(int64(math.Float64bits(v)), math.MinInt64)
		})
	case bridge.Float32:
		return compare(got, want, nanExpected, func(v float32) float64 { return float64(v) }, func(v float32) int64 {
			return order(int64(int32(math.Float32bits(v))), math.MinInt32)
		})
	case bridge.Float16:
		return compare(got, want, nanExpected, func(v bridge.Float16Bits) float64 { return float64(v.Float32()) }, func(v bridge.Float16Bits) int64 {
			return order(int64(int16(v)), math.MinInt16)
		})
	case bridge.BFloat16:
		return compare(got, want, nanExpected, func(v bridge.BFloat16Bits) float64 { return float64(v.Float32()) }, func(v bridge.BFloat16Bits) int64 {
			return order(int64(int16(v)), math.MinInt16)
		})
	case bridge.Int64:
		return compareIntegers[int64](got, want)
	case bridge.Int32:
		return compareIntegers[int32](got, want)
	case bridge.Int16:
		return compareIntegers[int16](got, want)
	case bridge.Int8:
		return compareIntegers[int8](got, want)
	case bridge.Uint8:
		return compareIntegers[uint8](got, want)
	default:
		number := func(v bool) int64 {
			if v {
				return 1
			}
			return 0
		}
		return compare(got, want, false, func(v bool) float64 { return float64(number(v)) }, number)
	}
}

func compareIntegers[T int64 | int32 | int16 | int8 | uint8](got, want *bridge.Tensor) (Difference, error) {
	return compare(got, want, false, func(v T) float64 { return float64(v) }, func(v T) int64 { return int64(v) })
}

// order maps the bits of a float, read as a signed integer whose least value is lowest, to integers that are ordered as
// the floats are, with both zeros at 0.
func order(bits, lowest int64) int64 {
	if bits < 0 {
		return lowest - bits
	}
	return bits
}

func compare[T bridge.Element](got, want *bridge.Tensor, nanExpected bool, value func(T) float64, rank func(T) int64) (Difference, error) {
	g, err := bridge.View[T](got)
	if err != nil {
		return Difference{}, err
	}
	w, err := bridge.View[T](want)
	if err != nil {
		return Difference{}, err
	}
	d := Difference{Elements: int64(len(g))}
	worst, firstNaN := -1, -1
	for i := range g {
		if g[i] == w[i] && value(w[i]) == value(w[i]) { // not NaN in its bits: half floats are compared as integers here
			if m := math.Abs(value(w[i])); m > d.ReferenceMax && !math.IsInf(m, 0) {
				d.ReferenceMax = m
			}
			continue
		}
		a, b := value(g[i]), value(w[i])
		if a != a || b != b {
			if nanExpected && a != a && b != b {
				continue
			}
			if firstNaN < 0 {
				firstNaN = i
			}
			d.NaN++
			continue
		}
		if m := math.Abs(b); m > d.ReferenceMax && !math.IsInf(m, 0) {
			d.ReferenceMax = m
		}
		diff := math.Abs(a - b)
		if a == b { // +0 and -0
			continue
		}
		ulp := distance(rank(g[i]), rank(w[i]))
		d.MaxULP = max(d.MaxULP, ulp)
		if worst < 0 || diff > d.MaxAbs {
			worst, d.MaxAbs, d.Got, d.Want = i, diff, a, b
		}
	}
	shape := got.Shape()
	if worst >= 0 {
		d.Worst = unravel(int64(worst), shape)
	}
	if firstNaN >= 0 {
		d.FirstNaN = unravel(int64(firstNaN), shape)
	}
	return d, nil
}

func distance(a, b int64) uint64 {
	if a > b {
		a, b = b, a
	}
	return uint64(b) - uint64(a)
}

// unravel turns a flat index into one index per dimension.
func unravel(flat int64, shape []int64) []int64 {
	index := make([]int64, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		index[i] = flat % shape[i]
		flat /= shape[i]
	}
	return index
}

// judge says why the difference is not within tolerance, "" if it is.
func (d Difference) judge(tolerance float64) string {
	switch {
	case d.Elements == 0:
		return ""
	case d.NaN > 0:
		return fmt.Sprintf("NaN or an unwritten element at %v (%d of %d)", d.FirstNaN, d.NaN, d.Elements)
	case d.MaxAbs > tolerance:
		return fmt.Sprintf("differs by %s at %v: got %s, expected %s", short(d.MaxAbs), d.Worst, short(d.Got), short(d.Want))
	case d.ReferenceMax <= 2*tolerance:
		return fmt.Sprintf("proves nothing: the reference is at most %s, so an output of zeros would pass", short(d.ReferenceMax))
	}
	return ""
}

func short(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }
