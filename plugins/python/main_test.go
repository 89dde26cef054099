package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/bridgetest"
	"github.com/layactl/layactl/bridge/venv"
	"github.com/layactl/layactl/plugins/internal/interp"
)

// envPlugin makes this test binary the plugin.
const envPlugin = "PYTHON_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(envPlugin) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

// config starts this binary as the plugin for a module.
func config(t *testing.T, segment *bridge.Segment, args ...string) bridge.Config {
	t.Helper()
	python := os.Getenv(interp.EnvPython)
	if python == "" {
		found, err := venv.Find(filepath.Join("..", "..", ".venv"))
		if err != nil {
			t.Fatal(err)
		}
		python = found
	}
	modules, err := filepath.Abs(filepath.Join("..", "..", "py"))
	if err != nil {
		t.Fatal(err)
	}
	return bridge.Config{
		Path: os.Args[0], Args: args, Name: "python", Segment: segment, TempDir: t.TempDir(),
		Env: []string{envPlugin + "=1", interp.EnvPython + "=" + python, "PYTHONPATH=" + modules, "CUDA_VISIBLE_DEVICES="},
	}
}

func TestContract(t *testing.T) {
	bridgetest.Run(t, bridgetest.Target{
		Start: func(ctx context.Context, segment *bridge.Segment) (bridgetest.Plugin, error) {
			return bridge.Start(ctx, config(t, segment, "layabridge.ops.conformance"))
		},
	})
}

func TestModulesThatCannotBeServed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "broken.py")
	if err := os.WriteFile(file, []byte("def helper():\n    raise RuntimeError('not today')\n\nhelper()\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for module, want := range map[string]struct {
		sentinel error
		text     string
	}{
		file:                 {bridge.ErrRemote, "RuntimeError: not today"},
		"no_such_module":     {bridge.ErrPluginNotFound, "no module no_such_module"},
		"/nowhere/module.py": {bridge.ErrPluginNotFound, "no module /nowhere/module.py"},
		"json":               {bridge.ErrInvalidArgument, "has no op"},
	} {
		p, err := bridge.Start(t.Context(), config(t, nil, module))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // it stays as it is, and the plugin lives
			_, err := p.Info(t.Context())
			if !errors.Is(err, want.sentinel) || !strings.Contains(err.Error(), want.text) {
				t.Errorf("%s: expected %v with %q, got %v", module, want.sentinel, want.text, err)
			}
			var remote *bridge.RemoteError
			if errors.As(err, &remote) && !strings.Contains(remote.Traceback, "in helper") {
				t.Errorf("%s: the traceback is %q", module, remote.Traceback)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestWithoutAModule(t *testing.T) {
	_, err := bridge.Start(t.Context(), config(t, nil))
	if !errors.Is(err, bridge.ErrPluginExited) || !strings.Contains(err.Error(), "expected one argument, a module or FILE.py") {
		t.Errorf("got %v", err)
	}
}
