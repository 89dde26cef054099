// Package bridgetest checks that a plugin keeps the contract of package bridge.
//
// [Run] does it in a Go test, [Check] anywhere; `layactl plugin test` prints what Check returns. What any plugin offers is
// checked on every plugin: Info, refusals, cancelled calls, concurrent calls, close, restart. No op of the plugin itself is
// called, since nobody knows what it does. A plugin that offers the conformance ops is looked into: tensors of every dtype
// and odd sizes, every error code, progress, cancel and deadline in mid-call, death.
//
// The conformance ops; [Fake] is the same in Go, and layabridge.ops.conformance in Python:
//
//	conform_echo       {value: any}             returns value
//	conform_describe   any tensors              returns [{name, dtype, shape, bytes, writable}] in call order
//	conform_increment  any tensors              adds 1 to every byte, modulo 256; returns null
//	conform_progress   {count: int}             reports "step 0", "step 1" and so on, with fraction i/count; returns null
//	conform_fail       {code: str, text: str}   fails with that code and text; remote is a ValueError with a traceback
//	conform_wait       {}                       reports "waiting" and returns with code cancelled once it is cancelled
//	conform_exit       {status: int}            ends the process with that status
package bridgetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/layactl/layactl/bridge"
)

// Plugin is what is checked: *bridge.Plugin, or a stand-in for it without a process.
type Plugin interface {
	Info(ctx context.Context) (bridge.Info, error)
	Call(ctx context.Context, request bridge.Request) (json.RawMessage, error)
	Close() error
}

// Target says how to start the plugin that is checked.
type Target struct {
	// Start starts a fresh plugin on a segment. The checks close it.
	Start func(ctx context.Context, segment *bridge.Segment) (Plugin, error)
	// InProcess is set when there is no process that could die.
	InProcess bool
	// Timeout limits each check. Default: 1 minute, since a plugin may have to import a lot.
	Timeout time.Duration
}

// Result is what one check found.
type Result struct {
	// Name says what must hold.
	Name string
	// Err says what does not; nil when all of it does.
	Err error
	// Skipped says why the check was not made; "" when it was.
	Skipped string
	// Took is how long it ran.
	Took time.Duration
}

// check is one row of the tables of checks.
type check struct {
	name string
	run  func(*checking) error
	// ops is set when the conformance ops are needed, process when a process is.
	ops, process bool
	// fresh is set when the check needs a plugin of its own, which it may end.
	fresh bool
}

// checking is what a check works with.
type checking struct {
	ctx     context.Context
	target  Target
	segment *bridge.Segment
	plugin  Plugin
}

// errNotKept is what every finding wraps.
var errNotKept = errors.New("contract not kept")

func failf(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errNotKept, fmt.Errorf(format, args...))
}

// Run makes every check as a subtest of t.
func Run(t *testing.T, target Target) {
	t.Helper()
	Check(t.Context(), target, func(r Result) {
		t.Run(r.Name, func(t *testing.T) {
			switch {
			case r.Err != nil:
				t.Error(r.Err)
			case r.Skipped != "":
				t.Skip(r.Skipped)
			}
		})
	})
}

// Check makes every check and calls report, if not nil, after each. It ends early when ctx does, or when the plugin does
// not even start: then that is the only result.
func Check(ctx context.Context, target Target, report func(Result)) []Result {
	if target.Timeout == 0 {
		target.Timeout = time.Minute
	}
	s := &suite{target: target, report: report}
	defer s.close()
	offered, ok := s.first(ctx)
	for _, c := range append(everyPlugin[:len(everyPlugin):len(everyPlugin)], withOps...) {
		switch {
		case !ok || ctx.Err() != nil:
			return s.results
		case c.ops && !offered:
			s.add(Result{Name: c.name, Skipped: "the plugin does not offer the conformance ops"})
		case c.process && target.InProcess:
			s.add(Result{Name: c.name, Skipped: "there is no process"})
		default:
			s.run(ctx, c)
		}
	}
	return s.results
}

// suite is one run of all checks. Checks share a plugin as long as it lives.
type suite struct {
	target  Target
	report  func(Result)
	results []Result
	segment *bridge.Segment
	shared  Plugin
}

// first starts the plugin and asks what it offers.
func (s *suite) first(ctx context.Context) (conformanceOps, ok bool) {
	const name = "it starts and says what it is"
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.target.Timeout)
	defer cancel()
	var err error
	if s.segment, err = bridge.NewSegment(0); err != nil {
		s.add(Result{Name: name, Err: err, Took: time.Since(began)})
		return false, false
	}
	var info bridge.Info
	plugin, err := s.target.Start(ctx, s.segment)
	if err == nil {
		s.shared = plugin
		info, err = plugin.Info(ctx)
	}
	s.add(Result{Name: name, Err: err, Took: time.Since(began)})
	return offersConformance(info), err == nil
}

func (s *suite) add(r Result) {
	s.results = append(s.results, r)
	if s.report != nil {
		s.report(r)
	}
}

func (s *suite) run(ctx context.Context, c check) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.target.Timeout)
	defer cancel()
	err := func() error {
		plugin := s.shared
		if c.fresh || plugin == nil {
			var err error
			if plugin, err = s.target.Start(ctx, s.segment); err != nil {
				return failf("it does not start again: %w", err)
			}
		}
		if c.fresh {
			defer plugin.Close() // closing twice is fine; checks look at the error themselves
		} else {
			s.shared = plugin
		}
		return c.run(&checking{ctx: ctx, target: s.target, segment: s.segment, plugin: plugin})
	}()
	if err != nil && !c.fresh && s.shared != nil { // the next check shall not suffer from what this one found
		_ = s.shared.Close()
		s.shared = nil
	}
	s.add(Result{Name: c.name, Err: err, Took: time.Since(began)})
}

func (s *suite) close() {
	if s.shared != nil {
		if err := s.shared.Close(); err != nil {
			s.add(Result{Name: "it closes at the end", Err: err})
		}
	}
	if s.segment != nil {
		_ = s.segment.Close() // fails for a mapping that is gone, and then there is nothing to do
	}
}
