package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/layactl/layactl/bridge"
)

func call(t *testing.T, p *bridge.Plugin, op string, params any, args ...bridge.Arg) json.RawMessage {
	t.Helper()
	out, err := p.Call(context.Background(), bridge.Request{Op: op, Params: params, Tensors: args})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestInfo(t *testing.T) {
	info, err := mustStart(t, bridge.Config{}).Info(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if info.Name != "test" || len(info.Ops) != 1 || string(info.Ops[0].Parameters[0].Default) != "1" || info.Devices[0].Kind != "cpu" {
		t.Errorf("info arrived as %+v", info)
	}
}

func TestTensorsAreSharedBothWays(t *testing.T) {
	s := segment(t, 64<<20)
	p := mustStart(t, bridge.Config{Segment: s})
	x, err := s.Alloc(bridge.Uint8, 4<<20+1)
	if err != nil {
		t.Fatal(err)
	}
	data, err := bridge.View[uint8](x)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] = byte(i)
	}
	call(t, p, "increment", nil, bridge.Arg{Name: "x", Tensor: x, Write: true})
	for i := range data {
		if data[i] != byte(i+1) {
			t.Fatalf("element %d: expected %d, got %d", i, byte(i+1), data[i])
		}
	}
}

func TestDescriptorsArrive(t *testing.T) {
	s := segment(t, 1<<20)
	p := mustStart(t, bridge.Config{Segment: s})
	var args []bridge.Arg
	var want []string
	for _, d := range bridge.DTypes() {
		x, err := s.Alloc(d, 3, 5)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, bridge.Arg{Name: d.String(), Tensor: x, Write: d == bridge.Int8})
		want = append(want, fmt.Sprintf("%v %v[3 5] %d writable=%t", d, d, 15*d.Size(), d == bridge.Int8))
	}
	empty, err := s.Alloc(bridge.Float32, 128, 0)
	if err != nil {
		t.Fatal(err)
	}
	scalar, err := s.Alloc(bridge.Float64)
	if err != nil {
		t.Fatal(err)
	}
	args = append(args, bridge.Arg{Name: "empty", Tensor: empty}, bridge.Arg{Name: "scalar", Tensor: scalar})
	want = append(want, "empty float32[128 0] 0 writable=false", "scalar float64[] 8 writable=false")
	var got []string
	if err := json.Unmarshal(call(t, p, "describe", nil, args...), &got); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("expected %q, got %q", want, got)
	}
}

func TestTensorsPastTwoGiB(t *testing.T) {
	const size = 2<<30 + 4096
	s := segment(t, 2*size)
	p := mustStart(t, bridge.Config{Segment: s})
	x, err := s.Alloc(bridge.Uint8, size)
	if err != nil {
		t.Skipf("needs 2 GiB of memory: %v", err)
	}
	data, err := x.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	before := residentShared(t)
	data[0], data[size-1] = 3, 4
	if got := string(call(t, p, "ends", nil, bridge.Arg{Name: "x", Tensor: x})); got != "7" {
		t.Errorf("expected the sum 7, got %s", got)
	}
	if grown := residentShared(t) - before; grown > 1<<20 {
		t.Errorf("two touched pages made %d bytes resident", grown)
	}
	x.Free()
	if n := residentShared(t); n > 64<<20 {
		t.Errorf("after Free %d bytes of shared memory are still resident", n)
	}
}

// residentShared returns RssShmem of this process in bytes.
func residentShared(t *testing.T) int64 {
	t.Helper()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "RssShmem: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	t.Fatal("no RssShmem in /proc/self/status")
	return 0
}

