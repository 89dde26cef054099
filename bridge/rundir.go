package bridge

import (
	"os"
	"path/filepath"
)

// Names in the environment of a plugin.
const (
	envSegment = "LAYACTL_SEGMENT_FD" // number of the descriptor that holds the segment
	envParent  = "LAYACTL_PARENT_PID" // pid of the controller: when it ends, the plugin ends
	envRunDir  = "LAYACTL_RUN_DIR"    // the plugin's own folder, removed with it
)

// runDirPattern is how run folders are named.
const runDirPattern = "layactl-*"

// maxSocketDir is the longest folder in which go-plugin's socket still has a valid address (108 bytes with its names).
const maxSocketDir = 60

// runDir is the private folder of one plugin process: its temp folder and its socket. Everything in it goes with it.
type runDir struct {
	path    string
	sockets string // another folder when path is too long for a socket
}

func newRunDir(parent string) (*runDir, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	sweepOnce(parent)
	path, err := os.MkdirTemp(parent, runDirPattern)
	if err != nil {
		return nil, Errorf(ErrUnsupportedHere, "temp folder %s cannot be used (%v); set TMPDIR to a writable folder", parent, err)
	}
	d := &runDir{path: path, sockets: path}
	if err := writeOwner(path); err != nil {
		d.remove()
		return nil, err
	}
	if err := os.Mkdir(d.temp(), 0o700); err != nil {
		d.remove()
		return nil, err
	}
	if len(path) > maxSocketDir {
		sweepOnce("/tmp")
		if d.sockets, err = os.MkdirTemp("/tmp", runDirPattern); err == nil {
			err = writeOwner(d.sockets)
		}
		if err != nil {
			d.remove()
			return nil, Errorf(ErrUnsupportedHere, "temp folder %s is too long for a socket, and /tmp cannot be used instead: %v", path, err)
		}
	}
	return d, nil
}

// temp is the plugin's TMPDIR.
func (d *runDir) temp() string { return filepath.Join(d.path, "tmp") }

// all are the folders, in the form of envRunDir.
func (d *runDir) all() string {
	if d.sockets == d.path {
		return d.path
	}
	return d.path + string(filepath.ListSeparator) + d.sockets
}

func (d *runDir) remove() error {
	err := os.RemoveAll(d.path)
	if d.sockets != d.path && d.sockets != "" {
		if err2 := os.RemoveAll(d.sockets); err == nil {
			err = err2
		}
	}
	return err
}
