package bridge

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/layactl/layactl/bridge/internal/pb"
)

// golden is one message of testdata/wire.json and its bytes.
type golden struct {
	Name string `json:"name"`
	Hex  string `json:"hex"`
}

// TestWireBytes holds the bytes of each message: a change of these is another version of the protocol.
func TestWireBytes(t *testing.T) {
	messages := map[string]proto.Message{
		"tensor": descriptorToWire("x", Descriptor{BFloat16, []int64{17, 70}, 4096}, true),
		"scalar": descriptorToWire("s", Descriptor{Bool, nil, 0}, false),
		"error":  toWire(&RemoteError{Type: "ValueError", Message: "boom ☃", Traceback: "Traceback"}),
		"code":   toWire(Errorf(ErrInvalidTensor, "expected 3, got 5")),
		"call": &pb.CallInput{Input: &pb.CallInput_Request{Request: &pb.CallRequest{
			Op: "gemm", Params: []byte(`{"N":70}`), Tensors: []*pb.Tensor{descriptorToWire("A", Descriptor{Float32, []int64{17, 0}, 64}, false)},
		}}},
		"cancel":   &pb.CallInput{Input: &pb.CallInput_Cancel{Cancel: &pb.Cancel{}}},
		"progress": &pb.CallEvent{Event: &pb.CallEvent_Progress{Progress: &pb.Progress{Text: "compile", Fraction: 0.5}}},
		"result":   &pb.CallEvent{Event: &pb.CallEvent_Result{Result: []byte("null")}},
		"info": infoToWire(Info{
			Name: "mine", Version: "1", Versions: map[string]string{"python": "3.12"}, Devices: []Device{{"cpu", "x86"}},
			Ops: []Op{{Name: "scale", Doc: "Scales.", Parameters: []Parameter{{Name: "by", Type: "float", Default: json.RawMessage("1.0")}}}},
		}),
	}
	source, err := os.ReadFile(filepath.Join("testdata", "wire.json"))
	if err != nil {
		t.Fatal(err)
	}
	var goldens []golden
	if err := json.Unmarshal(source, &goldens); err != nil {
		t.Fatal(err)
	}
	for _, g := range goldens {
		message, ok := messages[g.Name]
		if !ok {
			t.Errorf("%s: no such message", g.Name)
			continue
		}
		delete(messages, g.Name)
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(data); got != g.Hex {
			t.Errorf("%s: expected %s, got %s", g.Name, g.Hex, got)
		}
		want, err := hex.DecodeString(g.Hex)
		if err != nil {
			t.Fatal(err)
		}
		parsed := message.ProtoReflect().New().Interface()
		if err := proto.Unmarshal(want, parsed); err != nil || !proto.Equal(parsed, message) {
			t.Errorf("%s: the bytes were read as %v, %v", g.Name, parsed, err)
		}
	}
	for name := range messages {
		data, _ := proto.MarshalOptions{Deterministic: true}.Marshal(messages[name])
		t.Errorf("testdata/wire.json lacks {\"name\": %q, \"hex\": \"%x\"}", name, data)
	}
}

// FuzzTensorFromWire: a tensor of any bytes is refused, or lies inside the segment with the size of its shape.
func FuzzTensorFromWire(f *testing.F) {
	for _, d := range []Descriptor{{Float32, []int64{3, 5}, 64}, {Bool, nil, 0}, {Int64, []int64{-1}, 0}, {Float64, []int64{1 << 61, 9}, 8}, {Uint8, []int64{1}, -1}} {
		data, err := proto.Marshal(descriptorToWire("x", d, true))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("\x12\x07float33"))
	memory := make([]byte, 4096)
	f.Fuzz(func(t *testing.T, data []byte) {
		message := &pb.Tensor{}
		if proto.Unmarshal(data, message) != nil {
			return
		}
		operand, err := operandFromWire(message, memory)
		if err != nil {
			if !errors.Is(err, ErrInvalidTensor) {
				t.Errorf("expected ErrInvalidTensor, got %v", err)
			}
			return
		}
		size := operand.DType.Size()
		for _, n := range operand.Shape {
			size *= n
		}
		if size != int64(len(operand.Bytes)) || cap(operand.Bytes) != len(operand.Bytes) {
			t.Errorf("%v%v has %d bytes of %d", operand.DType, operand.Shape, len(operand.Bytes), cap(operand.Bytes))
		}
	})
}

// FuzzErrorFromWire: an error of any bytes keeps its text and matches a sentinel.
func FuzzErrorFromWire(f *testing.F) {
	for _, e := range []*pb.Error{{Code: "invalid_tensor", Message: "x"}, {Code: "remote", Type: "ValueError", Message: "y", Traceback: "z"}, {Code: "of the future"}, {}} {
		data, err := proto.Marshal(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		message := &pb.Error{}
		if proto.Unmarshal(data, message) != nil {
			return
		}
		err := fromWire(message)
		sentinel, known := codes[message.Code]
		if !known {
			sentinel = ErrRemote
		}
		if !errors.Is(err, sentinel) {
			t.Errorf("code %q: expected %v, got %v", message.Code, sentinel, err)
		}
		if back := toWire(err); back.Message != message.Message {
			t.Errorf("the text was %q and is %q", message.Message, back.Message)
		}
	})
}
