//go:build !linux

package doctor

import (
	"io/fs"
	"os"
)

// mount is what matters of the file system that a folder lies on; unknown on this system.
type mount struct {
	noexec bool
	free   int64
	known  bool
}

func mountOf(string) (mount, error) { return mount{}, nil }

// writable returns why folder cannot be written: here only that it is not there.
func writable(folder string) error {
	_, err := os.Stat(folder)
	return err
}

// openToOthers says nothing: this system's permissions are not examined.
func openToOthers(fs.FileInfo) string { return "" }
