package bridge

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func newTestSegment(t *testing.T, capacity int64) *Segment {
	t.Helper()
	s, err := NewSegment(capacity)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestByteSize(t *testing.T) {
	for _, test := range []struct {
		dtype DType
		shape []int64
		want  int64
		err   string
	}{
		{Float32, []int64{17, 70}, 4760, ""},
		{Bool, nil, 1, ""},
		{Float64, []int64{0, math.MaxInt64, math.MaxInt64}, 0, ""},
		{Int8, []int64{1 << 31, 1 << 31}, 1 << 62, ""},
		{Int8, []int64{1 << 31, 1 << 31, 2}, 0, "overflows"},
		{Float32, []int64{math.MaxInt64, 3}, 0, "overflows"},
		{Float32, []int64{3, -1}, 0, "dimension 1 must not be negative, got -1"},
		{Float32, make([]int64, 33), 0, "at most 32 dimensions, got 33"},
		{Float32, make([]int64, 32), 0, ""},
		{DType(0), []int64{1}, 0, "dtype"},
		{DType(11), []int64{1}, 0, "dtype"},
	} {
		got, err := byteSize(test.dtype, test.shape)
		if test.err == "" && (err != nil || got != test.want) {
			t.Errorf("%v%v: expected %d, got %d, %v", test.dtype, test.shape, test.want, got, err)
		}
		if test.err != "" && (!errors.Is(err, ErrInvalidTensor) || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%v%v: expected an error with %q, got %v", test.dtype, test.shape, test.err, err)
		}
	}
}

func TestDescriptorCheck(t *testing.T) {
	const capacity = 1 << 20
	for _, test := range []struct {
		d   Descriptor
		err string
	}{
		{Descriptor{Float32, []int64{1 << 18}, 0}, ""},
		{Descriptor{Float32, []int64{1 << 18}, 4}, "do not fit"},
		{Descriptor{Float32, []int64{0}, capacity}, ""},
		{Descriptor{Float32, []int64{0}, capacity + 4}, "do not fit"},
		{Descriptor{Float32, []int64{1}, -4}, "do not fit"},
		{Descriptor{Float32, []int64{1}, math.MaxInt64 - 3}, "do not fit"},
		{Descriptor{Float32, []int64{1 << 61}, 0}, "overflows"},
		{Descriptor{Float32, []int64{1}, 2}, "not a multiple of the 4 bytes"},
		{Descriptor{BFloat16, []int64{1}, 2}, ""},
		{Descriptor{0, []int64{1}, 0}, "dtype"},
	} {
		_, err := test.d.check(capacity)
		if test.err == "" && err != nil || test.err != "" && (!errors.Is(err, ErrInvalidTensor) || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%+v: expected an error with %q, got %v", test.d, test.err, err)
		}
	}
}

// FuzzDescriptor: whatever the other side sends is refused or lies inside the segment.
func FuzzDescriptor(f *testing.F) {
	f.Add(uint8(2), int64(3), int64(5), int64(0))
	f.Add(uint8(1), int64(math.MaxInt64), int64(2), int64(64))
	f.Add(uint8(4), int64(-1), int64(0), int64(-64))
	f.Fuzz(func(t *testing.T, dtype uint8, rows, columns, offset int64) {
		const capacity = 1 << 20
		n, err := Descriptor{DType(dtype), []int64{rows, columns}, offset}.check(capacity)
		if err == nil && (n < 0 || offset < 0 || offset > capacity-n) {
			t.Errorf("accepted %d bytes at %d of %d", n, offset, capacity)
		}
	})
}

func TestAllocatorKeepsItsBooks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	a := newAllocator(1 << 20)
	live := map[int64]int64{}
	for range 20_000 {
		if len(live) > 0 && random.IntN(2) == 0 {
			for offset := range live {
				if _, _, ok := a.release(offset); !ok {
					t.Fatalf("offset %d is not in use", offset)
				}
				delete(live, offset)
				break
			}
			continue
		}
		n := random.Int64N(20_000)
		offset, ok := a.alloc(n)
		if !ok {
			continue
		}
		for o, m := range live {
			if offset < o+m && o < offset+n {
				t.Fatalf("[%d, %d) overlaps [%d, %d)", offset, offset+n, o, o+m)
			}
		}
		live[offset] = n
	}
	for offset := range live {
		a.release(offset)
	}
	if len(a.free) != 1 || a.free[0] != (span{0, 1 << 20}) {
		t.Errorf("after everything was freed: %v", a.free)
	}
	if _, _, ok := a.release(0); ok {
		t.Error("a free range was released again")
	}
}

