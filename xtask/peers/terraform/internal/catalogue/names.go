package catalogue

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"peers/terraform/internal/framed"
)

func words() schema.Attribute {
	return schema.ListAttribute{ElementType: types.StringType, Optional: true}
}

// Names are resources whose names, or whose attributes' names, are the point: the ids, the reserved, the ones with plurals.
func Names() []framed.Kind {
	return []framed.Kind{
		{Name: "required_id", Schema: schema.Schema{Attributes: Attributes{
			"id": schema.StringAttribute{
				Required: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"value": text(),
		}}},
		{Name: "chosen_id", Schema: schema.Schema{Attributes: Attributes{
			"id": schema.StringAttribute{
				Optional: true, Computed: true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"value": text(),
		}}},
		{Name: "number_id", Schema: schema.Schema{Attributes: Attributes{
			"id": schema.Int64Attribute{Computed: true}, "value": text(),
		}}},
		{Name: "no_id", Key: "label", Schema: schema.Schema{Attributes: Attributes{
			"label": schema.StringAttribute{Required: true}, "value": text(),
		}}},
		{Name: "secret_id", Schema: schema.Schema{Attributes: Attributes{
			"id": schema.StringAttribute{Computed: true, Sensitive: true}, "value": text(),
		}}},
		// The first choices for the name of an id that has to be renamed are taken.
		{Name: "taken", Schema: schema.Schema{Attributes: Attributes{
			"id": schema.StringAttribute{Required: true}, "taken_id": text(), "resource_id": text(),
		}}},
		{Name: "named", Schema: schema.Schema{Attributes: Attributes{
			"id": ID(), "name": schema.StringAttribute{Required: true}, "value": text(),
		}}},
		{Name: "conflicting", Validate: oneName, Schema: schema.Schema{Attributes: Attributes{
			"id": ID(), "name": text(), "name_prefix": text(),
		}}},
		{Name: "named_by_provider", Schema: schema.Schema{Attributes: Attributes{
			"id": ID(), "name": schema.StringAttribute{Optional: true, Computed: true}, "value": text(),
		}}},
		{Name: "plurals", Schema: schema.Schema{
			Attributes: Attributes{
				"id": ID(), "status": words(), "index": words(), "box": words(), "policy": words(), "ingress": words(),
				"person": words(), "security_group": words(), "address": words(), "media": words(), "analysis": words(),
				"key": words(), "keys": text(), "leaf": words(), "datum": words(), "quiz": words(), "virus": words(),
				"b64_std": text(), "http2_enabled": text(), "trailing_": text(), "double__bar": text(), "x_1y": text(),
			},
			Blocks: map[string]schema.Block{
				"entry": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{
					Attributes: Attributes{"child": words(), "children": text()},
				}},
			},
		}},
		{Name: "reserved", Schema: schema.Schema{Attributes: Attributes{
			"id": ID(), "urn": text(), "pulumi": text(), "version": text(), "constructor": text(),
		}}},
		{Name: "provider", Schema: schema.Schema{Attributes: Attributes{"id": ID(), "value": text()}}},
		// Two that differ in nothing but capitals when they are Pulumi's.
		{Name: "twin_thing", Schema: schema.Schema{Attributes: Attributes{"id": ID(), "value": text()}}},
		{Name: "twinthing", Schema: schema.Schema{Attributes: Attributes{"id": ID(), "other": text()}}},
		{Name: "3d_model", Schema: schema.Schema{Attributes: Attributes{"id": ID(), "value": text()}}},
		{Name: "deprecated", Schema: schema.Schema{
			DeprecationMessage: "Use something else.",
			Attributes: Attributes{
				"id":  ID(),
				"old": schema.StringAttribute{Optional: true, DeprecationMessage: "Use `fresh` instead."}, "fresh": text(),
			},
		}},
		{Name: "slow", Schema: schema.Schema{
			Attributes: Attributes{"id": ID(), "value": text()},
			Blocks: map[string]schema.Block{
				"timeouts": schema.SingleNestedBlock{Attributes: Attributes{"create": text(), "delete": text()}},
			},
		}},
	}
}

// oneName answers with the words by which a bridge knows that the name it made up is not wanted.
func oneName(ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	var name, prefix types.String
	response.Diagnostics.Append(request.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	response.Diagnostics.Append(request.Config.GetAttribute(ctx, path.Root("name_prefix"), &prefix)...)
	if !name.IsNull() && !prefix.IsNull() {
		const summary = "Conflicting configuration arguments"
		response.Diagnostics.AddAttributeError(path.Root("name"), summary, `"name": conflicts with name_prefix`)
	}
}
