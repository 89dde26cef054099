package bridge_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"

	"github.com/layactl/layactl/bridge"
)

func TestMTLSAndAChecksumThatHolds(t *testing.T) {
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(program)
	s := segment(t, 1<<20)
	p := mustStart(t, bridge.Config{Segment: s, MTLS: true, Checksum: hex.EncodeToString(sum[:])})
	x, err := s.Alloc(bridge.Uint8, 3)
	if err != nil {
		t.Fatal(err)
	}
	data, err := x.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	call(t, p, "increment", nil, bridge.Arg{Name: "x", Tensor: x, Write: true})
	if data[2] != 1 {
		t.Errorf("expected 1, got %d", data[2])
	}
}
