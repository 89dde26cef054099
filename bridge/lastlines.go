package bridge

import (
	"regexp"
	"strings"
	"sync"
	"syscall"
)

const (
	keptLineSize = 1024 // a longer line is cut: it is for people
	shownLines   = 10

	// goCrashStatus is the exit status of a Go program that the runtime ended because of a fatal signal or a panic.
	goCrashStatus = 2
)

// lastLines is a writer that keeps the last lines written to it, and the lines around the head of a Go crash report:
// the stacks and registers that follow it would push it out of sight.
type lastLines struct {
	mu    sync.Mutex
	lines []string
	open  strings.Builder // the line that has no newline yet

	crash  []string
	signal syscall.Signal
}

// The two ways in which the Go runtime names a fatal signal: one that C code or another process raised, and one that Go
// code raised, which is a panic first.
var crashHead = regexp.MustCompile(`^(SIG[A-Z]+): |^\[signal (SIG[A-Z]+)`)

func (l *lastLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := string(b)
	for {
		line, rest, found := strings.Cut(text, "\n")
		if room := keptLineSize - l.open.Len(); room > 0 {
			l.open.WriteString(line[:min(len(line), room)])
		}
		if !found {
			return len(b), nil
		}
		if l.open.Len() > 0 {
			l.add(strings.ToValidUTF8(l.open.String(), "\uFFFD"))
		}
		l.open.Reset()
		text = rest
	}
}

func (l *lastLines) add(line string) {
	l.lines = append(l.lines, line)
	if len(l.lines) > shownLines {
		l.lines = l.lines[1:]
	}
	switch m := crashHead.FindStringSubmatch(line); {
	case m != nil && l.crash == nil:
		l.signal = signalByName(m[1] + m[2])
		l.crash = append(l.crash, l.lines[max(0, len(l.lines)-shownLines/2):]...)
	case l.crash != nil && len(l.crash) < shownLines:
		l.crash = append(l.crash, line)
	}
}

// last returns the last lines, oldest first.
func (l *lastLines) last() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := append([]string{}, l.lines...)
	if l.open.Len() > 0 {
		lines = append(lines, strings.ToValidUTF8(l.open.String(), "\uFFFD"))
	}
	return lines
}

// goCrash returns the signal that a Go crash report named and the lines around its head, or false if there was none.
func (l *lastLines) goCrash() (syscall.Signal, []string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.signal, append([]string{}, l.crash...), l.crash != nil
}
