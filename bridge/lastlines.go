package bridge

import (
	"regexp"
	"strings"
	"sync"
	"syscall"
)

const (
	keptLines    = 400  // enough to find the head of a Go crash report behind its stacks
	keptLineSize = 1024 // a longer line is cut: it is for people
	shownLines   = 10

	// goCrashStatus is the exit status of a Go program that the runtime ended because of a fatal signal or a panic.
	goCrashStatus = 2
)

// lastLines is a writer that keeps the last lines written to it.
type lastLines struct {
	mu    sync.Mutex
	lines []string
	open  strings.Builder // the line that has no newline yet
}

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
			l.lines = append(l.lines, strings.ToValidUTF8(l.open.String(), "\uFFFD"))
		}
		l.open.Reset()
		if len(l.lines) > keptLines {
			l.lines = append(l.lines[:0], l.lines[len(l.lines)-keptLines:]...)
		}
		text = rest
	}
}

func (l *lastLines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := append([]string{}, l.lines...)
	if l.open.Len() > 0 {
		lines = append(lines, strings.ToValidUTF8(l.open.String(), "\uFFFD"))
	}
	return lines
}

func (l *lastLines) last() []string {
	lines := l.all()
	return lines[max(0, len(lines)-shownLines):]
}

var crashHead = regexp.MustCompile(`^(SIG[A-Z]+): |^\[signal (SIG[A-Z]+)`)

// goCrash finds the Go runtime's report of a fatal signal and returns the signal and the lines around its head: what
// the process said before it, and what the report says first. The stacks that follow would only push that out of sight.
func goCrash(lines []string) (syscall.Signal, []string, bool) {
	for i, line := range lines {
		if m := crashHead.FindStringSubmatch(line); m != nil {
			shown := lines[max(0, i-shownLines/2):min(len(lines), i+shownLines/2)]
			return signalByName(m[1] + m[2]), shown, true
		}
	}
	return 0, nil, false
}
