package catalogue

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"peers/terraform/internal/framed"
)

func replacing() schema.Attribute {
	return schema.StringAttribute{
		Optional: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
}

// Rules are resources that do something special when they are planned, checked or kept.
func Rules() []framed.Kind {
	return []framed.Kind{
		{Name: "replaced", Schema: schema.Schema{
			Attributes: Attributes{
				"id": ID(), "top": replacing(), "free": text(),
				"if_configured": schema.StringAttribute{
					Optional: true, Computed: true,
					PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplaceIfConfigured()},
				},
				"whole_list": schema.ListAttribute{
					ElementType: types.StringType, Optional: true,
					PlanModifiers: []planmodifier.List{listplanmodifier.RequiresReplace()},
				},
				"whole_set": schema.SetAttribute{
					ElementType: types.StringType, Optional: true,
					PlanModifiers: []planmodifier.Set{setplanmodifier.RequiresReplace()},
				},
				"made": schema.StringAttribute{Computed: true},
			},
			Blocks: map[string]schema.Block{
				"item": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{
					Attributes: Attributes{"fixed": replacing(), "free": text()},
				}},
				"member": schema.SetNestedBlock{NestedObject: schema.NestedBlockObject{
					Attributes: Attributes{"fixed": replacing(), "free": text()},
				}},
			},
		}},
		{Name: "planned", Plan: plan, Schema: schema.Schema{Attributes: Attributes{
			"id": ID(), "title": schema.StringAttribute{Required: true},
			"shouted": schema.StringAttribute{Computed: true},
			"counted": schema.Int64Attribute{
				Computed: true, PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
		}}},
		{Name: "secret", Schema: schema.Schema{Attributes: Attributes{
			"id": ID(), "label": text(),
			"password":      schema.StringAttribute{Optional: true, Sensitive: true},
			"secret_map":    schema.MapAttribute{ElementType: types.StringType, Optional: true, Sensitive: true},
			"made_key":      schema.StringAttribute{Computed: true, Sensitive: true},
			"written":       schema.StringAttribute{Optional: true, WriteOnly: true, Description: "Never kept."},
			"written_again": schema.Int64Attribute{Optional: true},
			"received":      schema.StringAttribute{Computed: true, Description: "The digest of what was written."},
		}}},
		{Name: "private", Private: true, Schema: schema.Schema{Attributes: Attributes{
			"id": ID(), "value": text(), "changes": schema.StringAttribute{Computed: true},
		}}},
		// Limits and private bytes at once, which providers of the older SDKs keep in one place.
		{Name: "lasting", Private: true, Schema: schema.Schema{
			Attributes: Attributes{
				"id": ID(), "value": text(), "fault": text(), "changes": schema.StringAttribute{Computed: true},
			},
			Blocks: map[string]schema.Block{
				"timeouts": schema.SingleNestedBlock{
					Attributes: Attributes{"create": text(), "read": text(), "update": text(), "delete": text()},
				},
			},
		}},
		{Name: "faulty", Schema: schema.Schema{Attributes: Attributes{
			"id": ID(), "fault": text(), "until": text(), "value": text(), "other": text(),
			"made": schema.StringAttribute{Computed: true},
		}}},
		{Name: "checked", Validate: validate, Schema: schema.Schema{
			Attributes: Attributes{
				"id": ID(), "even": schema.Int64Attribute{Optional: true},
				"mood": text(), "labels": schema.MapAttribute{ElementType: types.StringType, Optional: true},
			},
			Blocks: map[string]schema.Block{
				"part": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{
					Attributes: Attributes{"part_name": schema.StringAttribute{Required: true}},
				}},
			},
		}},
		versioned(),
	}
}

