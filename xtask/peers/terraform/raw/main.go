// A provider that speaks protocol 6 without a framework that keeps it from saying what it should not.
package main

import (
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"peers/terraform/internal/catalogue"
	"peers/terraform/internal/framed"
)

func main() {
	// What has nothing to do with resources is left to the framework.
	empty := framed.Provider{Name: "crude", Config: catalogue.Directory()}
	err := tf6server.Serve("example.com/tests/crude", func() tfprotov6.ProviderServer {
		return &crude{ProviderServer: providerserver.NewProtocol6(empty.Serve())()}
	})
	if err != nil {
		log.Fatal(err)
	}
}
