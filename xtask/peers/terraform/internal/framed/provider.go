package framed

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"peers/cloud"
)

// Provider is a provider of many kinds.
type Provider struct {
	Name    string
	Config  schema.Schema
	Kinds   []Kind
	Sources []Source
	// Others are resources that need more than a Kind.
	Others    []func() resource.Resource
	Functions []func() function.Function
	Ephemeral []func() ephemeral.EphemeralResource
	Lists     []func() list.ListResource
}

// served has the methods, whose names the fields of Provider have too.
type served struct{ Provider }

// Serve makes a provider for Terraform.
func (p Provider) Serve() provider.Provider { return &served{p} }

var (
	_ provider.ProviderWithFunctions          = (*served)(nil)
	_ provider.ProviderWithEphemeralResources = (*served)(nil)
	_ provider.ProviderWithListResources      = (*served)(nil)
)

func (s *served) Metadata(_ context.Context, _ provider.MetadataRequest, response *provider.MetadataResponse) {
	response.TypeName = s.Name
	response.Version = "1.2.3"
}

func (s *served) Schema(_ context.Context, _ provider.SchemaRequest, response *provider.SchemaResponse) {
	response.Schema = s.Config
}

func (s *served) Configure(
	ctx context.Context, request provider.ConfigureRequest, response *provider.ConfigureResponse,
) {
	var directory *string
	if request.Config.Raw.IsNull() {
		return
	}
	// A directory that is not known yet is as good as none: nothing is made during a preview.
	_ = request.Config.GetAttribute(ctx, path.Root("directory"), &directory)
	if directory != nil && *directory == "forbidden" {
		response.Diagnostics.AddAttributeError(path.Root("directory"), "Forbidden", "This directory may not be used.")
		return
	}
	made := cloud.Cloud{}
	if directory != nil {
		made.Directory = *directory
	}
	response.ResourceData, response.DataSourceData = made, made
	response.EphemeralResourceData, response.ListResourceData = made, made
}

func (s *served) Resources(context.Context) []func() resource.Resource {
	result := append([]func() resource.Resource{}, s.Others...)
	for _, kind := range s.Kinds {
		result = append(result, func() resource.Resource { return &Thing{Kind: kind} })
	}
	return result
}

func (s *served) DataSources(context.Context) []func() datasource.DataSource {
	var result []func() datasource.DataSource
	for _, source := range s.Sources {
		result = append(result, func() datasource.DataSource { return &lookup{Source: source} })
	}
	return result
}

func (s *served) Functions(context.Context) []func() function.Function { return s.Provider.Functions }

func (s *served) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return s.Provider.Ephemeral
}

func (s *served) ListResources(context.Context) []func() list.ListResource { return s.Provider.Lists }
