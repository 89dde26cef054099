package interp

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/layactl/layactl/bridge"
)

// progressPipe carries progress from Python to Go: one JSON object a line. A pipe needs no callback into Go and no
// interpreter lock, and Python writes a short line to it in one piece.
type progressPipe struct {
	read, write *os.File

	mu    sync.Mutex
	calls map[int64]*listener
}

type listener struct {
	report func(bridge.Progress)
	ended  chan struct{}
}

type progressLine struct {
	Call     int64   `json:"call"`
	Text     string  `json:"text"`
	Fraction float64 `json:"fraction"`
	End      bool    `json:"end"`
}

func newProgressPipe() (*progressPipe, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &progressPipe{read: read, write: write, calls: map[int64]*listener{}}
	go p.listen()
	return p, nil
}

func (p *progressPipe) listen() {
	lines := bufio.NewReader(p.read)
	for {
		text, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		var line progressLine
		if err := json.Unmarshal([]byte(strings.ToValidUTF8(text, "\uFFFD")), &line); err != nil {
			continue // something else wrote to our descriptor; progress is not worth a failure
		}
		p.mu.Lock()
		l := p.calls[line.Call]
		if line.End {
			delete(p.calls, line.Call)
		}
		p.mu.Unlock()
		switch {
		case l == nil:
		case line.End:
			close(l.ended)
		default:
			l.report(bridge.Progress{Text: line.Text, Fraction: line.Fraction})
		}
	}
}

// listenTo delivers the progress of one call until the returned function is called. That function returns when
// everything written before it was delivered, so that no progress follows a result.
func (p *progressPipe) listenTo(call int64, report func(bridge.Progress)) (end func() error) {
	l := &listener{report: report, ended: make(chan struct{})}
	p.mu.Lock()
	p.calls[call] = l
	p.mu.Unlock()
	return func() error {
		line, err := json.Marshal(progressLine{Call: call, End: true})
		if err != nil {
			return err
		}
		// A line of its own, even in the middle of what another thread of the op is still writing.
		if _, err := p.write.Write(slices.Concat([]byte{'\n'}, line, []byte{'\n'})); err != nil {
			return err
		}
		<-l.ended
		return nil
	}
}
