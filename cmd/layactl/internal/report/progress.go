package report

import (
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
)

// Progress is a bar that moves on a terminal and says nothing anywhere else.
type Progress struct {
	writer  progress.Writer
	tracker *progress.Tracker
	done    chan struct{}
}

// Progress starts a bar of total steps under a title. Nothing may be printed until its Close.
func (p *Printer) Progress(title string, total int) *Progress {
	if !isTerminal(p.progress) {
		return &Progress{}
	}
	w := progress.NewWriter()
	w.SetOutputWriter(p.progress)
	w.SetAutoStop(false)
	w.SetUpdateFrequency(100 * time.Millisecond)
	w.SetTrackerLength(30)
	w.SetMessageLength(48)
	w.Style().Visibility.Value = true
	w.Style().Visibility.ETA = true
	bar := &Progress{writer: w, tracker: &progress.Tracker{Message: title, Total: int64(total), RemoveOnCompletion: true}, done: make(chan struct{})}
	w.AppendTracker(bar.tracker)
	go func() {
		defer close(bar.done)
		w.Render()
	}()
	return bar
}

// Step says that one more step is done and what comes next ("" leaves the text).
func (b *Progress) Step(next string) {
	if b.writer == nil {
		return
	}
	b.tracker.Increment(1)
	b.Now(next)
}

// Now says what is being done.
func (b *Progress) Now(what string) {
	if b.writer != nil && what != "" {
		b.tracker.UpdateMessage(what)
	}
}

// Set says what is being done and how many steps are done; a negative number leaves that as it is.
func (b *Progress) Set(what string, done int64) {
	if b.writer == nil {
		return
	}
	b.Now(what)
	if done >= 0 {
		b.tracker.SetValue(done)
	}
}

// Close removes the bar; a second Close does nothing.
func (b *Progress) Close() {
	if b.writer == nil {
		return
	}
	b.tracker.MarkAsDone()
	for stopped := false; !stopped; {
		b.writer.Stop() // does nothing when rendering has not begun yet, so it may take a second call
		select {
		case <-b.done:
			stopped = true
		case <-time.After(10 * time.Millisecond):
		}
	}
	b.writer = nil
}
