package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mount is what matters of the file system that a folder lies on.
type mount struct {
	noexec bool
	free   int64 // bytes for ordinary users
	known  bool
}

func mountOf(folder string) (mount, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return mount{}, &fs.PathError{Op: "statfs", Path: folder, Err: err}
	}
	return mount{noexec: s.Flags&unix.ST_NOEXEC != 0, free: int64(s.Bavail) * s.Bsize, known: true}, nil
}

// writable returns why this user cannot make files in folder, without making one.
func writable(folder string) error {
	if err := unix.Access(folder, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "write", Path: folder, Err: err}
	}
	return nil
}

// openToOthers says in words who else can put code into a folder, "" if nobody. The plugins' folders inside are closed
// to readers as well; they see to that themselves.
func openToOthers(info fs.FileInfo) string {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Getuid() {
		return fmt.Sprintf("belongs to user %d", stat.Uid)
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Sprintf("can be written by others (mode %04o)", mode)
	}
	return ""
}
