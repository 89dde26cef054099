package bridge_test

import (
	"context"
	"os"
	"testing"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/bridgetest"
)

func TestContractOverAConnection(t *testing.T) {
	bridgetest.Run(t, bridgetest.Target{
		InProcess: true,
		Start: func(_ context.Context, segment *bridge.Segment) (bridgetest.Plugin, error) {
			folder, err := os.MkdirTemp("", "loopback-") // t.TempDir is too long for a socket
			if err != nil {
				return nil, err
			}
			return bridge.NewLoopback(bridgetest.Fake{}, segment, folder)
		},
	})
}
