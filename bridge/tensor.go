package bridge

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// MaxRank is the highest number of dimensions a tensor may have.
const MaxRank = 32

// Tensor is a C-contiguous range of a segment with a dtype and a shape.
//
// Its memory belongs to the segment: views die with Free and with Segment.Close. A Tensor may be read from any number
// of goroutines; who writes to it must see to it that nobody else does, in this process or in a plugin.
type Tensor struct {
	dtype  DType
	shape  []int64
	offset int64
	nbytes int64
	seg    *Segment
}

// DType returns the element type.
func (t *Tensor) DType() DType { return t.dtype }

// Shape returns a copy of the shape; it is empty for a scalar.
func (t *Tensor) Shape() []int64 { return slices.Clone(t.shape) }

// Offset returns the distance of the first byte from the start of the segment.
func (t *Tensor) Offset() int64 { return t.offset }

// NumBytes returns the size of the elements in bytes.
func (t *Tensor) NumBytes() int64 { return t.nbytes }

// NumElements returns the product of the shape.
func (t *Tensor) NumElements() int64 { return t.nbytes / t.dtype.Size() }

// String describes the tensor as in error texts, such as "float32[17, 70]".
func (t *Tensor) String() string { return describe(t.dtype, t.shape) }

func describe(d DType, shape []int64) string {
	dims := make([]string, len(shape))
	for i, n := range shape {
		dims[i] = fmt.Sprint(n)
	}
	return fmt.Sprintf("%s[%s]", d, strings.Join(dims, ", "))
}

// byteSize returns the bytes of a C-contiguous tensor, or ErrInvalidTensor for a bad dtype, rank, dimension or overflow.
func byteSize(d DType, shape []int64) (int64, error) {
	if !d.Valid() {
		return 0, Errorf(ErrInvalidTensor, "dtype: expected one of the ten dtypes, got %v", d)
	}
	if len(shape) > MaxRank {
		return 0, Errorf(ErrInvalidTensor, "shape: expected at most %d dimensions, got %d", MaxRank, len(shape))
	}
	for i, n := range shape {
		if n < 0 {
			return 0, Errorf(ErrInvalidTensor, "shape: dimension %d must not be negative, got %d", i, n)
		}
	}
	if slices.Contains(shape, 0) {
		return 0, nil // before the product: an empty tensor may have other dimensions of any size
	}
	size := uint64(d.Size())
	for _, n := range shape {
		hi, lo := bits.Mul64(size, uint64(n))
		if hi != 0 || lo > 1<<62 {
			return 0, Errorf(ErrInvalidTensor, "shape: the size of %s overflows 64 bits", describe(d, shape))
		}
		size = lo
	}
	return int64(size), nil
}

// Descriptor is a tensor as it travels to the other side, which must not trust it.
type Descriptor struct {
	DType  DType
	Shape  []int64
	Offset int64
}

// check validates a descriptor from the other side against a segment of capacity bytes and returns its byte size.
func (d Descriptor) check(capacity int64) (int64, error) {
	n, err := byteSize(d.DType, d.Shape)
	if err != nil {
		return 0, err
	}
	if d.Offset < 0 || d.Offset > capacity || n > capacity-d.Offset {
		return 0, Errorf(ErrInvalidTensor, "offset: %d bytes at offset %d do not fit a segment of %d bytes", n, d.Offset, capacity)
	}
	if d.Offset%d.DType.Size() != 0 {
		return 0, Errorf(ErrInvalidTensor, "offset: %d is not a multiple of the %d bytes of %v", d.Offset, d.DType.Size(), d.DType)
	}
	return n, nil
}
