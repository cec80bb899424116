package main

import (
	"context"
	"net"
	"sort"
	"sync"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// entry is a message of the plugin's to its engine.
type entry struct {
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Urn      string `json:"urn,omitempty"`
}

// engine hears what the plugin has to say.
type engine struct {
	pulumirpc.UnimplementedEngineServer
	address string
	lock    sync.Mutex
	heard   []entry
}

func listen() (*engine, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	result := &engine{address: listener.Addr().String()}
	server := grpc.NewServer()
	pulumirpc.RegisterEngineServer(server, result)
	go func() { _ = server.Serve(listener) }()
	return result, nil
}

func (e *engine) Log(_ context.Context, request *pulumirpc.LogRequest) (*emptypb.Empty, error) {
	// Debug messages are for whoever wrote the plugin: no two have the same.
	if request.GetSeverity() != pulumirpc.LogSeverity_DEBUG {
		e.lock.Lock()
		defer e.lock.Unlock()
		e.heard = append(e.heard, entry{request.GetSeverity().String(), request.GetMessage(), request.GetUrn()})
	}
	return &emptypb.Empty{}, nil
}

// taken answers what was said since it was last asked. A plugin may say several things at once, so they are in order of text.
func (e *engine) taken() []entry {
	e.lock.Lock()
	defer e.lock.Unlock()
	said := e.heard
	e.heard = nil
	sort.SliceStable(said, func(i, j int) bool { return said[i].Message < said[j].Message })
	return said
}
