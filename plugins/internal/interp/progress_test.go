package interp

import (
	"slices"
	"testing"
	"time"

	"github.com/layactl/layactl/bridge"
)

// FuzzProgress: whatever an op writes to the pipe, its call ends, and the next call's progress arrives.
func FuzzProgress(f *testing.F) {
	f.Add([]byte(`{"call": 1, "text": "half", "fraction": 0.5}` + "\n"))
	f.Add([]byte(`{"call": 1, "text": "no newline`))
	f.Add([]byte("\xff\xfe\n\n{}\nnull\n[1]\n" + `{"call": "one"}` + "\n"))
	f.Add([]byte(`{"call": 1, "end": true}` + "\n" + `{"call": 1, "end": true}` + "\n" + `{"call": 2, "end": true}` + "\n"))
	f.Add([]byte(`{"call": 1, "fraction": 1e999}` + "\n"))
	f.Fuzz(func(t *testing.T, written []byte) {
		p, err := newProgressPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { // the listener ends with the pipe
			p.write.Close()
			p.read.Close()
		}()
		end := p.listenTo(1, func(bridge.Progress) {})
		if _, err := p.write.Write(written[:min(len(written), 32<<10)]); err != nil {
			t.Fatal(err)
		}
		within(t, end)
		var got []string
		end = p.listenTo(3, func(p bridge.Progress) { got = append(got, p.Text) })
		if _, err := p.write.WriteString(`{"call": 3, "text": "well", "fraction": 1}` + "\n"); err != nil {
			t.Fatal(err)
		}
		within(t, end)
		if !slices.Contains(got, "well") {
			t.Errorf("the next call's progress is lost: %q", got)
		}
	})
}

func within(t *testing.T, end func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- end() }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the call does not end")
	}
}

// TestProgressOfAThreadThatWritesOn: a long line that is being written when the call ends does not swallow the end.
func TestProgressOfAThreadThatWritesOn(t *testing.T) {
	p, err := newProgressPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer p.read.Close()
	defer p.write.Close()
	end := p.listenTo(1, func(bridge.Progress) {})
	if _, err := p.write.WriteString(`{"call": 1, "text": "half a li`); err != nil {
		t.Fatal(err)
	}
	within(t, end)
}
