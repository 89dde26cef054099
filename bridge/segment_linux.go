package bridge

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// createSegment returns a sealed memfd of capacity bytes and its mapping.
func createSegment(capacity int64) (*os.File, []byte, error) {
	fd, err := unix.MemfdCreate("layactl-segment", unix.MFD_ALLOW_SEALING|unix.MFD_CLOEXEC)
	if err != nil {
		return nil, nil, Errorf(ErrUnsupportedHere, "segment: memfd_create: %v", err)
	}
	file := os.NewFile(uintptr(fd), "layactl-segment")
	if err := unix.Ftruncate(fd, capacity); err != nil {
		file.Close()
		return nil, nil, Errorf(ErrUnsupportedHere, "segment: cannot make it %d bytes: %v", capacity, err)
	}
	// Neither side can shrink it under the other's mapping, which would be SIGBUS there.
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		file.Close()
		return nil, nil, Errorf(ErrUnsupportedHere, "segment: cannot seal the memfd: %v", err)
	}
	memory, err := mapSegment(file, capacity)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, memory, nil
}

// openSegment maps the segment that a controller handed over as an open file. It refuses one that could still shrink.
func openSegment(file *os.File) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, Errorf(ErrInvalidArgument, "segment: %v", err)
	}
	seals, err := unix.FcntlInt(file.Fd(), unix.F_GET_SEALS, 0)
	if err != nil || seals&unix.F_SEAL_SHRINK == 0 {
		return nil, Errorf(ErrInvalidArgument, "segment: expected a memfd sealed against shrinking, got %s", file.Name())
	}
	return mapSegment(file, info.Size())
}

func mapSegment(file *os.File, capacity int64) ([]byte, error) {
	if capacity > math.MaxInt {
		return nil, Errorf(ErrUnsupportedHere, "segment: %d bytes do not fit this machine's address space", capacity)
	}
	memory, err := unix.Mmap(int(file.Fd()), 0, int(capacity), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return nil, Errorf(ErrUnsupportedHere, "segment: cannot map %d bytes: %v", capacity, err)
	}
	// A core dump would write out every touched page. Best effort: an old kernel without the advice loses nothing else.
	_ = unix.Madvise(memory, unix.MADV_DONTDUMP)
	return memory, nil
}

func unmap(memory []byte) error { return unix.Munmap(memory) }

// punchHole gives pages back to the system. Failure only keeps them in use, so it is not an error.
func punchHole(file *os.File, offset, size int64) {
	_ = unix.Fallocate(int(file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, offset, size)
}

// TotalMemory returns the machine's memory in bytes, or 0 when it cannot be read.
func TotalMemory() int64 { return memInfo("MemTotal:") }

// AvailableMemory returns what can be used without swapping: the machine's, or less where a cgroup limits it.
func AvailableMemory() int64 {
	free := memInfo("MemAvailable:")
	if free == 0 {
		return math.MaxInt64
	}
	limit, err1 := readNumber("/sys/fs/cgroup/memory.max")
	current, err2 := readNumber("/sys/fs/cgroup/memory.current")
	if err1 == nil && err2 == nil {
		free = min(free, max(limit-current, 0))
	}
	return free
}

func memInfo(key string) int64 {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) >= 2 && fields[0] == key {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}

func readNumber(path string) (int64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
}
