// A provider of two SDKs over protocol 5.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	"github.com/hashicorp/terraform-plugin-mux/tf5muxserver"

	"peers/terraform/internal/catalogue"
	"peers/terraform/internal/classic"
	"peers/terraform/internal/framed"
)

func main() {
	fresh := framed.Provider{
		Name: "mixed", Config: catalogue.Directory(), Kinds: catalogue.Names()[:5], Functions: catalogue.Functions()[:1],
	}
	server, err := tf5muxserver.NewMuxServer(context.Background(),
		func() tfprotov5.ProviderServer { return classic.Without("mixed", "named", "deprecated").GRPCProvider() },
		providerserver.NewProtocol5(fresh.Serve()))
	if err == nil {
		err = tf5server.Serve("example.com/tests/mixed", server.ProviderServer)
	}
	if err != nil {
		log.Fatal(err)
	}
}
