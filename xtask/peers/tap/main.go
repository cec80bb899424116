// Writes down what a host and a plugin say to each other, and says it again.
//
// Started as pulumi-resource-NAME it starts the program of that name in the directory TAP_TO, hands every call on
// to it as the bytes that came, and appends one line of JSON for each to the file TAP_LOG.
//
//	pulumi-tap replay LOG PROGRAM
//
// sends the requests of such a file again, in their order, one at a time, to fresh processes of PROGRAM (one for each
// process that was recorded), and prints the same lines with the answers of today.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"sync"
	"syscall"
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
	prefix  = "pulumi-resource-"
	service = "/pulumirpc.ResourceProvider/"
	largest = 400 << 20
)

// call is one line of the log.
type call struct {
	Process int             `json:"process"`
	At      int64           `json:"at"`
	Method  string          `json:"method"`
	Request json.RawMessage `json:"request"`
	Answer  json.RawMessage `json:"answer,omitempty"`
	Error   string          `json:"error,omitempty"`
}

// raw leaves messages as the bytes that they are.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(message any) ([]byte, error) { return *message.(*[]byte), nil }

func (raw) Unmarshal(data []byte, message any) error {
	*message.(*[]byte) = append([]byte(nil), data...)
	return nil
}

func describe(method string) (protoreflect.MethodDescriptor, error) {
	name := strings.ReplaceAll(strings.TrimPrefix(method, "/"), "/", ".")
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return nil, err
	}
	described, ok := found.(protoreflect.MethodDescriptor)
	if !ok || described.IsStreamingClient() || described.IsStreamingServer() {
		return nil, fmt.Errorf("%s is not a call with one answer", method)
	}
	return described, nil
}

func toJSON(kind protoreflect.MessageDescriptor, data []byte) (json.RawMessage, error) {
	message := dynamicpb.NewMessage(kind)
	if err := proto.Unmarshal(data, message); err != nil {
		return nil, err
	}
	return protojson.Marshal(message)
}

func fromJSON(kind protoreflect.MessageDescriptor, text json.RawMessage) ([]byte, error) {
	message := dynamicpb.NewMessage(kind)
	if err := protojson.Unmarshal(text, message); err != nil {
		return nil, err
	}
	return proto.Marshal(message)
}

// make calls the plugin, and answers the line for the log beside the plugin's answer.
func (c call) make(ctx context.Context, to *grpc.ClientConn, request []byte) (call, []byte, error) {
	described, err := describe(service + c.Method)
	if err != nil {
		return c, nil, status.Error(codes.Unimplemented, err.Error())
	}
	var answer []byte
	failure := to.Invoke(ctx, service+c.Method, &request, &answer, grpc.ForceCodec(raw{}))
	if c.Request, err = toJSON(described.Input(), request); err != nil {
		return c, nil, err
	}
	if failure != nil {
		c.Error = failure.Error()
		return c, nil, failure
	}
	c.Answer, err = toJSON(described.Output(), answer)
	return c, answer, err
}

// plugin is a running plugin. It ends with us: its standard input is ours, or closes with us, and it is killed when we die.
type plugin struct {
	connection *grpc.ClientConn
	command    *exec.Cmd
}

func start(program string, arguments []string) (*plugin, error) {
	command := exec.Command(program, arguments...)
	command.Stdin, command.Stderr = os.Stdin, os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	reader := bufio.NewReader(output)
	port, err := reader.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%s printed no port: %w", program, err)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	connection, err := grpc.NewClient("127.0.0.1:"+strings.TrimSpace(port),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(largest), grpc.MaxCallSendMsgSize(largest)))
	return &plugin{connection, command}, err
}

func tap(name string) error {
	target, err := start(filepath.Join(os.Getenv("TAP_TO"), name), os.Args[1:])
	if err != nil {
		return err
	}
	log, err := os.OpenFile(os.Getenv("TAP_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	var lock sync.Mutex
	handler := func(_ any, stream grpc.ServerStream) error {
		full, _ := grpc.MethodFromServerStream(stream)
		method, ok := strings.CutPrefix(full, service)
		if !ok {
			return status.Error(codes.Unimplemented, full)
		}
		var request []byte
		if err := stream.RecvMsg(&request); err != nil {
			return err
		}
		begun := call{Process: os.Getpid(), At: time.Now().UnixNano(), Method: method}
		line, answer, failure := begun.make(stream.Context(), target.connection, request)
		text, err := json.Marshal(line)
		if err != nil {
			return err
		}
		// A line is there before its answer is: a host that has what it wanted may end us at once.
		lock.Lock()
		_, err = log.Write(append(text, '\n'))
		lock.Unlock()
		if failure != nil {
			return failure
		}
		if err != nil {
			return err
		}
		return stream.SendMsg(&answer)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	return grpc.NewServer(grpc.ForceServerCodec(raw{}), grpc.UnknownServiceHandler(handler),
		grpc.MaxRecvMsgSize(largest), grpc.MaxSendMsgSize(largest)).Serve(listener)
}

func replay(log, program string) error {
	file, err := os.Open(log)
	if err != nil {
		return err
	}
	var calls []call
	for decoder := json.NewDecoder(file); ; {
		var next call
		if err := decoder.Decode(&next); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		calls = append(calls, next)
	}
	sort.SliceStable(calls, func(i, j int) bool { return calls[i].At < calls[j].At })
	plugins := map[int]*plugin{}
	defer func() {
		for _, each := range plugins {
			_ = each.command.Process.Kill()
			_ = each.command.Wait()
		}
	}()
	for _, recorded := range calls {
		target := plugins[recorded.Process]
		if target == nil {
			if target, err = start(program, nil); err != nil {
				return err
			}
			plugins[recorded.Process] = target
		}
		described, err := describe(service + recorded.Method)
		if err != nil {
			return err
		}
		request, err := fromJSON(described.Input(), recorded.Request)
		if err != nil {
			return err
		}
		fresh := call{Process: recorded.Process, At: recorded.At, Method: recorded.Method}
		// An error of the plugin is an answer like another: it is in the line.
		line, _, err := fresh.make(context.Background(), target.connection, request)
		if err != nil && line.Error == "" {
			return err
		}
		text, err := json.Marshal(line)
		if err != nil {
			return err
		}
		fmt.Println(string(text))
	}
	return nil
}

func run() error {
	// A child is told of its parent's death when the thread that started it ends.
	runtime.LockOSThread()
	if name := filepath.Base(os.Args[0]); strings.HasPrefix(name, prefix) {
		return tap(name)
	}
	if len(os.Args) == 4 && os.Args[1] == "replay" {
		return replay(os.Args[2], os.Args[3])
	}
	return errors.New("usage: pulumi-tap replay LOG PROGRAM, or start it as " + prefix + "NAME")
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
