package bridge

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func itoa(fd uintptr) string { return strconv.FormatUint(uint64(fd), 10) }

func blocks(info fs.FileInfo) int64 { return info.Sys().(*syscall.Stat_t).Blocks }

func TestSegmentCannotShrink(t *testing.T) {
	s := newTestSegment(t, 1<<20)
	if err := unix.Ftruncate(int(s.file.Fd()), 4096); !errors.Is(err, unix.EPERM) {
		t.Errorf("expected EPERM, got %v", err)
	}
	plain, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := openSegment(plain); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("a file that is not sealed: expected ErrInvalidArgument, got %v", err)
	}
}
