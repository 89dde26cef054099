package bridge

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/layactl/layactl/bridge/internal/pb"
)

// Loopback is a Plugin whose backend is served in this process, over a real connection.
type Loopback struct {
	*Plugin
	stop func()
}

// NewLoopback serves backend on a Unix socket in folder.
func NewLoopback(backend Backend, segment *Segment, folder string) (*Loopback, error) {
	listener, err := net.Listen("unix", filepath.Join(folder, "s"))
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient("unix:"+listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)))
	if err != nil {
		return nil, err
	}
	s := &server{backend: backend, memory: segment.memory, stderr: os.Stderr}
	s.handshook.Do(func() {}) // this process keeps its stdout
	served := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage))
	pb.RegisterPluginServer(served, s)
	go func() { _ = served.Serve(listener) }() // it returns when it is stopped
	config := Config{Name: "loopback", Segment: segment}
	config.setDefaults()
	p := &Plugin{
		config: config, remote: pb.NewPluginClient(conn), lines: &lastLines{}, closing: make(chan struct{}),
		client: plugin.NewClient(&plugin.ClientConfig{}), process: newProcess("loopback", exec.Command("")),
		dir: &runDir{path: folder, sockets: folder},
	}
	return &Loopback{Plugin: p, stop: sync.OnceFunc(func() {
		close(p.process.exited)
		served.Stop()
		_ = conn.Close()
	})}, nil
}

// Close closes both sides.
func (l *Loopback) Close() error {
	err := l.Plugin.Close()
	l.stop()
	return err
}
