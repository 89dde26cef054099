package bridge_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/layactl/layactl/bridge"
)

// envController makes TestControllerDies the controller that will be killed; it holds the temp folder.
const envController = "BRIDGE_TEST_CONTROLLER"

// TestControllerDies kills a controller with two plugins, each with a child in its group and one that left it. In every
// case all of it is gone within a second, or at the next start when nobody was left to tidy up.
func TestControllerDies(t *testing.T) {
	if temp := os.Getenv(envController); temp != "" {
		beController(t, temp)
		return
	}
	for _, test := range []struct {
		name  string
		first func(t *testing.T, plugin int) // what happens to each plugin before
	}{
		{name: "while its plugins are well", first: func(*testing.T, int) {}},
		{name: "while its plugins are stopped", first: func(t *testing.T, plugin int) { signal(t, plugin, syscall.SIGSTOP) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := sharedMemory(t)
			c := startController(t)
			for _, pid := range c.Plugins {
				test.first(t, pid)
			}
			c.kill(t)
			c.expectGone(t)
			expectEmpty(t, c.temp)
			if after := sharedMemory(t); !slices.Equal(before, after) {
				t.Errorf("/dev/shm: expected %q, got %q", before, after)
			}
		})
	}
	t.Run("with its plugins, and the next start tidies up", func(t *testing.T) {
		c := startController(t)
		signal(t, c.pid, syscall.SIGSTOP) // it must not see its plugins' end
		for _, pid := range c.Plugins {
			signal(t, pid, syscall.SIGKILL)
		}
		c.kill(t)
		foreign := c.foreignFolders(t)
		if err := mustStart(t, bridge.Config{TempDir: c.temp}).Close(); err != nil {
			t.Error(err)
		}
		c.expectGone(t)
		if got := names(t, c.temp); !slices.Equal(got, foreign) {
			t.Errorf("expected only the folders that are not provably ours, %q, got %q", foreign, got)
		}
	})
}

func TestCloseEndsWhatLeftTheGroup(t *testing.T) {
	p := mustStart(t, bridge.Config{})
	var pids []int
	if err := json.Unmarshal(call(t, p, "spawn", nil), &pids); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		if !isGone(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
}

// controller is another process of this test with its plugins and their children.
type controller struct {
	pid     int
	temp    string
	process *exec.Cmd
	Plugins []int
	Others  []int
}

func beController(t *testing.T, temp string) {
	var c controller
	for range 2 {
		p := mustStart(t, bridge.Config{TempDir: temp, Segment: segment(t, 1<<20)})
		var children []int
		if err := json.Unmarshal(call(t, p, "spawn", nil), &children); err != nil {
			t.Fatal(err)
		}
		c.Plugins, c.Others = append(c.Plugins, p.PID()), append(c.Others, children...)
	}
	line, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("controller %s\n", line)
	time.Sleep(time.Minute)
}

func startController(t *testing.T) *controller {
	t.Helper()
	c := &controller{temp: t.TempDir()}
	c.process = exec.Command(os.Args[0], "-test.run=^TestControllerDies$")
	c.process.Env = append(os.Environ(), envController+"="+c.temp)
	out, err := c.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.process.Start(); err != nil {
		t.Fatal(err)
	}
	c.pid = c.process.Process.Pid
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "controller "); ok {
			if err := json.Unmarshal([]byte(text), c); err != nil {
				t.Fatal(err)
			}
			return c
		}
	}
	t.Fatal("the controller did not name its plugins")
	return nil
}

func (c *controller) kill(t *testing.T) {
	t.Helper()
	signal(t, c.pid, syscall.SIGKILL)
	_ = c.process.Wait() // it was killed
}

// expectGone waits for a second, or ten times that on a machine that is busy with other things.
func (c *controller) expectGone(t *testing.T) {
	t.Helper()
	begun := time.Now()
	for _, pid := range slices.Concat(c.Plugins, c.Others) {
		for !isGone(pid) {
			if time.Since(begun) > 10*time.Second {
				t.Fatalf("process %d outlived its controller", pid)
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
	t.Logf("all gone %v after the controller", time.Since(begun))
}

// foreignFolders puts folders beside the controller's that look like run folders and are not to be touched.
func (c *controller) foreignFolders(t *testing.T) []string {
	t.Helper()
	mine, err := filepath.Glob(filepath.Join(c.temp, "layactl-*", "owner.json"))
	if err != nil || len(mine) != 2 {
		t.Fatalf("expected the owners of two run folders, got %q, %v", mine, err)
	}
	data, err := os.ReadFile(mine[0])
	if err != nil {
		t.Fatal(err)
	}
	var owner map[string]any
	if err := json.Unmarshal(data, &owner); err != nil {
		t.Fatal(err)
	}
	living, boot, namespace := clone(owner), clone(owner), clone(owner)
	living["pid"], living["start"] = os.Getpid(), startTicks(t, os.Getpid())
	boot["boot"] = "another"
	namespace["namespace"] = "pid:[1]"
	folders := map[string]any{
		"layactl-living": living, "layactl-boot": boot, "layactl-namespace": namespace, "layactl-unreadable": "no owner", "layactl-unmarked": nil,
	}
	var all []string
	for name, owner := range folders {
		all = append(all, name)
		if err := os.Mkdir(filepath.Join(c.temp, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if owner == nil {
			continue
		}
		data, err := json.Marshal(owner)
		if err == nil {
			err = os.WriteFile(filepath.Join(c.temp, name, "owner.json"), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(all)
	return all
}

func clone(m map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

func startTicks(t *testing.T, pid int) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	var ticks int
	if _, err := fmt.Sscan(strings.Fields(rest)[19], &ticks); err != nil {
		t.Fatal(err)
	}
	return ticks
}

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// sharedMemory lists what this user has in /dev/shm under a name of ours.
func sharedMemory(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("/dev/shm/*laya*")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func signal(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatalf("%v to %d: %v", s, pid, err)
	}
}

// isGone reports whether pid has ended, reaped or not: after its parent's end that is init's business.
func isGone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return strings.HasPrefix(rest, "Z")
}
