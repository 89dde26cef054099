package bridge

import "unsafe"

// Element is a Go type that a tensor can be viewed as.
type Element interface {
	float64 | float32 | Float16Bits | BFloat16Bits | int64 | int32 | int16 | int8 | uint8 | bool
}

// View returns the tensor's memory as a typed slice, without a copy. The element type must be the tensor's:
// ErrInvalidTensor otherwise. The slice is valid until Free or Segment.Close, and then must not be touched.
//
// A bool view must only hold bytes 0 and 1; View checks that, since another process may have written them.
func View[T Element](t *Tensor) ([]T, error) {
	var zero T
	if want := dtypeOf(zero); want != t.dtype {
		return nil, Errorf(ErrInvalidTensor, "expected a %v tensor, got %s", want, t)
	}
	data, err := t.Bytes()
	if err != nil {
		return nil, err
	}
	if t.dtype == Bool {
		for i, b := range data {
			if b > 1 {
				return nil, Errorf(ErrInvalidTensor, "%s: element %d: expected the byte 0 or 1, got %d", t, i, b)
			}
		}
	}
	if len(data) == 0 {
		return []T{}, nil
	}
	// The allocator's offsets are multiples of 64 in a page-aligned mapping, so every element is aligned.
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/int(unsafe.Sizeof(zero))), nil
}

func dtypeOf(v any) DType {
	switch v.(type) {
	case float64:
		return Float64
	case float32:
		return Float32
	case Float16Bits:
		return Float16
	case BFloat16Bits:
		return BFloat16
	case int64:
		return Int64
	case int32:
		return Int32
	case int16:
		return Int16
	case int8:
		return Int8
	case uint8:
		return Uint8
	default:
		return Bool
	}
}
