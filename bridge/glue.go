package bridge

import (
	"context"
	"errors"
	"fmt"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/layactl/layactl/bridge/internal/pb"
)

// ProtocolVersion is the version of the wire. A plugin that speaks another one is refused at the handshake.
const ProtocolVersion = 1

// maxMessage is the largest message either side takes. Tensors do not travel in messages, so only parameters and
// results count; go-plugin's server side would otherwise keep gRPC's 4 MiB.
const maxMessage = 64 << 20

// dispensed is the only name in go-plugin's set of plugins.
const dispensed = "ops"

var handshake = plugin.HandshakeConfig{
	ProtocolVersion:  ProtocolVersion,
	MagicCookieKey:   "LAYACTL_PLUGIN",
	MagicCookieValue: "7c1a5c3e-tensors-in-shared-memory",
}

// glue joins the wire's client and server to go-plugin.
type glue struct {
	plugin.NetRPCUnsupportedPlugin
	server *server // on the plugin's side
}

func (g *glue) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	pb.RegisterPluginServer(s, g.server)
	return nil
}

func (g *glue) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return pb.NewPluginClient(conn), nil
}

// toWire turns an error into what crosses the wire.
func toWire(err error) *pb.Error {
	e := &pb.Error{Code: Code(err), Message: err.Error()}
	var remote *RemoteError
	if errors.As(err, &remote) {
		e.Message, e.Type, e.Traceback = remote.Message, remote.Type, remote.Traceback
	}
	return e
}

// fromWire turns it back.
func fromWire(e *pb.Error) error { return ErrorFromCode(e.Code, e.Message, e.Type, e.Traceback) }

// infoToWire and infoFromWire carry Info over.
func infoToWire(info Info) *pb.InfoReply {
	reply := &pb.InfoReply{Name: info.Name, Version: info.Version, Versions: info.Versions}
	for _, op := range info.Ops {
		o := &pb.Op{Name: op.Name, Doc: op.Doc}
		for _, p := range op.Parameters {
			o.Parameters = append(o.Parameters, &pb.Parameter{Name: p.Name, Type: p.Type, DefaultJson: string(p.Default)})
		}
		reply.Ops = append(reply.Ops, o)
	}
	for _, d := range info.Devices {
		reply.Devices = append(reply.Devices, &pb.Device{Kind: d.Kind, Name: d.Name})
	}
	return reply
}

func infoFromWire(reply *pb.InfoReply) Info {
	info := Info{Name: reply.Name, Version: reply.Version, Versions: reply.Versions}
	for _, o := range reply.Ops {
		op := Op{Name: o.Name, Doc: o.Doc}
		for _, p := range o.Parameters {
			parameter := Parameter{Name: p.Name, Type: p.Type}
			if p.DefaultJson != "" {
				parameter.Default = []byte(p.DefaultJson)
			}
			op.Parameters = append(op.Parameters, parameter)
		}
		info.Ops = append(info.Ops, op)
	}
	for _, d := range reply.Devices {
		info.Devices = append(info.Devices, Device{Kind: d.Kind, Name: d.Name})
	}
	return info
}

func descriptorToWire(name string, d Descriptor, writable bool) *pb.Tensor {
	return &pb.Tensor{Name: name, Dtype: d.DType.String(), Shape: d.Shape, Offset: d.Offset, Writable: writable}
}

// operandFromWire checks one descriptor against the segment and returns the tensor's view.
func operandFromWire(t *pb.Tensor, memory []byte) (Operand, error) {
	dtype, err := ParseDType(t.Dtype)
	if err != nil {
		return Operand{}, fmt.Errorf("tensor %q: %w", t.Name, err)
	}
	d := Descriptor{DType: dtype, Shape: t.Shape, Offset: t.Offset}
	n, err := d.check(int64(len(memory)))
	if err != nil {
		return Operand{}, fmt.Errorf("tensor %q: %w", t.Name, err)
	}
	return Operand{
		Name: t.Name, DType: dtype, Shape: t.Shape, Writable: t.Writable,
		Bytes: memory[t.Offset : t.Offset+n : t.Offset+n],
	}, nil
}
