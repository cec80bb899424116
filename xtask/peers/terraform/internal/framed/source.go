package framed

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"peers/cloud"
	"peers/terraform/internal/values"
)

// Source is a kind of data source. Its attribute `name` decides what it finds: everything that is not given is made from it.
type Source struct {
	Name   string
	Schema schema.Schema
}

type lookup struct {
	Source
	cloud cloud.Cloud
}

var _ datasource.DataSourceWithConfigure = (*lookup)(nil)

func (l *lookup) Metadata(_ context.Context, request datasource.MetadataRequest, response *datasource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + l.Name
}

func (l *lookup) Schema(_ context.Context, _ datasource.SchemaRequest, response *datasource.SchemaResponse) {
	response.Schema = l.Source.Schema
}

func (l *lookup) Configure(_ context.Context, request datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	if given, ok := request.ProviderData.(cloud.Cloud); ok {
		l.cloud = given
	}
}

func (l *lookup) Read(ctx context.Context, request datasource.ReadRequest, response *datasource.ReadResponse) {
	var name *string
	response.Diagnostics.Append(request.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	if name == nil {
		response.Diagnostics.AddAttributeError(path.Root("name"), "No name", "Nothing is found without a name.")
		return
	}
	switch *name {
	case "missing":
		response.Diagnostics.AddError("Not found", "There is nothing of this name.")
		return
	case "warned":
		response.Diagnostics.AddWarning("A warning", "It was asked for.")
	case "panic":
		panic("the fault was asked for")
	}
	fields := map[string]tftypes.Value{}
	if err := request.Config.Raw.As(&fields); err != nil {
		response.Diagnostics.AddError("Cannot read the configuration", err.Error())
		return
	}
	declared := l.Source.Schema.Type().TerraformType(ctx)
	for field, value := range fields {
		attribute, there := l.Source.Schema.Attributes[field]
		if there && attribute.IsComputed() && value.IsNull() {
			fields[field] = tftypes.NewValue(value.Type(), tftypes.UnknownValue)
		}
	}
	state, err := values.Complete(declared, tftypes.NewValue(declared, fields), *name)
	if err != nil {
		response.Diagnostics.AddError("Cannot answer", err.Error())
		return
	}
	response.State.Raw = state
}
