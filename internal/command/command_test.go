//go:build unix

package command

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunReturnsBothStreams(t *testing.T) {
	out, err := Run(t.Context(), Spec{Args: []string{"sh", "-c", "echo out; echo err >&2"}})
	if err != nil || string(out.Stdout) != "out\n" || string(out.Stderr) != "err\n" {
		t.Fatalf("got %q, %q, %v", out.Stdout, out.Stderr, err)
	}
}

func TestRunSaysHowItEnded(t *testing.T) {
	_, err := Run(t.Context(), Spec{Args: []string{"sh", "-c", "echo first >&2; echo the reason >&2; exit 7"}})
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 || !strings.Contains(err.Error(), "the reason") {
		t.Fatalf("got %v", err)
	}
}

func TestRunNamesWhatIsMissing(t *testing.T) {
	_, err := Run(t.Context(), Spec{Args: []string{"no-such-program-here"}})
	if !errors.Is(err, exec.ErrNotFound) {
		t.Fatalf("got %v", err)
	}
}

func TestDeadlineEndsTheWholeGroup(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	began := time.Now()
	_, err := Run(t.Context(), Spec{
		Args:    []string{"sh", "-c", "sleep 300 & echo $! > " + pidFile + "; wait"},
		Timeout: 300 * time.Millisecond,
	})
	if !errors.Is(err, ErrDeadline) {
		t.Fatalf("expected ErrDeadline, got %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if gone(pid) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("grandchild %d is still there", pid)
}

// gone reports whether the process ended; one that nobody has waited for yet counts.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || bytes.Contains(stat, []byte(") Z "))
}

func TestCancelIsNotADeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err := Run(ctx, Spec{Args: []string{"sleep", "300"}, Timeout: time.Minute})
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrDeadline) {
		t.Fatalf("expected context.Canceled, got %v", err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	out, err := Run(t.Context(), Spec{Args: []string{"sh", "-c", "head -c 3000000 /dev/zero"}})
	if err != nil || len(out.Stdout) != keptOutput {
		t.Fatalf("kept %d bytes, %v", len(out.Stdout), err)
	}
}