func TestProgressArrivesInOrder(t *testing.T) {
	p := mustStart(t, bridge.Config{})
	var steps []string
	_, err := p.Call(context.Background(), bridge.Request{
		Op: "progress", Params: map[string]int{"count": 5},
		Progress: func(p bridge.Progress) { steps = append(steps, p.Text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"step 0", "step 1", "step 2", "step 3", "step 4"}; !slices.Equal(steps, want) {
		t.Errorf("expected %q, got %q", want, steps)
	}
}

func TestErrorsKeepTheirCode(t *testing.T) {
	p := mustStart(t, bridge.Config{})
	for _, sentinel := range sentinels {
		_, err := p.Call(context.Background(), bridge.Request{Op: "fail", Params: map[string]string{"code": bridge.Code(sentinel), "text": "expected 3 rows, got 5"}})
		if !errors.Is(err, sentinel) || !strings.Contains(err.Error(), "expected 3 rows, got 5") {
			t.Errorf("expected %v, got %v", sentinel, err)
		}
	}
	_, err := p.Call(context.Background(), bridge.Request{Op: "fail", Params: map[string]string{"text": "boom"}})
	var remote *bridge.RemoteError
	if !errors.As(err, &remote) || remote.Type != "ValueError" || remote.Message != "boom" || remote.Traceback != "Traceback: here" {
		t.Errorf("expected a RemoteError with type, message and traceback, got %v", err)
	}
	if _, err := p.Call(context.Background(), bridge.Request{Op: "no such"}); !errors.Is(err, bridge.ErrUnknownOp) {
		t.Errorf("expected ErrUnknownOp, got %v", err)
	}
}

func TestBadRequestsAreRefusedHere(t *testing.T) {
	s, other := segment(t, 1<<20), segment(t, 1<<20)
	p := mustStart(t, bridge.Config{Segment: s})
	foreign, err := other.Alloc(bridge.Float32, 1)
	if err != nil {
		t.Fatal(err)
	}
	freed, err := s.Alloc(bridge.Float32, 1)
	if err != nil {
		t.Fatal(err)
	}
	freed.Free()
	freed.Free()
	for name, request := range map[string]bridge.Request{
		"another segment": {Op: "sum", Tensors: []bridge.Arg{{Name: "x", Tensor: foreign}}},
		"freed":           {Op: "sum", Tensors: []bridge.Arg{{Name: "x", Tensor: freed}}},
		"nil":             {Op: "sum", Tensors: []bridge.Arg{{Name: "x"}}},
	} {
		if _, err := p.Call(context.Background(), request); !errors.Is(err, bridge.ErrInvalidTensor) {
			t.Errorf("%s: expected ErrInvalidTensor, got %v", name, err)
		}
	}
	for _, params := range []any{[]int{1}, "text", make(chan int)} {
		if _, err := p.Call(context.Background(), bridge.Request{Op: "sum", Params: params}); !errors.Is(err, bridge.ErrInvalidArgument) {
			t.Errorf("parameters %T: expected ErrInvalidArgument, got %v", params, err)
		}
	}
}

func TestCancelledCallReturnsAndThePluginLives(t *testing.T) {
	p := mustStart(t, bridge.Config{})
	ctx, cancel := context.WithCancel(context.Background())
	_, err := p.Call(ctx, bridge.Request{Op: "wait", Progress: func(bridge.Progress) { cancel() }})
	if !errors.Is(err, bridge.ErrCancelled) || !strings.Contains(err.Error(), "waiting") {
		t.Errorf("expected ErrCancelled that names the step, got %v", err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err = p.Call(ctx, bridge.Request{Op: "wait"}); !errors.Is(err, bridge.ErrDeadlineExceeded) {
		t.Errorf("expected ErrDeadlineExceeded, got %v", err)
	}
	call(t, p, "sum", nil)
}

func TestStuckCallIsEndedWithItsProcess(t *testing.T) {
	p := mustStart(t, bridge.Config{CancelGrace: 100 * time.Millisecond})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := p.Call(ctx, bridge.Request{Op: "stuck"})
	if !errors.Is(err, bridge.ErrDeadlineExceeded) || !strings.Contains(err.Error(), "did not stop within 100ms") {
		t.Errorf("expected ErrDeadlineExceeded that says the plugin was ended, got %v", err)
	}
	<-p.Exited()
}

func TestDeath(t *testing.T) {
	for _, test := range []struct {
		name   string
		op     string
		params any
		kill   syscall.Signal
		want   []string
	}{
		{name: "SIGKILL", op: "wait", kill: syscall.SIGKILL, want: []string{"plugin probe died of SIGKILL", "op wait"}},
		{name: "SIGSEGV from outside", op: "wait", kill: syscall.SIGSEGV, want: []string{"plugin probe died of SIGSEGV", "op wait"}},
		{name: "SIGABRT from outside", op: "wait", kill: syscall.SIGABRT, want: []string{"plugin probe died of SIGABRT", "op wait"}},
		{name: "exit", op: "exit", params: map[string]int{"count": 5}, want: []string{"status 5", "op exit", "giving up"}},
		{name: "nil dereference", op: "nil", want: []string{"died of SIGSEGV", "op nil", "nil pointer dereference"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := mustStart(t, bridge.Config{})
			_, err := p.Call(context.Background(), bridge.Request{Op: test.op, Params: test.params, Progress: func(bridge.Progress) {
				if test.kill != 0 {
					if err := syscall.Kill(p.PID(), test.kill); err != nil {
						t.Error(err)
					}
				}
			}})
			var exit *bridge.ExitError
			if !errors.Is(err, bridge.ErrPluginExited) || !errors.As(err, &exit) {
				t.Fatalf("expected an ExitError, got %v", err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("expected %q in %q", want, err)
				}
			}
			if _, err := p.Call(context.Background(), bridge.Request{Op: "sum"}); !errors.Is(err, bridge.ErrPluginExited) {
				t.Errorf("a call after the end: expected ErrPluginExited, got %v", err)
			}
		})
	}
}

func TestStartSaysWhatItFound(t *testing.T) {
	temp := t.TempDir()
	for _, test := range []struct {
		role     string
		sentinel error
		want     string
	}{
		{"prints", bridge.ErrPluginNotFound, "hello, I am no plugin"},
		{"exits", bridge.ErrPluginExited, "cannot find my configuration"},
		{"silent", bridge.ErrDeadlineExceeded, "did not answer the handshake within 500ms"},
		{"version", bridge.ErrUnsupportedHere, "Plugin version: 99"},
	} {
		_, err := start(t, test.role, bridge.Config{StartTimeout: 500 * time.Millisecond, TempDir: temp})
		if !errors.Is(err, test.sentinel) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: expected %v with %q, got %v", test.role, test.sentinel, test.want, err)
		}
	}
	expectEmpty(t, temp)
}

func TestStartRefusesWhatIsNoProgram(t *testing.T) {
	folder := t.TempDir()
	plain := filepath.Join(folder, "laya-plugin-plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(folder, "absent"): "does not exist",
		folder:                          "not a regular file",
		plain:                           "not executable",
	} {
		_, err := bridge.Start(context.Background(), bridge.Config{Path: path})
		if !errors.Is(err, bridge.ErrPluginNotFound) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: expected ErrPluginNotFound with %q, got %v", path, want, err)
		}
	}
	if _, err := bridge.FindPlugin("nowhere", folder); !errors.Is(err, bridge.ErrPluginNotFound) || !strings.Contains(err.Error(), folder) {
		t.Errorf("expected ErrPluginNotFound that lists %s, got %v", folder, err)
	}
	if _, err := bridge.FindPlugin("plain", folder); !errors.Is(err, bridge.ErrPluginNotFound) || !strings.Contains(err.Error(), "chmod") {
		t.Errorf("expected ErrPluginNotFound with the fix, got %v", err)
	}
	if _, err := bridge.Start(context.Background(), bridge.Config{Path: os.Args[0], TempDir: filepath.Join(folder, "none")}); !errors.Is(err, bridge.ErrUnsupportedHere) {
		t.Errorf("a temp folder that is not there: expected ErrUnsupportedHere, got %v", err)
	}
}

func expectEmpty(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("%s was left in the temp folder", e.Name())
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	temp := t.TempDir()
	p := mustStart(t, bridge.Config{TempDir: temp})
	call(t, p, "sum", nil)
	done := make(chan error, 1)
	go func() {
		_, err := p.Call(context.Background(), bridge.Request{Op: "stuck"})
		done <- err
	}()
	time.Sleep(50 * time.Millisecond)
	for range 2 {
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-done; !errors.Is(err, bridge.ErrPluginExited) {
		t.Errorf("a call in flight: expected ErrPluginExited, got %v", err)
	}
	if err := syscall.Kill(p.PID(), 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", p.PID(), err)
	}
	expectEmpty(t, temp)
}

func TestLongTempFolder(t *testing.T) {
	temp := filepath.Join(t.TempDir(), strings.Repeat("long-name/", 12))
	if err := os.MkdirAll(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	call(t, mustStart(t, bridge.Config{TempDir: temp}), "sum", nil)
}

func TestConcurrentCallers(t *testing.T) {
	s := segment(t, 16<<20)
	p := mustStart(t, bridge.Config{Segment: s})
	var group sync.WaitGroup
	for i := range 64 {
		group.Go(func() {
			for range 20 {
				x, err := s.Alloc(bridge.Uint8, int64(i*100+1))
				if err != nil {
					t.Error(err)
					return
				}
				data, err := x.Bytes()
				if err != nil {
					t.Error(err)
					return
				}
				clear(data)
				if _, err := p.Call(context.Background(), bridge.Request{Op: "increment", Tensors: []bridge.Arg{{Name: "x", Tensor: x, Write: true}}}); err != nil {
					t.Error(err)
				}
				for _, v := range data {
					if v != 1 {
						t.Errorf("expected 1, got %d", v)
						break
					}
				}
				x.Free()
			}
		})
	}
	group.Wait()
	if n := s.Used(); n != 0 {
		t.Errorf("%d bytes are still allocated", n)
	}
}

func TestWhatAPluginPrintsReachesTheLog(t *testing.T) {
	core, logs := observer.New(zap.DebugLevel)
	p := mustStart(t, bridge.Config{Logger: zap.New(core)})
	call(t, p, "print", nil)
	call(t, p, "sum", nil) // the protocol is intact
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, entry := range logs.All() {
		all.WriteString(entry.Message + "\n")
	}
	for _, want := range []string{"from fd 1", "bad \uFFFD"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%q is not in the log", want)
		}
	}
}
