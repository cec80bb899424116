package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/examples/grpc/proto"
)

// host starts a plugin, uses all that go-plugin has, and prints what it saw, one fact a line.
func host(arguments []string) {
	flags := flag.NewFlagSet("host", flag.ExitOnError)
	tls := flags.Bool("tls", false, "AutoMTLS")
	multiplex := flags.Bool("multiplex", false, "ask for a multiplexed broker")
	only := flags.Int("version", 0, "the only version of this host")
	_ = flags.Parse(arguments)
	versions := map[int]plugin.PluginSet{}
	for _, version := range []int{1, 2, 3} {
		if *only == 0 || version == *only {
			versions[version] = plugin.PluginSet{"kv": &stores{}}
		}
	}
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:     handshake,
		VersionedPlugins:    versions,
		Cmd:                 exec.Command(flags.Arg(0), flags.Args()[1:]...),
		AllowedProtocols:    []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:            *tls,
		GRPCBrokerMultiplex: *multiplex,
		SyncStdout:          os.Stdout,
		SyncStderr:          os.Stdout,
		Logger:              hclog.New(&hclog.LoggerOptions{Output: io.Discard, Level: hclog.Off}),
	})
	err := use(client)
	began := time.Now()
	client.Kill()
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println("exited:", client.Exited(), "in time:", time.Since(began) < 2*time.Second)
}

func use(client *plugin.Client) error {
	connection, err := client.Client()
	if err != nil {
		return err
	}
	fmt.Println("version:", client.NegotiatedVersion())
	if err := connection.Ping(); err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	raw, err := connection.Dispense("kv")
	if err != nil {
		return err
	}
	kv := raw.(*store)
	get := func(key string) (string, error) {
		answer, err := kv.Get(context.Background(), &proto.GetRequest{Key: key})
		if err != nil {
			return "", fmt.Errorf("%s: %w", key, err)
		}
		return string(answer.Value), nil
	}
	for _, key := range []string{"echo:hello", "print"} {
		answer, err := get(key)
		if err != nil {
			return err
		}
		fmt.Println(key, "=", answer)
	}
	id := kv.broker.NextId()
	go behind(kv.broker, id, ", said the host")
	answer, err := get(fmt.Sprint("dial:", id))
	if err != nil {
		return err
	}
	fmt.Println("dialled:", answer)
	accepted, err := get("accept")
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(accepted)
	if err != nil {
		return err
	}
	said, err := through(kv.broker, uint32(number), "asked by the host")
	if err != nil {
		return fmt.Errorf("broker: %w", err)
	}
	fmt.Println("accepted:", string(said))
	return nil
}
