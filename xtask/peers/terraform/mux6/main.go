// A provider of two SDKs over protocol 6, to which the older one is raised.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"
	"github.com/hashicorp/terraform-plugin-mux/tf6muxserver"

	"peers/terraform/internal/catalogue"
	"peers/terraform/internal/classic"
	"peers/terraform/internal/framed"
)

func main() {
	ctx := context.Background()
	fresh := framed.Provider{
		Name: "raised", Config: catalogue.Directory(), Kinds: catalogue.Names()[:5], Functions: catalogue.Functions()[:1],
	}
	raised, err := tf5to6server.UpgradeServer(ctx, classic.Without("raised", "named", "deprecated").GRPCProvider)
	if err != nil {
		log.Fatal(err)
	}
	server, err := tf6muxserver.NewMuxServer(ctx,
		func() tfprotov6.ProviderServer { return raised }, providerserver.NewProtocol6(fresh.Serve()))
	if err == nil {
		err = tf6server.Serve("example.com/tests/raised", server.ProviderServer)
	}
	if err != nil {
		log.Fatal(err)
	}
}
