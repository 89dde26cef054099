package bridge

import (
	"fmt"
	"slices"
	"strings"
)

// DType is the element type of a tensor.
type DType uint8

// The element types. Float16 is IEEE binary16, BFloat16 the upper half of a binary32; Bool is one byte, 0 or 1.
const (
	Float64 DType = iota + 1
	Float32
	Float16
	BFloat16
	Int64
	Int32
	Int16
	Int8
	Uint8
	Bool
)

var dtypes = [...]struct {
	name string
	size int64
}{
	Float64:  {"float64", 8},
	Float32:  {"float32", 4},
	Float16:  {"float16", 2},
	BFloat16: {"bfloat16", 2},
	Int64:    {"int64", 8},
	Int32:    {"int32", 4},
	Int16:    {"int16", 2},
	Int8:     {"int8", 1},
	Uint8:    {"uint8", 1},
	Bool:     {"bool", 1},
}

// DTypes returns every element type.
func DTypes() []DType {
	all := make([]DType, 0, len(dtypes)-1)
	for d := Float64; int(d) < len(dtypes); d++ {
		all = append(all, d)
	}
	return all
}

// ParseDType returns the type of that name, such as "bfloat16". ErrInvalidTensor lists the names there are.
func ParseDType(name string) (DType, error) {
	for _, d := range DTypes() {
		if dtypes[d].name == name {
			return d, nil
		}
	}
	names := make([]string, 0, len(dtypes))
	for _, d := range DTypes() {
		names = append(names, d.String())
	}
	slices.Sort(names)
	return 0, Errorf(ErrInvalidTensor, "unknown dtype %q; dtypes are %s", name, strings.Join(names, ", "))
}

// Valid reports whether d is one of the constants.
func (d DType) Valid() bool { return d >= Float64 && int(d) < len(dtypes) }

// Size returns the bytes of one element, 0 for an invalid type.
func (d DType) Size() int64 {
	if !d.Valid() {
		return 0
	}
	return dtypes[d].size
}

// IsFloat reports whether the type can hold NaN.
func (d DType) IsFloat() bool { return d >= Float64 && d <= BFloat16 }

// String returns the name used in messages and files, the same as torch's without "torch.".
func (d DType) String() string {
	if !d.Valid() {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return dtypes[d].name
}
