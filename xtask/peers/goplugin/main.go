// A plugin, and with the argument `host` a host, on the real go-plugin: with the switches, the faults and the uses of the broker that
// go-plugin's own examples do not have. Both speak the key-value service of those examples.
package main

import (
	"context"
	"os"

	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/examples/grpc/proto"
	"google.golang.org/grpc"
)

var handshake = plugin.HandshakeConfig{MagicCookieKey: "BASIC_PLUGIN", MagicCookieValue: "hello"}

// store is the key-value service and the broker beside it.
type store struct {
	proto.KVClient
	broker *plugin.GRPCBroker
}

// stores makes them: the server's half is filled in by the plugin.
type stores struct {
	plugin.NetRPCUnsupportedPlugin
	serve func(broker *plugin.GRPCBroker) proto.KVServer
}

func (s *stores) GRPCServer(broker *plugin.GRPCBroker, server *grpc.Server) error {
	proto.RegisterKVServer(server, s.serve(broker))
	return nil
}

func (s *stores) GRPCClient(_ context.Context, broker *plugin.GRPCBroker, connection *grpc.ClientConn) (any, error) {
	return &store{proto.NewKVClient(connection), broker}, nil
}

// fixed answers every key with itself and a suffix: what is served behind the broker.
type fixed struct{ suffix string }

func (f fixed) Get(_ context.Context, request *proto.GetRequest) (*proto.GetResponse, error) {
	return &proto.GetResponse{Value: []byte(request.Key + f.suffix)}, nil
}

func (f fixed) Put(context.Context, *proto.PutRequest) (*proto.Empty, error) {
	return &proto.Empty{}, nil
}

// behind serves the key-value service on a connection of the broker.
func behind(broker *plugin.GRPCBroker, id uint32, suffix string) {
	broker.AcceptAndServe(id, func(options []grpc.ServerOption) *grpc.Server {
		server := grpc.NewServer(options...)
		proto.RegisterKVServer(server, fixed{suffix})
		return server
	})
}

// through asks the key-value service on a connection of the broker.
func through(broker *plugin.GRPCBroker, id uint32, key string) ([]byte, error) {
	connection, err := broker.Dial(id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = connection.Close() }()
	answer, err := proto.NewKVClient(connection).Get(context.Background(), &proto.GetRequest{Key: key})
	if err != nil {
		return nil, err
	}
	return answer.Value, nil
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "host" {
		host(os.Args[2:])
		return
	}
	serve()
}
