package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/layactl/layactl/bridge/internal/pb"
)

// Serve serves backend to the controller that started this process, and ends the process with it. It is the last thing
// a plugin's main function calls, and it must be called before anything prints: the first line on stdout belongs to the
// handshake. Whatever is printed later goes to the controller's log.
func Serve(backend Backend) {
	s := &server{backend: backend, stderr: os.Stderr}
	if err := s.attach(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: handshake,
		Plugins:         plugin.PluginSet{dispensed: &glue{server: s}},
		Logger:          hclog.New(&hclog.LoggerOptions{Level: hclog.Warn, Output: os.Stderr, JSONFormat: true}),
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(options, grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage))...)
		},
	})
	os.Exit(0)
}

// server answers the wire's calls with a Backend.
type server struct {
	pb.UnimplementedPluginServer
	backend   Backend
	memory    []byte // the segment, empty when the controller gave none
	stderr    *os.File
	handshook sync.Once
}

// attach maps the segment and ties this process's life to the controller's. A process without a controller's
// environment is left to go-plugin, which says that it is a plugin.
func (s *server) attach() error {
	if os.Getenv(handshake.MagicCookieKey) != handshake.MagicCookieValue {
		return nil
	}
	if err := noCoreDumps(); err != nil {
		return err
	}
	if parent, err := strconv.Atoi(os.Getenv(envParent)); err == nil {
		err := onParentExit(parent, func() {
			dirs := filepath.SplitList(os.Getenv(envRunDir))
			for _, dir := range dirs {
				killMarked(dir) // first: they may be writing there
			}
			for _, dir := range dirs {
				_ = os.RemoveAll(dir) // nobody is left to tell
			}
			endGroup()
		})
		if err != nil {
			return err
		}
	}
	value := os.Getenv(envSegment)
	if value == "" {
		return nil
	}
	fd, err := strconv.Atoi(value)
	if err != nil || fd < 3 {
		return Errorf(ErrInvalidArgument, "%s: expected a file descriptor, got %q", envSegment, value)
	}
	s.memory, err = openSegment(os.NewFile(uintptr(fd), "segment"))
	return err
}

// begin runs before every call. The first call proves that the handshake line was read, so from then on file
// descriptor 1 can be given to the log: Python, C++ and TileLang print there. Go's own os.Stdout and os.Stderr go there
// too, instead of through go-plugin's streams, which lose what a dying process printed last.
func (s *server) begin() {
	s.handshook.Do(func() {
		os.Stdout, os.Stderr = s.stderr, s.stderr
		if err := stdoutToStderr(); err != nil {
			fmt.Fprintln(os.Stderr, "[WARN] stdout stays with the handshake:", err)
		}
	})
}

func (s *server) Info(ctx context.Context, _ *pb.InfoRequest) (*pb.InfoReply, error) {
	s.begin()
	info, err := s.backend.Info(ctx)
	if err != nil {
		return &pb.InfoReply{Error: toWire(err)}, nil
	}
	return infoToWire(info), nil
}

func (s *server) Call(stream grpc.BidiStreamingServer[pb.CallInput, pb.CallEvent]) error {
	s.begin()
	input, err := stream.Recv()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	go func() { // the next thing to come is a cancel, or the end of the stream
		for {
			next, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil || next.GetCancel() != nil {
				cancel()
				return
			}
		}
	}()
	var sending sync.Mutex
	send := func(event *pb.CallEvent) error {
		sending.Lock()
		defer sending.Unlock()
		return stream.Send(event)
	}
	result, err := s.call(ctx, input.GetRequest(), func(p Progress) {
		// The caller may be gone; then the stream's context ends the op.
		_ = send(&pb.CallEvent{Event: &pb.CallEvent_Progress{Progress: &pb.Progress{Text: p.Text, Fraction: p.Fraction}}})
	})
	if err != nil {
		return send(&pb.CallEvent{Event: &pb.CallEvent_Error{Error: toWire(err)}})
	}
	return send(&pb.CallEvent{Event: &pb.CallEvent_Result{Result: result}})
}

func (s *server) call(ctx context.Context, request *pb.CallRequest, progress func(Progress)) (json.RawMessage, error) {
	if request == nil {
		return nil, Errorf(ErrInvalidArgument, "expected a request as the first message of a call")
	}
	call := &Invocation{Op: request.Op, Params: request.Params, Progress: progress}
	if len(call.Params) == 0 {
		call.Params = json.RawMessage("{}")
	}
	for _, t := range request.Tensors {
		operand, err := operandFromWire(t, s.memory)
		if err != nil {
			return nil, err
		}
		call.Tensors = append(call.Tensors, operand)
	}
	return s.backend.Call(ctx, call)
}

func (s *server) Close(context.Context, *pb.CloseRequest) (*pb.CloseReply, error) {
	s.begin()
	return &pb.CloseReply{}, s.backend.Close()
}
