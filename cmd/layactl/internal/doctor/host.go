package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/layactl/layactl/bridge"
)

const gib = 1 << 30

// What a host should have free. Importing torch and TileLang takes about 1 GiB, compiling the kernels as much again.
const (
	wantMemory = 4 * gib
	needMemory = gib
	wantSpace  = gib
)

// tempFolder looks at where plugins keep their private folders and compilers their intermediate files.
func (e *examination) tempFolder(context.Context) {
	const fix = "set TMPDIR to a folder that can be written and is not mounted noexec"
	folder := os.TempDir()
	made, err := os.MkdirTemp(folder, "layactl-doctor-")
	if err != nil {
		e.missing("temp folder", fmt.Sprintf("%s cannot be written: %v", folder, err), fix)
		return
	}
	_ = os.Remove(made)
	mount, err := mountOf(folder)
	switch {
	case err != nil:
		e.warning("temp folder", fmt.Sprintf("%s: %v", folder, err), fix)
	case mount.noexec:
		e.missing("temp folder", folder+" is mounted noexec: nothing compiled there can be loaded", fix)
	case mount.known && mount.free < wantSpace:
		e.warning("temp folder", fmt.Sprintf("%s has %s free", folder, gibText(mount.free)), "free 1 GiB, or set TMPDIR to another folder")
	default:
		e.ok("temp folder", folder+", writable, programs may run from it")
	}
}

// cacheFolder looks at where compiled kernels stay. It makes nothing: the plugins do, privately.
func (e *examination) cacheFolder(context.Context) {
	const topic = "cache folder"
	const fix = "set LAYACTL_CACHE_DIR or --cache-dir to a folder of your own"
	if e.CacheDir == "" {
		e.missing(topic, "there is no place for it: HOME and XDG_CACHE_HOME are not set", fix)
		return
	}
	info, err := os.Stat(e.CacheDir)
	if errors.Is(err, fs.ErrNotExist) {
		parent := nearestFolder(e.CacheDir)
		if mount, err := mountOf(parent); err == nil && mount.noexec {
			e.missing(topic, parent+" is mounted noexec: no compiled kernel can be loaded from it", fix)
		} else if err := writable(parent); err != nil {
			e.missing(topic, fmt.Sprintf("%s cannot be made: %v", e.CacheDir, err), fix)
		} else {
			e.ok(topic, e.CacheDir+", to be made when first needed")
		}
		return
	}
	switch {
	case err != nil:
		e.missing(topic, err.Error(), fix)
		return
	case !info.IsDir():
		e.missing(topic, e.CacheDir+" is not a folder", fix)
		return
	}
	if err := writable(e.CacheDir); err != nil {
		e.missing(topic, fmt.Sprintf("%s cannot be written: %v", e.CacheDir, err), fix)
		return
	}
	if mount, err := mountOf(e.CacheDir); err == nil && mount.noexec {
		e.missing(topic, e.CacheDir+" is mounted noexec: no compiled kernel can be loaded from it", fix)
		return
	}
	if other := openToOthers(info); other != "" {
		e.warning(topic, fmt.Sprintf("%s %s, and code is loaded from it", e.CacheDir, other), "chmod 700 "+e.CacheDir)
		return
	}
	e.ok(topic, e.CacheDir+", nobody else can write to it")
}

// nearestFolder returns the deepest folder above path that exists.
func nearestFolder(path string) string {
	for {
		parent := filepath.Dir(path)
		if info, err := os.Stat(parent); err == nil && info.IsDir() || parent == path {
			return parent
		}
		path = parent
	}
}

func (e *examination) memory(context.Context) {
	free := bridge.AvailableMemory()
	switch {
	case free < needMemory:
		e.missing("memory", gibText(free)+" available; torch and TileLang need 1 GiB", "end other programs, or raise the container's limit")
	case free < wantMemory:
		e.warning("memory", gibText(free)+" available; compiling the kernels may need 4 GiB", "end other programs, or raise the container's limit")
	default:
		e.ok("memory", fmt.Sprintf("%s available of %s", gibText(free), gibText(bridge.TotalMemory())))
	}
}

// sharedMemory makes a segment as a run would, small.
func (e *examination) sharedMemory(context.Context) {
	segment, err := bridge.NewSegment(int64(os.Getpagesize()))
	if err != nil {
		e.missing("shared memory", err.Error(), "layactl runs plugins on Linux with memfd_create (3.17 or newer)")
		return
	}
	defer segment.Close()
	e.ok("shared memory", "sealed memfd works")
}

func gibText(n int64) string { return fmt.Sprintf("%.1f GiB", float64(n)/gib) }
