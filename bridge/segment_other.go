//go:build !linux

package bridge

import (
	"math"
	"os"
	"runtime"
)

func createSegment(int64) (*os.File, []byte, error) {
	return nil, nil, Errorf(ErrUnsupportedHere, "segments need Linux (a sealed memfd), this is %s", runtime.GOOS)
}

func openSegment(*os.File) ([]byte, error) {
	return nil, Errorf(ErrUnsupportedHere, "segments need Linux (a sealed memfd), this is %s", runtime.GOOS)
}

func unmap([]byte) error { return nil }

func punchHole(*os.File, int64, int64) {}

// TotalMemory returns 0: it is not known here.
func TotalMemory() int64 { return 0 }

// AvailableMemory returns the largest number: it is not known here.
func AvailableMemory() int64 { return math.MaxInt64 }
