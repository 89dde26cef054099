package bridge

import (
	"cmp"
	"slices"
)

// alignment of every allocation: a cache line, and the width of an AVX-512 vector.
const alignment = 64

// span is a range of free bytes.
type span struct{ offset, size int64 }

func (s span) end() int64 { return s.offset + s.size }

// allocator hands out ranges of one address space, first fit. It is not safe for concurrent use.
type allocator struct {
	free  []span // sorted by offset; neighbours never touch
	inUse map[int64]int64
}

func newAllocator(capacity int64) *allocator {
	return &allocator{free: []span{{0, capacity}}, inUse: map[int64]int64{}}
}

// alloc returns the offset of n bytes, or false when no free range is large enough. It reserves at least one unit, so
// that every allocation, an empty one too, has an offset of its own.
func (a *allocator) alloc(n int64) (int64, bool) {
	size := roundUp(max(n, 1), alignment)
	for i, s := range a.free {
		if s.size < size {
			continue
		}
		if s.size == size {
			a.free = slices.Delete(a.free, i, i+1)
		} else {
			a.free[i] = span{s.offset + size, s.size - size}
		}
		a.inUse[s.offset] = size
		return s.offset, true
	}
	return 0, false
}

// release gives a range back and returns the free range it is now part of, or false if offset is not in use.
func (a *allocator) release(offset int64) (freed, merged span, ok bool) {
	size, ok := a.inUse[offset]
	if !ok {
		return span{}, span{}, false
	}
	delete(a.inUse, offset)
	freed = span{offset, size}
	i, _ := slices.BinarySearchFunc(a.free, offset, func(s span, o int64) int { return cmp.Compare(s.offset, o) })
	merged = freed
	if i < len(a.free) && merged.end() == a.free[i].offset {
		merged.size += a.free[i].size
		a.free = slices.Delete(a.free, i, i+1)
	}
	if i > 0 && a.free[i-1].end() == merged.offset {
		i--
		merged = span{a.free[i].offset, a.free[i].size + merged.size}
		a.free[i] = merged
	} else {
		a.free = slices.Insert(a.free, i, merged)
	}
	return freed, merged, true
}

// largest returns the size of the largest free range.
func (a *allocator) largest() int64 {
	var n int64
	for _, s := range a.free {
		n = max(n, s.size)
	}
	return n
}

func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }
