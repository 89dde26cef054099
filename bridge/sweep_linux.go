package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// owner identifies a process beyond its pid, which another may have later, or at the same time in another container that
// shares the temp folder.
type owner struct {
	PID int `json:"pid"`
	// Start is when it started, in clock ticks after boot.
	Start uint64 `json:"start"`
	// Boot is the kernel's random name of this boot.
	Boot string `json:"boot"`
	// Namespace is the pid namespace.
	Namespace string `json:"namespace"`
}

// identify describes the process pid, which must be of this pid namespace.
func identify(pid int) (owner, error) {
	o := owner{PID: pid}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return o, err
	}
	o.Boot = strings.TrimSpace(string(boot))
	if o.Namespace, err = os.Readlink("/proc/self/ns/pid"); err != nil {
		return o, err
	}
	o.Start, err = startTicks(pid)
	return o, err
}

// startTicks returns field 22 of /proc/PID/stat. Its field 2 may contain spaces and parentheses.
func startTicks(pid int) (uint64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 20 {
		return 0, fmt.Errorf("/proc/%d/stat: expected 52 fields, got %d", pid, len(fields)+2)
	}
	return strconv.ParseUint(fields[19], 10, 64)
}

// writeOwner marks a run folder as this process's. Without /proc it stays unmarked, and is never swept.
func writeOwner(dir string) error {
	o, err := identify(os.Getpid())
	if err != nil {
		return nil
	}
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ownerFile), data, 0o600)
}

// abandoned tells whether dir is this user's run folder and its owner, a process of this boot and this pid namespace,
// is gone.
func abandoned(dir string) bool {
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR || int(st.Uid) != os.Geteuid() {
		return false
	}
	data, err := os.ReadFile(filepath.Join(dir, ownerFile))
	var o owner
	if err != nil || json.Unmarshal(data, &o) != nil || o.PID <= 0 || o.Start == 0 {
		return false
	}
	now, err := identify(os.Getpid())
	if err != nil || now.Boot != o.Boot || now.Namespace != o.Namespace {
		return false
	}
	start, err := startTicks(o.PID)
	return os.IsNotExist(err) || err == nil && start != o.Start
}

// killMarked ends every other process that inherited dir as its run folder, in whatever process group or session it is,
// and waits for it. It looks again until there is none: a process may fork while it is looked for.
func killMarked(dir string) {
	for range 10 {
		ended := 0
		entries, _ := os.ReadDir("/proc")
		for _, e := range entries {
			if pid, err := strconv.Atoi(e.Name()); err == nil && pid != os.Getpid() && killIfMarked(pid, dir) {
				ended++
			}
		}
		if ended == 0 {
			return
		}
	}
}

func killIfMarked(pid int, dir string) bool {
	if !marked(pid, dir) {
		return false
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	if !marked(pid, dir) { // now it is the descriptor's process that was looked at
		return false
	}
	if unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) != nil {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); {
		if n, _ := unix.Poll(fds, 100); n > 0 {
			break
		}
	}
	return true
}

// marked tells whether dir is among the run folders in the environment that the process was started with.
func marked(pid int, dir string) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // empty for a zombie, refused for another user's
	if err != nil {
		return false
	}
	for entry := range bytes.SplitSeq(data, []byte{0}) {
		if list, ok := bytes.CutPrefix(entry, []byte(envRunDir+"=")); ok {
			return slices.Contains(filepath.SplitList(string(list)), dir)
		}
	}
	return false
}
