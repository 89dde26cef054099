package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/bridgetest"
	"github.com/layactl/layactl/bridge/venv"
	"github.com/layactl/layactl/plugins/internal/interp"
)

// envPlugin makes this test binary the plugin.
const envPlugin = "TILELANG_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(envPlugin) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

func TestContract(t *testing.T) {
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
	bridgetest.Run(t, bridgetest.Target{
		Start: func(ctx context.Context, segment *bridge.Segment) (bridgetest.Plugin, error) {
			return bridge.Start(ctx, bridge.Config{
				Path: os.Args[0], Name: "tilelang", Segment: segment, TempDir: t.TempDir(),
				Env: []string{envPlugin + "=1", interp.EnvPython + "=" + python, "PYTHONPATH=" + modules, "CUDA_VISIBLE_DEVICES="},
			})
		},
	})
}
