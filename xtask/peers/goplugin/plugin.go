package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/examples/grpc/proto"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// serve is the plugin. GOPLUGIN_MODE says how it starts and ends, GOPLUGIN_VERSIONS which versions it has.
func serve() {
	mode := os.Getenv("GOPLUGIN_MODE")
	switch mode {
	case "print-first":
		fmt.Println("loading the configuration")
	case "no-tls":
		_ = os.Unsetenv("PLUGIN_CLIENT_CERT")
	case "other-host":
		// It takes the certificate of a host that is not there, and refuses that of the one that is.
		_ = os.Setenv("PLUGIN_CLIENT_CERT", string(certificate().announced))
	}
	listen := plugin.DefaultGRPCServer
	if mode == "other-certificate" {
		listen = func(options []grpc.ServerOption) *grpc.Server {
			// The last of these options counts, and go-plugin announces the certificate of the one before.
			other := certificate().pair
			return plugin.DefaultGRPCServer(append(options, grpc.Creds(credentials.NewServerTLSFromCert(&other))))
		}
	}
	versions := map[int]plugin.PluginSet{}
	for _, text := range strings.Split(os.Getenv("GOPLUGIN_VERSIONS"), ",") {
		version, err := strconv.Atoi(text)
		if err != nil {
			version = 1
		}
		versions[version] = plugin.PluginSet{"kv": &stores{serve: func(broker *plugin.GRPCBroker) proto.KVServer {
			return &server{version, broker, logger()}
		}}}
	}
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  handshake,
		VersionedPlugins: versions,
		GRPCServer:       listen,
	})
	if mode == "deaf" {
		select {}
	}
}

func logger() hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Name: "kv.store", Level: hclog.Trace, Output: os.Stderr, JSONFormat: true})
}

type server struct {
	version int
	broker  *plugin.GRPCBroker
	log     hclog.Logger
}

func (s *server) Put(context.Context, *proto.PutRequest) (*proto.Empty, error) {
	return &proto.Empty{}, nil
}

// Get does what the key says.
func (s *server) Get(_ context.Context, request *proto.GetRequest) (*proto.GetResponse, error) {
	verb, argument, _ := strings.Cut(request.Key, ":")
	number, _ := strconv.Atoi(argument)
	value, err := s.do(verb, argument, number)
	return &proto.GetResponse{Value: value}, err
}

func (s *server) do(verb, argument string, number int) ([]byte, error) {
	switch verb {
	case "version":
		return []byte(strconv.Itoa(s.version)), nil
	case "variable":
		return []byte(os.Getenv(argument)), nil
	case "large":
		return make([]byte, number), nil
	case "print":
		fmt.Println("printed on stdout")
		fmt.Fprintln(os.Stderr, "printed on stderr")
	case "flood":
		for range number {
			fmt.Println(strings.Repeat("x", 99))
		}
	case "log":
		s.log.Warn("the store is nearly full", "free", 3, "unit", "pages")
	case "exit":
		os.Exit(3)
	case "panic":
		go func() { panic("the store is on fire") }()
		select {}
	case "dial":
		return through(s.broker, uint32(number), "asked by the plugin")
	case "accept":
		id := s.broker.NextId()
		go behind(s.broker, id, ", said the plugin")
		return []byte(strconv.Itoa(int(id))), nil
	}
	return []byte(argument), nil
}
