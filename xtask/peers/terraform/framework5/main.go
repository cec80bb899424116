// A provider of the plugin framework over protocol 5.
package main

import (
	"context"
	"log"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"peers/terraform/internal/catalogue"
	"peers/terraform/internal/framed"
)

func main() {
	narrow := framed.Provider{
		Name:    "narrow",
		Config:  catalogue.Config(),
		Kinds:   slices.Concat(catalogue.Shapes(), catalogue.Rules(), catalogue.Names()),
		Sources: catalogue.Sources(),
	}
	err := providerserver.Serve(context.Background(), func() provider.Provider { return narrow.Serve() },
		providerserver.ServeOpts{Address: "example.com/tests/narrow", ProtocolVersion: 5})
	if err != nil {
		log.Fatal(err)
	}
}
