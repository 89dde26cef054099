package main

import (
	"context"
	"testing"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/venv"
)

func TestRun(t *testing.T) {
	if _, err := venv.Find(""); err != nil {
		t.Skipf("needs the Python environment: %v", err)
	}
	if _, err := bridge.FindPlugin("tilelang", "../../bin"); err != nil {
		t.Skipf("needs the plugin: %v", err)
	}
	if err := run(context.Background()); err != nil {
		t.Fatal(err)
	}
}
