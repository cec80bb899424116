// A provider of Terraform's SDK, version 2, which speaks protocol 5.
package main

import (
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/plugin"

	"peers/terraform/internal/classic"
)

func main() {
	plugin.Serve(&plugin.ServeOpts{ProviderFunc: func() *schema.Provider {
		return classic.Provider("classic", classic.Config())
	}})
}