func TestFreedPagesGoBack(t *testing.T) {
	s := newTestSegment(t, 64<<20)
	resident := func() int64 {
		info, err := os.Stat("/proc/self/fd/" + itoa(s.file.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		return blocks(info) * 512
	}
	x, err := s.Alloc(Uint8, 32<<20)
	if err != nil {
		t.Fatal(err)
	}
	data, err := x.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if n := resident(); n != 0 {
		t.Errorf("an untouched tensor uses %d bytes", n)
	}
	for i := range data {
		data[i] = 1
	}
	if n := resident(); n != 32<<20 {
		t.Errorf("expected 32 MiB in use, got %d", n)
	}
	x.Free()
	if n := resident(); n != 0 {
		t.Errorf("after Free %d bytes are in use", n)
	}
	if _, err := x.Bytes(); !errors.Is(err, ErrInvalidTensor) {
		t.Errorf("a freed tensor: expected ErrInvalidTensor, got %v", err)
	}
}

func TestAllocRefuses(t *testing.T) {
	s := newTestSegment(t, 1<<20)
	if _, err := s.Alloc(Uint8, 1<<20+1); !errors.Is(err, ErrUnsupportedHere) || !strings.Contains(err.Error(), "capacity of 1048576") {
		t.Errorf("more than the capacity: got %v", err)
	}
	if _, err := s.Alloc(Uint8, 1<<19); err != nil {
		t.Error(err)
	}
	if _, err := s.Alloc(Uint8, 1<<19+1); !errors.Is(err, ErrUnsupportedHere) || !strings.Contains(err.Error(), "largest free range") {
		t.Errorf("more than what is free: got %v", err)
	}
	huge := newTestSegment(t, 1<<44) // 16 TiB of address space, more than any machine's memory
	if _, err := huge.Alloc(Uint8, 1<<43); !errors.Is(err, ErrUnsupportedHere) || !strings.Contains(err.Error(), "available") {
		t.Errorf("more than the machine's memory: expected an error, not SIGBUS; got %v", err)
	}
	if _, err := NewSegment(-1); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("a negative capacity: got %v", err)
	}
	s.Close()
	s.Close()
	if _, err := s.Alloc(Uint8, 1); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("a closed segment: got %v", err)
	}
}

func TestViews(t *testing.T) {
	s := newTestSegment(t, 1<<20)
	x, err := s.Alloc(BFloat16, 3)
	if err != nil {
		t.Fatal(err)
	}
	v, err := View[BFloat16Bits](x)
	if err != nil || len(v) != 3 {
		t.Fatalf("got %d elements, %v", len(v), err)
	}
	v[2] = RoundBFloat16(-1.5)
	if data, _ := x.Bytes(); data[4] != 0xc0 || data[5] != 0xbf {
		t.Errorf("-1.5 is %#x in memory", data[4:])
	}
	if _, err := View[float32](x); !errors.Is(err, ErrInvalidTensor) || !strings.Contains(err.Error(), "bfloat16[3]") {
		t.Errorf("a view of another type: got %v", err)
	}
	b, err := s.Alloc(Bool, 2)
	if err != nil {
		t.Fatal(err)
	}
	data, _ := b.Bytes()
	data[0], data[1] = 1, 2
	if _, err := View[bool](b); !errors.Is(err, ErrInvalidTensor) {
		t.Errorf("a bool that is 2: got %v", err)
	}
	empty, err := s.Alloc(Float64, 0, 4)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := View[float64](empty); err != nil || len(v) != 0 {
		t.Errorf("an empty view: got %v, %v", v, err)
	}
}
