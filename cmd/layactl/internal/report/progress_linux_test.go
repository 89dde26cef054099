package report

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo terminal and returns its two ends: what a program writes to, and what a person would see.
func terminal(t *testing.T) (program, screen *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return program, screen
}

func TestProgressOnATerminal(t *testing.T) {
	program, screen := terminal(t)
	bar := NewPrinter(io.Discard, program).Progress("validate", 2)
	bar.Step("gemm")
	time.Sleep(300 * time.Millisecond)
	bar.Close()
	bar.Close()

	seen := make([]byte, 1<<14)
	n, err := screen.Read(seen)
	if err != nil || !strings.Contains(string(seen[:n]), "gemm") {
		t.Errorf("the screen shows %q, %v", seen[:n], err)
	}
}

// A bar that is closed at once must not wait for a renderer that was not there yet.
func TestProgressClosesAtOnce(t *testing.T) {
	program, _ := terminal(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20 {
			NewPrinter(io.Discard, program).Progress("validate", 2).Close()
		}
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("Close waits for ever")
	}
}
