package main

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	ephemeralschema "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"peers/cloud"
	"peers/terraform/internal/catalogue"
)

// identified is a resource with an identity beside its id.
type identified struct{ cloud cloud.Cloud }

var (
	_ resource.ResourceWithIdentity        = (*identified)(nil)
	_ resource.ResourceWithImportState     = (*identified)(nil)
	_ resource.ResourceWithMoveState       = (*identified)(nil)
	_ resource.ResourceWithUpgradeIdentity = (*identified)(nil)
)

func (i *identified) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_identified"
}

func (i *identified) Schema(_ context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = schema.Schema{Attributes: attributes{
		"id": catalogue.ID(), "region": schema.StringAttribute{Required: true}, "value": text(),
	}}
}

func (i *identified) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, response *resource.IdentitySchemaResponse,
) {
	response.IdentitySchema = identityschema.Schema{Version: 1, Attributes: map[string]identityschema.Attribute{
		"region": identityschema.StringAttribute{RequiredForImport: true},
		"code":   identityschema.StringAttribute{OptionalForImport: true},
	}}
}

// UpgradeIdentity knows the time when a region was called a place.
func (i *identified) UpgradeIdentity(context.Context) map[int64]resource.IdentityUpgrader {
	before := identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"place": identityschema.StringAttribute{RequiredForImport: true},
		"code":  identityschema.StringAttribute{OptionalForImport: true},
	}}
	return map[int64]resource.IdentityUpgrader{0: {PriorSchema: &before, IdentityUpgrader: func(
		ctx context.Context, request resource.UpgradeIdentityRequest, response *resource.UpgradeIdentityResponse,
	) {
		var kept struct {
			Region string `tfsdk:"region"`
			Code   string `tfsdk:"code"`
		}
		response.Diagnostics.Append(request.Identity.GetAttribute(ctx, path.Root("place"), &kept.Region)...)
		response.Diagnostics.Append(request.Identity.GetAttribute(ctx, path.Root("code"), &kept.Code)...)
		response.Diagnostics.Append(response.Identity.Set(ctx, kept)...)
	}}}
}

// MoveState takes what was a `wide_named`, whose name becomes the region.
func (i *identified) MoveState(context.Context) []resource.StateMover {
	before := schema.Schema{Attributes: attributes{"id": catalogue.ID(), "name": text(), "value": text()}}
	return []resource.StateMover{{SourceSchema: &before, StateMover: func(
		ctx context.Context, request resource.MoveStateRequest, response *resource.MoveStateResponse,
	) {
		if request.SourceTypeName != "wide_named" {
			return
		}
		for from, to := range map[string]string{"id": "id", "name": "region", "value": "value"} {
			var kept *string
			response.Diagnostics.Append(request.SourceState.GetAttribute(ctx, path.Root(from), &kept)...)
			response.Diagnostics.Append(response.TargetState.SetAttribute(ctx, path.Root(to), kept)...)
		}
		response.Diagnostics.Append(response.TargetPrivate.SetKey(ctx, "moved", []byte(`{"times":1}`))...)
	}}}
}

func (i *identified) Configure(_ context.Context, request resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if given, ok := request.ProviderData.(cloud.Cloud); ok {
		i.cloud = given
	}
}

// model is the resource as a Go value.
type model struct {
	ID     string  `tfsdk:"id"`
	Region string  `tfsdk:"region"`
	Value  *string `tfsdk:"value"`
}

func (m model) keep(to cloud.Cloud) error {
	return to.Put("identified", m.ID, map[string]any{"region": m.Region, "value": m.Value})
}

func (i *identified) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	var region string
	var value *string
	response.Diagnostics.Append(request.Plan.GetAttribute(ctx, path.Root("region"), &region)...)
	response.Diagnostics.Append(request.Plan.GetAttribute(ctx, path.Root("value"), &value)...)
	made := model{cloud.ID("identified", region), region, value}
	if err := made.keep(i.cloud); err != nil {
		response.Diagnostics.AddError("Cannot create", err.Error())
		return
	}
	response.Diagnostics.Append(response.State.Set(ctx, made)...)
	response.Diagnostics.Append(response.Identity.SetAttribute(ctx, path.Root("region"), region)...)
	response.Diagnostics.Append(response.Identity.SetAttribute(ctx, path.Root("code"), made.ID)...)
}

func (i *identified) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	var id string
	response.Diagnostics.Append(request.State.GetAttribute(ctx, path.Root("id"), &id)...)
	found, err := i.cloud.Get("identified", id)
	if err != nil {
		response.Diagnostics.AddError("Cannot read", err.Error())
		return
	}
	if found == nil {
		response.State.RemoveResource(ctx)
		return
	}
	region, _ := found["region"].(string)
	read := model{ID: id, Region: region}
	if value, ok := found["value"].(string); ok {
		read.Value = &value
	}
	response.Diagnostics.Append(response.State.Set(ctx, read)...)
	response.Diagnostics.Append(response.Identity.SetAttribute(ctx, path.Root("region"), region)...)
	response.Diagnostics.Append(response.Identity.SetAttribute(ctx, path.Root("code"), id)...)
}

