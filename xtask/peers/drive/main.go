// Makes the calls that it is told to a Pulumi plugin, and prints what came back.
//
//	pulumi-drive start PROGRAM [ARGUMENT...]
//	pulumi-drive port PORT
//
// The first starts a plugin and ends it, and everything that it started, when there is nothing more to do; the second
// speaks with one that runs. A line of standard input is a call:
//
//	{"method": "Check", "request": {...}, "seconds": 5}
//
// in the JSON form of pulumirpc's messages; `seconds` is optional, and how long an answer may take. A line of standard
// output answers it: {"reply": {...}} or {"error": {"code": ..., "message": ..., "details": [...]}}, and beside it `log`, what
// the plugin told its engine meanwhile. Keys are sorted. A schema or a mapping is JSON instead of a text, and a call whose answer is a
// stream is answered with {"replies": [...]}.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	_ "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

const (
	service = "pulumirpc.ResourceProvider"
	largest = 400 << 20
	// Long enough for the slowest thing a test asks for; a plugin that hangs is said to.
	patience = 120 * time.Second
)

// call is a line of standard input.
type call struct {
	Method  string          `json:"method"`
	Request json.RawMessage `json:"request"`
	Seconds float64         `json:"seconds"`
}

// answer is a line of standard output.
type answer struct {
	Reply   any      `json:"reply,omitempty"`
	Replies []any    `json:"replies,omitempty"`
	Error   *failure `json:"error,omitempty"`
	Log     []entry  `json:"log,omitempty"`
}

type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Details []any  `json:"details,omitempty"`
}

// plain turns a message into values whose JSON is the same every time: protojson varies its spaces on purpose.
func plain(message proto.Message) (any, error) {
	text, err := protojson.Marshal(message)
	if err != nil {
		return nil, err
	}
	return decode(text)
}

func decode(text []byte) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// failed is an error of the plugin's, with its details in the clear. A detail of a type that pulumirpc has not is kept as it is.
func failed(err error) *failure {
	said := status.Convert(err)
	result := &failure{Code: said.Code().String(), Message: said.Message()}
	for _, detail := range said.Proto().GetDetails() {
		value, err := plain(detail)
		if err != nil {
			value = map[string]any{"@type": detail.GetTypeUrl(), "bytes": detail.GetValue()}
		}
		result.Details = append(result.Details, value)
	}
	return result
}

// opened puts a document in the place of its text: a schema, or a mapping.
func opened(reply any) (any, error) {
	fields, ok := reply.(map[string]any)
	if !ok {
		return reply, nil
	}
	if text, ok := fields["schema"].(string); ok {
		parsed, err := decode([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("the schema is not JSON: %w", err)
		}
		fields["schema"] = parsed
	}
	if text, ok := fields["data"].(string); ok {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, err
		}
		if parsed, err := decode(data); err == nil {
			fields["data"] = parsed
		}
	}
	return fields, nil
}

func (c call) make(to *grpc.ClientConn) (answer, error) {
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service + "." + c.Method))
	if err != nil {
		return answer{}, fmt.Errorf("no method %q: %w", c.Method, err)
	}
	described, ok := found.(protoreflect.MethodDescriptor)
	if !ok || described.IsStreamingClient() {
		return answer{}, fmt.Errorf("%q cannot be called with one request", c.Method)
	}
	request := dynamicpb.NewMessage(described.Input())
	if len(c.Request) > 0 {
		if err := protojson.Unmarshal(c.Request, request); err != nil {
			return answer{}, fmt.Errorf("the request of %s: %w", c.Method, err)
		}
	}
	limit := patience
	if c.Seconds > 0 {
		limit = time.Duration(c.Seconds * float64(time.Second))
	}
	// A deadline of the call's would be the plugin's too, and which of us gives up first would be a matter of luck.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	path := "/" + service + "/" + c.Method
	done := make(chan outcome, 1)
	go func() {
		var result outcome
		if described.IsStreamingServer() {
			result.answer, result.err = streamed(ctx, to, path, described, request)
		} else {
			result.answer, result.err = c.single(ctx, to, path, described, request)
		}
		done <- result
	}()
	select {
	case result := <-done:
		return result.answer, result.err
	case <-time.After(limit):
		return answer{Error: &failure{Code: codes.DeadlineExceeded.String(), Message: "no answer in time"}}, nil
	}
}

type outcome struct {
	answer answer
	err    error
}

func (c call) single(
	ctx context.Context, to *grpc.ClientConn, path string, described protoreflect.MethodDescriptor, request proto.Message,
) (answer, error) {
	message := dynamicpb.NewMessage(described.Output())
	if err := to.Invoke(ctx, path, request, message); err != nil {
		return answer{Error: failed(err)}, nil
	}
	reply, err := plain(message)
	if err == nil && (c.Method == "GetSchema" || c.Method == "GetMapping") {
		reply, err = opened(reply)
	}
	return answer{Reply: reply}, err
}

func streamed(
	ctx context.Context, to *grpc.ClientConn, path string, described protoreflect.MethodDescriptor, request proto.Message,
) (answer, error) {
	result := answer{Replies: []any{}}
	stream, err := to.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, path)
	if err == nil {
		err = errors.Join(stream.SendMsg(request), stream.CloseSend())
	}
	for err == nil {
		message := dynamicpb.NewMessage(described.Output())
		if err = stream.RecvMsg(message); err != nil {
			break
		}
		value, err := plain(message)
		if err != nil {
			return result, err
		}
		result.Replies = append(result.Replies, value)
	}
	if !errors.Is(err, io.EOF) {
		result.Error = failed(err)
	}
	return result, nil
}

func serve(port string, engine *engine) error {
	connection, err := grpc.NewClient("127.0.0.1:"+port, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(largest), grpc.MaxCallSendMsgSize(largest)))
	if err != nil {
		return err
	}
	defer connection.Close()
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for decoder := json.NewDecoder(os.Stdin); ; {
		var next call
		if err := decoder.Decode(&next); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("a call that is not JSON: %w", err)
		}
		line, err := next.make(connection)
		if err != nil {
			return err
		}
		line.Log = engine.taken()
		if err := errors.Join(encoder.Encode(line), out.Flush()); err != nil {
			return err
		}
	}
}

func run() error {
	engine, err := listen()
	if err != nil {
		return err
	}
	switch {
	case len(os.Args) == 3 && os.Args[1] == "port":
		return serve(os.Args[2], engine)
	case len(os.Args) >= 3 && os.Args[1] == "start":
		plugin, err := start(os.Args[2], append(os.Args[3:], engine.address))
		if err != nil {
			return err
		}
		defer plugin.end()
		return serve(plugin.port, engine)
	}
	return errors.New("usage: pulumi-drive start PROGRAM [ARGUMENT...] | pulumi-drive port PORT")
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
