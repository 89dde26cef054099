package bridgetest_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/bridgetest"
)

// envPlugin makes this test binary a plugin.
const envPlugin = "BRIDGETEST_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(envPlugin) != "" {
		bridge.Serve(bridgetest.Fake{})
	}
	goleak.VerifyTestMain(m)
}

func TestFakeDirectly(t *testing.T) {
	bridgetest.Run(t, bridgetest.Target{
		InProcess: true,
		Start: func(_ context.Context, segment *bridge.Segment) (bridgetest.Plugin, error) {
			return bridgetest.Direct(bridgetest.Fake{}, segment), nil
		},
	})
}

func TestFakeAsAProcess(t *testing.T) {
	for name, mtls := range map[string]bool{"plain": false, "mTLS": true} {
		t.Run(name, func(t *testing.T) {
			bridgetest.Run(t, bridgetest.Target{
				Start: func(ctx context.Context, segment *bridge.Segment) (bridgetest.Plugin, error) {
					return bridge.Start(ctx, bridge.Config{Path: os.Args[0], Name: "fake", Segment: segment, Env: []string{envPlugin + "=1"}, MTLS: mtls, TempDir: t.TempDir()})
				},
			})
		})
	}
}

// broken breaks the contract: it has no name, takes every op for its own, and clears tensors.
type broken struct{ bridgetest.Fake }

func (broken) Info(context.Context) (bridge.Info, error) { return bridge.Info{}, nil }

func (broken) Call(_ context.Context, call *bridge.Invocation) (json.RawMessage, error) {
	for _, t := range call.Tensors {
		clear(t.Bytes)
	}
	return json.RawMessage("null"), nil
}

func TestABrokenPluginFails(t *testing.T) {
	failed := map[string]bool{}
	results := bridgetest.Check(t.Context(), bridgetest.Target{
		InProcess: true,
		Start: func(_ context.Context, segment *bridge.Segment) (bridgetest.Plugin, error) {
			return bridgetest.Direct(broken{}, segment), nil
		},
	}, nil)
	skipped := 0
	for _, r := range results {
		failed[r.Name] = r.Err != nil
		if r.Skipped != "" {
			skipped++
		}
	}
	for _, name := range []string{"Info is complete, and the same twice", "an unknown op is unknown_op", "tensors of every dtype and odd sizes pass untouched"} {
		if !failed[name] {
			t.Errorf("%q passed", name)
		}
	}
	if skipped == 0 {
		t.Error("the conformance ops are not there, but nothing was skipped")
	}
}

func TestAPluginThatDoesNotStart(t *testing.T) {
	results := bridgetest.Check(t.Context(), bridgetest.Target{
		Start: func(ctx context.Context, segment *bridge.Segment) (bridgetest.Plugin, error) {
			return bridge.Start(ctx, bridge.Config{Path: "/nowhere/at/all", Segment: segment})
		},
	}, nil)
	if len(results) != 1 || results[0].Err == nil || !strings.Contains(results[0].Err.Error(), "/nowhere/at/all") {
		t.Errorf("got %+v", results)
	}
}
