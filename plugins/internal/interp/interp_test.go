package interp_test

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
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/venv"
	"github.com/layactl/layactl/plugins/internal/interp"
)

// envModule makes this test binary a plugin that serves the named module of ops.
const envModule = "INTERP_TEST_MODULE"

func TestMain(m *testing.M) {
	if module := os.Getenv(envModule); module != "" {
		bridge.Serve(backend{interp.NewBackend(module)})
	}
	goleak.VerifyTestMain(m)
}

// backend adds one op in Go to the Python ones: a nil dereference.
type backend struct{ *interp.Backend }

func (b backend) Call(ctx context.Context, call *bridge.Invocation) (json.RawMessage, error) {
	if call.Op == "nil" {
		var nobody *bridge.Invocation
		return nobody.Params, nil
	}
	return b.Backend.Call(ctx, call)
}

func start(t *testing.T, config bridge.Config) *bridge.Plugin {
	t.Helper()
	python := os.Getenv(interp.EnvPython)
	if python == "" {
		found, err := venv.Find(filepath.Join("..", "..", "..", ".venv"))
		if err != nil {
			t.Fatal(err)
		}
		python = found
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	config.Path, config.Name = os.Args[0], "probe"
	config.TempDir = t.TempDir()
	config.Env = append([]string{
		envModule + "=probe_ops", interp.EnvPython + "=" + python, "CUDA_VISIBLE_DEVICES=",
		"PYTHONPATH=" + filepath.Join(here, "testdata") + string(filepath.ListSeparator) + filepath.Join(here, "..", "..", "..", "py"),
	}, config.Env...)
	p, err := bridge.Start(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func call(t *testing.T, p *bridge.Plugin, op string, params any, result any, args ...bridge.Arg) {
	t.Helper()
	out, err := p.Call(context.Background(), bridge.Request{Op: op, Params: params, Tensors: args})
	if err != nil {
		t.Fatal(err)
	}
	if result != nil {
		if err := json.Unmarshal(out, result); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
	}
}

type object = map[string]any

// TestInterpreter shares one plugin: importing torch takes seconds.
func TestInterpreter(t *testing.T) {
	segment, err := bridge.NewSegment(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	defer segment.Close()
	core, logs := observer.New(zap.DebugLevel)
	p := start(t, bridge.Config{Segment: segment, Logger: zap.New(core)})

	t.Run("the venv is honoured, for children too", func(t *testing.T) {
		var got struct {
			Prefix, Executable string
			ChildPrefix        string `json:"child_prefix"`
		}
		call(t, p, "environment", nil, &got)
		if !strings.HasPrefix(got.Executable, got.Prefix+"/bin/python") || got.ChildPrefix != got.Prefix {
			t.Errorf("got %+v", got)
		}
	})

	t.Run("info", func(t *testing.T) {
		info, err := p.Info(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(info.Ops, func(o bridge.Op) bool { return o.Name == "double" })
		if i < 0 || info.Ops[i].Doc != "Doubles x in place." || info.Versions["torch"] == "" || info.Devices[0].Kind != "cpu" {
			t.Errorf("got %+v", info)
		}
	})

	t.Run("a tensor of every dtype is shared", func(t *testing.T) {
		for _, d := range bridge.DTypes() {
			x, err := segment.Alloc(d, 3, 5)
			if err != nil {
				t.Fatal(err)
			}
			data, err := x.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			clear(data)
			var got struct {
				Shape []int64
				DType string
			}
			if d == bridge.Bool {
				call(t, p, "resident", nil, nil, bridge.Arg{Name: "x", Tensor: x})
				continue
			}
			call(t, p, "double", nil, &got, bridge.Arg{Name: "x", Tensor: x, Write: true})
			if got.DType != "torch."+d.String() || !slices.Equal(got.Shape, []int64{3, 5}) {
				t.Errorf("%v arrived as %+v", d, got)
			}
		}
		x, err := segment.Alloc(bridge.BFloat16, 2)
		if err != nil {
			t.Fatal(err)
		}
		v, err := bridge.View[bridge.BFloat16Bits](x)
		if err != nil {
			t.Fatal(err)
		}
		v[0], v[1] = bridge.RoundBFloat16(1.5), bridge.RoundBFloat16(-3)
		call(t, p, "double", nil, nil, bridge.Arg{Name: "x", Tensor: x, Write: true})
		if v[0].Float32() != 3 || v[1].Float32() != -6 {
			t.Errorf("expected 3 and -6, got %g and %g", v[0].Float32(), v[1].Float32())
		}
		for _, shape := range [][]int64{{}, {0}, {128, 0}, {1, 1, 1}} {
			x, err := segment.Alloc(bridge.Float32, shape...)
			if err != nil {
				t.Fatal(err)
			}
			var got struct{ Shape []int64 }
			call(t, p, "double", nil, &got, bridge.Arg{Name: "x", Tensor: x, Write: true})
			if !slices.Equal(got.Shape, shape) {
				t.Errorf("shape %v arrived as %v", shape, got.Shape)
			}
		}
	})

	t.Run("64 MiB reach Python without a copy", func(t *testing.T) {
		var before, after int64
		call(t, p, "resident", nil, &before)
		x, err := segment.Alloc(bridge.Float32, 16<<20)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Free()
		call(t, p, "resident", nil, &after, bridge.Arg{Name: "x", Tensor: x})
		if grown := after - before; grown > 8<<20 {
			t.Errorf("the plugin's private memory grew by %d bytes", grown)
		}
		var a, b struct{ Address int64 }
		y, err := segment.Alloc(bridge.Float32, 16)
		if err != nil {
			t.Fatal(err)
		}
		call(t, p, "double", nil, &a, bridge.Arg{Name: "x", Tensor: x, Write: true})
		call(t, p, "double", nil, &b, bridge.Arg{Name: "x", Tensor: y, Write: true})
		if b.Address-a.Address != y.Offset()-x.Offset() {
			t.Errorf("the tensors are %d apart in Python and %d in the segment", b.Address-a.Address, y.Offset()-x.Offset())
		}
	})

	t.Run("parameters are checked", func(t *testing.T) {
		var got []any
		call(t, p, "typed", object{"count": 3, "factor": 2}, &got)
		if got[0] != 3.0 || got[1] != 2.0 || got[2] != "x" || got[3] != nil {
			t.Errorf("got %v", got)
		}
		for _, test := range []struct {
			params object
			want   string
		}{
			{object{}, "parameter count (int) is missing"},
			{object{"count": "3"}, "parameter count: expected int, got str '3'"},
			{object{"count": true}, "expected int, got bool"},
			{object{"count": 1, "flags": 3}, "parameter flags"},
			{object{"count": 1, "colour": 3}, "unknown parameter colour; parameters: count, factor, name, flags"},
		} {
			_, err := p.Call(context.Background(), bridge.Request{Op: "typed", Params: test.params})
			if !errors.Is(err, bridge.ErrInvalidArgument) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v: expected %q, got %v", test.params, test.want, err)
			}
		}
		if _, err := p.Call(context.Background(), bridge.Request{Op: "double"}); !errors.Is(err, bridge.ErrInvalidTensor) {
			t.Errorf("a missing tensor: got %v", err)
		}
		if _, err := p.Call(context.Background(), bridge.Request{Op: "nowhere"}); !errors.Is(err, bridge.ErrUnknownOp) {
			t.Errorf("an unknown op: got %v", err)
		}
	})

	t.Run("exceptions arrive whole", func(t *testing.T) {
		_, err := p.Call(context.Background(), bridge.Request{Op: "fail", Params: json.RawMessage(`{"text": "lone surrogate \udcff, snowman ☃"}`)})
		var remote *bridge.RemoteError
		if !errors.As(err, &remote) || remote.Type != "ValueError" || !strings.Contains(remote.Message, "☃") ||
			!strings.Contains(remote.Traceback, "KeyError: 'missing'") || !strings.Contains(remote.Traceback, "direct cause") ||
			!strings.Contains(remote.Traceback, "probe_ops.py") {
			t.Errorf("got %#v", remote)
		}
		if _, err := p.Call(context.Background(), bridge.Request{Op: "refuse"}); !errors.Is(err, bridge.ErrInvalidArgument) || !strings.Contains(err.Error(), "expected 3 rows, got 5") {
			t.Errorf("got %v", err)
		}
		for _, op := range []string{"unserialisable", "not_a_number"} {
			if _, err := p.Call(context.Background(), bridge.Request{Op: op}); !errors.Is(err, bridge.ErrRemote) {
				t.Errorf("%s: got %v", op, err)
			}
		}
		_, err = p.Call(context.Background(), bridge.Request{Op: "leave", Params: object{"how": "SystemExit"}})
		if !errors.As(err, &remote) || remote.Type != "SystemExit" {
			t.Errorf("SystemExit: got %v", err)
		}
		if _, err := p.Call(context.Background(), bridge.Request{Op: "leave", Params: object{"how": "KeyboardInterrupt"}}); err == nil {
			t.Error("KeyboardInterrupt: expected an error")
		}
		call(t, p, "typed", object{"count": 1}, nil) // it still lives
	})

	t.Run("progress arrives before the result, in order", func(t *testing.T) {
		var steps []string
		_, err := p.Call(context.Background(), bridge.Request{
			Op: "steps", Params: object{"count": 500},
			Progress: func(p bridge.Progress) { steps = append(steps, p.Text) },
		})
		if err != nil || len(steps) != 500 || steps[499] != "step 499" {
			t.Errorf("got %d steps, %v", len(steps), err)
		}
	})

	t.Run("a Python loop can be cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := p.Call(ctx, bridge.Request{Op: "loop", Progress: func(bridge.Progress) { cancel() }})
		if !errors.Is(err, bridge.ErrCancelled) {
			t.Errorf("got %v", err)
		}
		call(t, p, "typed", object{"count": 1}, nil) // no interrupt is left over
	})

	t.Run("concurrent callers queue", func(t *testing.T) {
		var group sync.WaitGroup
		for i := range 64 {
			group.Go(func() {
				out, err := p.Call(context.Background(), bridge.Request{Op: "typed", Params: object{"count": i}})
				if err != nil || !strings.HasPrefix(string(out), fmt.Sprintf("[%d,", i)) {
					t.Errorf("call %d: got %s, %v", i, out, err)
				}
			})
		}
		group.Wait()
	})

	t.Run("Go's signal handlers are back after an import of TileLang", func(t *testing.T) {
		call(t, p, "handlers", nil, nil) // imports it; the handlers are put back after the call
		var foreign map[string]any
		call(t, p, "foreign_handlers", nil, &foreign)
		if len(foreign) > 0 {
			t.Errorf("not Go's: %v", foreign)
		}
		_, err := p.Call(context.Background(), bridge.Request{Op: "nil"})
		var exit *bridge.ExitError
		if !errors.As(err, &exit) || !strings.Contains(err.Error(), "nil pointer dereference") || !strings.Contains(err.Error(), "SIGSEGV") {
			t.Errorf("a nil dereference in Go is a Go panic; got %v", err)
		}
	})

	t.Run("what Python prints is in the log", func(t *testing.T) {
		p := start(t, bridge.Config{Logger: zap.New(core)})
		call(t, p, "say", nil, nil)
		call(t, p, "typed", object{"count": 1}, nil)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, entry := range logs.All() {
			all = append(all, entry.Message)
		}
		for _, want := range []string{"from print", "from os.write", "from printf"} {
			if !slices.Contains(all, want) {
				t.Errorf("%q is not in the log", want)
			}
		}
	})
}

func TestDeath(t *testing.T) {
	for how, want := range map[string]string{
		"SIGSEGV": "died of SIGSEGV while running op die", "SIGABRT": "died of SIGABRT while running op die",
		"SIGKILL": "died of SIGKILL while running op die", "exit": "exited with status 3 while running op die",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			p := start(t, bridge.Config{})
			_, err := p.Call(context.Background(), bridge.Request{Op: "die", Params: object{"how": how}})
			if !errors.Is(err, bridge.ErrPluginExited) || !strings.Contains(err.Error(), want) {
				t.Errorf("expected %q, got %v", want, err)
			}
		})
	}
}

func TestStuckInCIsEnded(t *testing.T) {
	p := start(t, bridge.Config{CancelGrace: 200 * time.Millisecond})
	ctx, cancel := context.WithCancel(context.Background())
	_, err := p.Call(ctx, bridge.Request{Op: "hold_the_lock", Progress: func(bridge.Progress) { cancel() }})
	if !errors.Is(err, bridge.ErrCancelled) || !strings.Contains(err.Error(), "did not stop") || !strings.Contains(err.Error(), "holding") {
		t.Errorf("got %v", err)
	}
	<-p.Exited()
}

func TestBadEnvironments(t *testing.T) {
	empty := t.TempDir()
	for _, test := range []struct{ name, env, want string }{
		{"no interpreter", interp.EnvPython + "=", "expected the path of a venv's python"},
		{"an absent interpreter", interp.EnvPython + "=" + filepath.Join(empty, "bin", "python"), filepath.Join(empty, "bin", "python")},
		{"no such module", envModule + "=no_such_module", "no_such_module"},
		{"a module without ops", envModule + "=json", "has no op"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := start(t, bridge.Config{Env: []string{test.env}})
			_, err := p.Info(context.Background())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("expected %q, got %v", test.want, err)
			}
		})
	}
}
