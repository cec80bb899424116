// A provider of the plugin framework over protocol 6, with everything that protocol 5 lacks.
package main

import (
	"context"
	"log"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"peers/terraform/internal/catalogue"
	"peers/terraform/internal/framed"
)

func main() {
	wide := framed.Provider{
		Name:      "wide",
		Config:    catalogue.Config(),
		Kinds:     slices.Concat(catalogue.Shapes(), catalogue.Rules(), catalogue.Names(), nested()),
		Sources:   slices.Concat(catalogue.Sources(), nestedSources()),
		Others:    []func() resource.Resource{func() resource.Resource { return &identified{} }},
		Functions: catalogue.Functions(),
		Ephemeral: []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return &lease{} }},
		Lists:     []func() list.ListResource{func() list.ListResource { return &listed{} }},
	}
	err := providerserver.Serve(context.Background(), func() provider.Provider { return wide.Serve() },
		providerserver.ServeOpts{Address: "example.com/tests/wide", ProtocolVersion: 6})
	if err != nil {
		log.Fatal(err)
	}
}
