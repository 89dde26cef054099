package bridge_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// startController runs TestControllerDies in another process and returns the pid of its plugin and a way to kill it.
func startController(t *testing.T, temp string) (pid int, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestControllerDies$")
	cmd.Env = append(os.Environ(), "BRIDGE_TEST_CONTROLLER="+temp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for pid == 0 && lines.Scan() {
		_, _ = fmt.Sscanf(lines.Text(), "plugin %d", &pid)
	}
	if pid == 0 {
		t.Fatal("the controller did not name its plugin")
	}
	return pid, func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
	}
}

// isZombie reports whether pid has ended but was not reaped: after its parent's end that is init's business.
func isZombie(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return strings.HasPrefix(rest, "Z")
}