// plan knows one computed value beforehand, and has something to say about titles.
func plan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.Plan.Raw.IsNull() {
		response.Diagnostics.AddWarning("Going away", "This thing is about to be removed.")
		return
	}
	var title types.String
	response.Diagnostics.Append(request.Plan.GetAttribute(ctx, path.Root("title"), &title)...)
	if title.IsUnknown() {
		return
	}
	switch title.ValueString() {
	case "refused":
		response.Diagnostics.AddAttributeError(path.Root("title"), "Refused", "No plan is made for this title.")
	case "doubtful":
		response.Diagnostics.AddAttributeWarning(path.Root("title"), "Doubtful", "A plan is made all the same.")
	case "new":
		response.RequiresReplace = append(response.RequiresReplace, path.Root("title"))
	}
	shouted := strings.ToUpper(title.ValueString())
	response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("shouted"), shouted)...)
}

// validate finds mistakes at places of every kind.
func validate(ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	var even types.Int64
	var mood types.String
	var labels types.Map
	response.Diagnostics.Append(request.Config.GetAttribute(ctx, path.Root("even"), &even)...)
	response.Diagnostics.Append(request.Config.GetAttribute(ctx, path.Root("mood"), &mood)...)
	response.Diagnostics.Append(request.Config.GetAttribute(ctx, path.Root("labels"), &labels)...)
	if even.ValueInt64()%2 != 0 {
		response.Diagnostics.AddAttributeError(path.Root("even"), "Odd", "The number has to be even.")
	}
	switch mood.ValueString() {
	case "bad":
		response.Diagnostics.AddError("A bad mood", "Nothing in particular is wrong.")
	case "worried":
		response.Diagnostics.AddAttributeWarning(path.Root("mood"), "Worried", "It may still work.")
	}
	if _, there := labels.Elements()["wrong"]; there {
		response.Diagnostics.AddAttributeError(path.Root("labels").AtMapKey("wrong"), "Wrong label", "It must not be there.")
	}
	var parts types.List
	response.Diagnostics.Append(request.Config.GetAttribute(ctx, path.Root("part"), &parts)...)
	if len(parts.Elements()) > 2 {
		place := path.Root("part").AtListIndex(2).AtName("part_name")
		response.Diagnostics.AddAttributeError(place, "Too many parts", "Two are enough.")
	}
}

// versioned was renamed twice: a text `count_text` became a number `count`, which became `amount`.
func versioned() framed.Kind {
	zero := schema.Schema{Attributes: Attributes{"id": schema.StringAttribute{Computed: true}, "count_text": text()}}
	one := schema.Schema{Attributes: Attributes{
		"id": schema.StringAttribute{Computed: true}, "count": schema.Int64Attribute{Optional: true},
	}}
	set := func(ctx context.Context, response *resource.UpgradeStateResponse, id types.String, amount types.Int64) {
		response.Diagnostics.Append(response.State.Set(ctx, struct {
			ID       types.String `tfsdk:"id"`
			Amount   types.Int64  `tfsdk:"amount"`
			Upgraded types.Bool   `tfsdk:"upgraded"`
		}{id, amount, types.BoolValue(true)})...)
	}
	return framed.Kind{
		Name: "versioned",
		Schema: schema.Schema{Version: 2, Attributes: Attributes{
			"id": ID(), "amount": schema.Int64Attribute{Optional: true}, "upgraded": schema.BoolAttribute{Computed: true},
		}},
		Upgraders: map[int64]resource.StateUpgrader{
			0: {PriorSchema: &zero, StateUpgrader: func(
				ctx context.Context, request resource.UpgradeStateRequest, response *resource.UpgradeStateResponse,
			) {
				var id, count types.String
				response.Diagnostics.Append(request.State.GetAttribute(ctx, path.Root("id"), &id)...)
				response.Diagnostics.Append(request.State.GetAttribute(ctx, path.Root("count_text"), &count)...)
				set(ctx, response, id, types.Int64Value(int64(len(count.ValueString()))))
			}},
			1: {PriorSchema: &one, StateUpgrader: func(
				ctx context.Context, request resource.UpgradeStateRequest, response *resource.UpgradeStateResponse,
			) {
				var id types.String
				var count types.Int64
				response.Diagnostics.Append(request.State.GetAttribute(ctx, path.Root("id"), &id)...)
				response.Diagnostics.Append(request.State.GetAttribute(ctx, path.Root("count"), &count)...)
				set(ctx, response, id, count)
			}},
		},
	}
}
