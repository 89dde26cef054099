package bridge

import (
	"os"
	"sync"
)

// Segment is one shared memory region: a sparse memfd, sealed against shrinking and growing, mapped once here and once
// in every plugin that gets it. Memory is used only where it is touched; freed ranges are given back to the system.
//
// All methods may be called concurrently.
type Segment struct {
	mu     sync.Mutex
	file   *os.File
	memory []byte
	ranges *allocator
	used   int64
	closed bool
}

// minCapacity is the least default capacity. It costs address space only.
const minCapacity = 1 << 30

// NewSegment returns a segment of capacity bytes, rounded up to whole pages. Zero stands for a quarter of the machine's
// memory, but at least 1 GiB. ErrUnsupportedHere means that the system has no sealed memfd or no address space for it.
func NewSegment(capacity int64) (*Segment, error) {
	if capacity < 0 {
		return nil, Errorf(ErrInvalidArgument, "segment capacity: expected 0 or more bytes, got %d", capacity)
	}
	if capacity == 0 {
		capacity = max(TotalMemory()/4, minCapacity)
	}
	capacity = roundUp(capacity, int64(os.Getpagesize()))
	file, memory, err := createSegment(capacity)
	if err != nil {
		return nil, err
	}
	return &Segment{file: file, memory: memory, ranges: newAllocator(capacity)}, nil
}

// Capacity returns the size of the segment in bytes.
func (s *Segment) Capacity() int64 { return int64(len(s.memory)) }

// Used returns the bytes that are allocated now.
func (s *Segment) Used() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// Alloc returns a tensor whose contents are undefined: zero in fresh memory, an old tensor's bytes in reused memory.
// ErrInvalidTensor means a bad dtype or shape; ErrUnsupportedHere that the segment or the machine has not enough memory.
func (s *Segment) Alloc(dtype DType, shape ...int64) (*Tensor, error) {
	n, err := byteSize(dtype, shape)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, Errorf(ErrInvalidArgument, "the segment is closed")
	}
	if n > s.Capacity() {
		return nil, Errorf(ErrUnsupportedHere, "%s needs %d bytes, but the segment has a capacity of %d", describe(dtype, shape), n, s.Capacity())
	}
	// A sparse page that the system cannot provide would be SIGBUS at first touch. Small tensors are not worth the look.
	if n >= 1<<20 {
		if free := AvailableMemory(); n > free {
			return nil, Errorf(ErrUnsupportedHere, "%s needs %d bytes, but the machine has %d available", describe(dtype, shape), n, free)
		}
	}
	offset, ok := s.ranges.alloc(n)
	if !ok {
		return nil, Errorf(ErrUnsupportedHere, "%s needs %d bytes, but the largest free range of the segment is %d of %d bytes",
			describe(dtype, shape), n, s.ranges.largest(), s.Capacity())
	}
	s.used += s.ranges.inUse[offset]
	return &Tensor{dtype: dtype, shape: append([]int64{}, shape...), offset: offset, nbytes: n, seg: s}, nil
}

// Free gives the tensor's memory back. Views of it must not be used any more; using the Tensor gives ErrInvalidTensor.
// Freeing twice, or after Close, does nothing.
func (t *Tensor) Free() {
	s := t.seg
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || t.offset < 0 {
		return
	}
	freed, merged, ok := s.ranges.release(t.offset)
	t.offset = -1
	if !ok {
		return
	}
	s.used -= freed.size
	// Whole pages around what was freed go back to the system; the rest of the merged range went back earlier.
	page := int64(os.Getpagesize())
	from := max(roundUp(merged.offset, page), freed.offset/page*page)
	to := min(merged.end()/page*page, roundUp(freed.end(), page))
	if to > from {
		punchHole(s.file, from, to-from)
	}
}

// Bytes returns the tensor's memory. It is valid until Free or Segment.Close, and then must not be touched.
func (t *Tensor) Bytes() ([]byte, error) {
	t.seg.mu.Lock()
	defer t.seg.mu.Unlock()
	if t.seg.closed || t.offset < 0 {
		return nil, Errorf(ErrInvalidTensor, "%s was freed or its segment is closed", t)
	}
	return t.seg.memory[t.offset : t.offset+t.nbytes : t.offset+t.nbytes], nil
}

// Close unmaps the segment. Every view of it becomes invalid; plugins keep their own mapping. Close is idempotent.
func (s *Segment) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := unmap(s.memory)
	s.memory = nil
	if closeErr := s.file.Close(); err == nil {
		err = closeErr
	}
	return err
}

// Holds reports whether t was allocated in s, whether or not it has been freed since.
func (s *Segment) Holds(t *Tensor) bool { return t.seg == s }

// descriptor returns how t is named on the wire to a plugin that maps s.
func (s *Segment) descriptor(t *Tensor) (Descriptor, error) {
	if t == nil {
		return Descriptor{}, Errorf(ErrInvalidTensor, "expected a tensor, got nil")
	}
	if t.seg != s {
		return Descriptor{}, Errorf(ErrInvalidTensor, "%s belongs to another segment than the plugin's", t)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || t.offset < 0 {
		return Descriptor{}, Errorf(ErrInvalidTensor, "%s was freed or its segment is closed", t)
	}
	return Descriptor{DType: t.dtype, Shape: t.shape, Offset: t.offset}, nil
}
