package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/layactl/layactl/bridge"
)

// envRole makes this test binary a plugin: a good one, or one that misbehaves before the handshake.
const envRole = "BRIDGE_TEST_ROLE"

func TestMain(m *testing.M) {
	switch role := os.Getenv(envRole); role {
	case "":
		goleak.VerifyTestMain(m)
	case "plugin":
		bridge.Serve(&testBackend{})
	case "prints":
		fmt.Println("hello, I am no plugin")
		time.Sleep(time.Minute)
	case "exits":
		fmt.Fprintln(os.Stderr, "cannot find my configuration")
		os.Exit(7)
	case "silent":
		time.Sleep(time.Minute)
	case "version":
		fmt.Println("1|99|unix|/nowhere|grpc|")
		time.Sleep(time.Minute)
	default:
		panic("unknown role " + role)
	}
}

// testBackend is a plugin in Go whose ops do what their name says.
type testBackend struct{ calls atomic.Int64 }

func (b *testBackend) Info(context.Context) (bridge.Info, error) {
	return bridge.Info{
		Name: "test", Version: "1", Versions: map[string]string{"go": "yes"},
		Ops:     []bridge.Op{{Name: "add", Doc: "adds", Parameters: []bridge.Parameter{{Name: "by", Type: "float", Default: json.RawMessage("1")}}}},
		Devices: []bridge.Device{{Kind: "cpu", Name: "test"}},
	}, nil
}

func (b *testBackend) Close() error { return nil }

func (b *testBackend) Call(ctx context.Context, call *bridge.Invocation) (json.RawMessage, error) {
	b.calls.Add(1)
	var params struct {
		Code, Text string
		By         float64
		Count      int
		Pids       []int
	}
	if err := json.Unmarshal(call.Params, &params); err != nil {
		return nil, bridge.Errorf(bridge.ErrInvalidArgument, "parameters: %v", err)
	}
	switch call.Op {
	case "increment": // adds 1 to every byte
		for _, t := range call.Tensors {
			for i := range t.Bytes {
				t.Bytes[i]++
			}
		}
	case "sum":
		sum := 0
		for _, t := range call.Tensors {
			for _, c := range t.Bytes {
				sum += int(c)
			}
		}
		return json.Marshal(sum)
	case "ends": // of the first tensor: first byte + last byte
		data := call.Tensors[0].Bytes
		return json.Marshal(int(data[0]) + int(data[len(data)-1]))
	case "describe":
		var out []string
		for _, t := range call.Tensors {
			out = append(out, fmt.Sprintf("%s %v%v %d writable=%t", t.Name, t.DType, t.Shape, len(t.Bytes), t.Writable))
		}
		return json.Marshal(out)
	case "progress":
		for i := range params.Count {
			call.Progress(bridge.Progress{Text: fmt.Sprint("step ", i), Fraction: float64(i) / float64(params.Count)})
		}
	case "fail":
		for _, s := range sentinels {
			if bridge.Code(s) == params.Code {
				return nil, bridge.Errorf(s, "%s", params.Text)
			}
		}
		return nil, &bridge.RemoteError{Type: "ValueError", Message: params.Text, Traceback: "Traceback: here"}
	case "wait": // until cancelled
		call.Progress(bridge.Progress{Text: "waiting", Fraction: -1})
		<-ctx.Done()
		return nil, bridge.Errorf(bridge.ErrCancelled, "waited in vain")
	case "stuck": // whatever happens
		call.Progress(bridge.Progress{Text: "being stuck", Fraction: -1})
		select {}
	case "print": // on every way out that there is
		fmt.Println("from Go's stdout")
		if _, err := syscall.Write(1, []byte("from fd 1\n")); err != nil {
			return nil, err
		}
		fmt.Fprintln(os.Stderr, strings.Repeat("x", 1<<20))
		_, err := syscall.Write(2, []byte("bad \xff\xfe utf-8\n"))
		return json.RawMessage("null"), err
	case "exit":
		fmt.Fprintln(os.Stderr, "giving up")
		os.Exit(params.Count)
	case "nil":
		var p *testBackend
		p.calls.Add(1)
	case "spawn": // a child in this process's group, and one in a session of its own
		for _, session := range []bool{false, true} {
			child := exec.Command("sleep", "60")
			child.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
			if err := child.Start(); err != nil {
				return nil, err
			}
			params.Pids = append(params.Pids, child.Process.Pid)
		}
		return json.Marshal(params.Pids)
	case "pids":
		return json.Marshal([]int{os.Getpid(), os.Getppid()})
	case "environment":
		return json.Marshal(os.Environ())
	default:
		return nil, bridge.Errorf(bridge.ErrUnknownOp, "no op %q", call.Op)
	}
	return json.RawMessage("null"), nil
}

var sentinels = []error{
	bridge.ErrInvalidArgument, bridge.ErrInvalidTensor, bridge.ErrUnknownOp, bridge.ErrPluginNotFound, bridge.ErrPluginExited,
	bridge.ErrDeadlineExceeded, bridge.ErrCancelled, bridge.ErrCompileFailed, bridge.ErrUnsupportedHere, bridge.ErrPackageRejected,
}

// start starts this binary as a plugin in the given role.
func start(t *testing.T, role string, config bridge.Config) (*bridge.Plugin, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config.Path, config.Name = self, "probe"
	config.Env = append(config.Env, envRole+"="+role)
	if config.TempDir == "" {
		config.TempDir = t.TempDir()
	}
	p, err := bridge.Start(context.Background(), config)
	if err == nil {
		t.Cleanup(func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return p, err
}

func mustStart(t *testing.T, config bridge.Config) *bridge.Plugin {
	t.Helper()
	p, err := start(t, "plugin", config)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func segment(t *testing.T, capacity int64) *bridge.Segment {
	t.Helper()
	s, err := bridge.NewSegment(capacity)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