func (i *identified) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	var planned model
	response.Diagnostics.Append(request.Plan.Get(ctx, &planned)...)
	if response.Diagnostics.HasError() {
		return
	}
	if err := planned.keep(i.cloud); err != nil {
		response.Diagnostics.AddError("Cannot update", err.Error())
		return
	}
	response.Diagnostics.Append(response.State.Set(ctx, planned)...)
}

func (i *identified) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	var id string
	response.Diagnostics.Append(request.State.GetAttribute(ctx, path.Root("id"), &id)...)
	if err := i.cloud.Remove("identified", id); err != nil {
		response.Diagnostics.AddError("Cannot delete", err.Error())
	}
}

// ImportState takes an id, or an identity, from which the id is made.
func (i *identified) ImportState(
	ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse,
) {
	id := request.ID
	if id == "" {
		var region string
		response.Diagnostics.Append(request.Identity.GetAttribute(ctx, path.Root("region"), &region)...)
		id = cloud.ID("identified", region)
	}
	response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root("id"), id)...)
}

// listed lists what is of the kind `identified`.
type listed struct{ cloud cloud.Cloud }

var _ list.ListResourceWithConfigure = (*listed)(nil)

func (l *listed) Metadata(ctx context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	(&identified{}).Metadata(ctx, request, response)
}

func (l *listed) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, response *list.ListResourceSchemaResponse,
) {
	response.Schema = listschema.Schema{Attributes: map[string]listschema.Attribute{
		"region": listschema.StringAttribute{Optional: true},
	}}
}

func (l *listed) Configure(_ context.Context, request resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if given, ok := request.ProviderData.(cloud.Cloud); ok {
		l.cloud = given
	}
}

func (l *listed) List(ctx context.Context, request list.ListRequest, stream *list.ListResultsStream) {
	ids, err := l.cloud.List("identified")
	stream.Results = func(yield func(list.ListResult) bool) {
		if err != nil {
			result := request.NewListResult(ctx)
			result.Diagnostics.AddError("Cannot list", err.Error())
			yield(result)
			return
		}
		for _, id := range ids {
			found, err := l.cloud.Get("identified", id)
			if err != nil || found == nil {
				continue
			}
			result := request.NewListResult(ctx)
			result.DisplayName = id
			if found["region"] == "unspeakable" {
				// What is not text cannot be sent, so the answers break off here.
				result.DisplayName = "\xff"
			}
			result.Diagnostics.Append(result.Identity.SetAttribute(ctx, path.Root("region"), found["region"])...)
			result.Diagnostics.Append(result.Identity.SetAttribute(ctx, path.Root("code"), id)...)
			if !yield(result) {
				return
			}
		}
	}
}

// lease is a value that nobody keeps.
type lease struct{}

var (
	_ ephemeral.EphemeralResourceWithRenew = (*lease)(nil)
	_ ephemeral.EphemeralResourceWithClose = (*lease)(nil)
)

func (l *lease) Metadata(_ context.Context, request ephemeral.MetadataRequest, response *ephemeral.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_lease"
}

func (l *lease) Schema(_ context.Context, _ ephemeral.SchemaRequest, response *ephemeral.SchemaResponse) {
	response.Schema = ephemeralschema.Schema{Attributes: map[string]ephemeralschema.Attribute{
		"name":  ephemeralschema.StringAttribute{Required: true},
		"token": ephemeralschema.StringAttribute{Computed: true, Sensitive: true},
	}}
}

func (l *lease) Open(ctx context.Context, request ephemeral.OpenRequest, response *ephemeral.OpenResponse) {
	var name string
	response.Diagnostics.Append(request.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	response.Diagnostics.Append(response.Result.SetAttribute(ctx, path.Root("name"), name)...)
	response.Diagnostics.Append(response.Result.SetAttribute(ctx, path.Root("token"), cloud.ID("token", name))...)
	response.Diagnostics.Append(response.Private.SetKey(ctx, "opened", []byte(`{"times":1}`))...)
	response.RenewAt = time.Now().Add(time.Hour)
}

func (l *lease) Renew(ctx context.Context, request ephemeral.RenewRequest, response *ephemeral.RenewResponse) {
	if opened, _ := request.Private.GetKey(ctx, "opened"); opened == nil {
		response.Diagnostics.AddError("Never opened", "The private data is lost.")
	}
	response.RenewAt = time.Now().Add(time.Hour)
}

func (l *lease) Close(ctx context.Context, request ephemeral.CloseRequest, response *ephemeral.CloseResponse) {
	if opened, _ := request.Private.GetKey(ctx, "opened"); opened == nil {
		response.Diagnostics.AddError("Never opened", "The private data is lost.")
	}
}
