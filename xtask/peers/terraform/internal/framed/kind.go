// Package framed makes providers of Terraform's plugin framework from nothing but schemas: what a resource of any shape is made
// from is kept in the cloud, and what it leaves open is filled in.
package framed

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"peers/cloud"
	"peers/terraform/internal/values"
)

// Kind is a kind of resource.
type Kind struct {
	// Name is what comes after the provider's name.
	Name   string
	Schema schema.Schema
	// Key is the attribute that has the name under which the thing is kept; `id` where it is empty.
	Key string
	// Private counts the changes in the private state, and shows the number in the attribute `changes`.
	Private   bool
	Plan      func(context.Context, resource.ModifyPlanRequest, *resource.ModifyPlanResponse)
	Validate  func(context.Context, resource.ValidateConfigRequest, *resource.ValidateConfigResponse)
	Upgraders map[int64]resource.StateUpgrader
}

// Thing is a resource of some kind.
type Thing struct {
	Kind
	cloud cloud.Cloud
}

var (
	_ resource.ResourceWithConfigure      = (*Thing)(nil)
	_ resource.ResourceWithImportState    = (*Thing)(nil)
	_ resource.ResourceWithModifyPlan     = (*Thing)(nil)
	_ resource.ResourceWithValidateConfig = (*Thing)(nil)
	_ resource.ResourceWithUpgradeState   = (*Thing)(nil)
)

// Metadata has the kind's name.
func (t *Thing) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + t.Name
}

// Schema has the kind's schema.
func (t *Thing) Schema(_ context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = t.Kind.Schema
}

// Configure gets the provider's cloud.
func (t *Thing) Configure(_ context.Context, request resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if given, ok := request.ProviderData.(cloud.Cloud); ok {
		t.cloud = given
	}
}

// ModifyPlan does what the kind wants done.
func (t *Thing) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if t.Plan != nil {
		t.Plan(ctx, request, response)
	}
}

// ValidateConfig does what the kind wants done.
func (t *Thing) ValidateConfig(
	ctx context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse,
) {
	if t.Validate != nil {
		t.Validate(ctx, request, response)
	}
}

// UpgradeState has the kind's upgraders.
func (t *Thing) UpgradeState(context.Context) map[int64]resource.StateUpgrader { return t.Upgraders }

// Create keeps what is planned.
func (t *Thing) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	config, err := inputs(request.Config)
	if err != nil {
		response.Diagnostics.AddError("Cannot read the configuration", err.Error())
		return
	}
	id := cloud.ID(t.Name, config)
	fault := t.fault(ctx, request.Plan, &response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	t.receive(ctx, request.Config, &request.Plan, &response.Diagnostics)
	state, err := t.keep(request.Plan.Raw, id)
	if err != nil {
		response.Diagnostics.AddError("Cannot create", err.Error())
		return
	}
	response.State.Raw = state
	if t.Private {
		response.Diagnostics.Append(response.Private.SetKey(ctx, "changes", []byte(`{"count":1}`))...)
	}
	if fault == "fail after create" {
		response.Diagnostics.AddError("Failed after creating", "The thing exists; the fault was asked for.")
	}
	if fault == "hang after create" {
		wait(ctx, request.Plan, &response.Diagnostics)
	}
}

// Read shows what is in the cloud.
func (t *Thing) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	key, err := t.key(request.State.Raw)
	if err == nil {
		err = t.limit(ctx, request.State, "read", key)
	}
	if err != nil {
		response.Diagnostics.AddError("Cannot read", err.Error())
		return
	}
	properties, err := t.cloud.Get(t.Name, key)
	if err != nil {
		response.Diagnostics.AddError("Cannot read", err.Error())
		return
	}
	if properties == nil {
		response.State.RemoveResource(ctx)
		return
	}
	state, err := values.FromJSON(request.State.Raw.Type(), properties)
	if err != nil {
		response.Diagnostics.AddError("The cloud has something odd", err.Error())
		return
	}
	response.State.Raw = state
	if _, there := t.Kind.Schema.Blocks["timeouts"]; there {
		// A limit is nothing that exists: providers leave it as they find it.
		var limits types.Object
		response.Diagnostics.Append(request.State.GetAttribute(ctx, path.Root("timeouts"), &limits)...)
		response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root("timeouts"), limits)...)
	}
	if t.Private {
		count, diagnostics := request.Private.GetKey(ctx, "changes")
		response.Diagnostics.Append(diagnostics...)
		response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root("changes"), string(count))...)
	}
}

// Update keeps what is planned.
func (t *Thing) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	key, err := t.key(request.State.Raw)
	if err == nil {
		err = t.limit(ctx, request.Plan, "update", key)
	}
	if err != nil {
		response.Diagnostics.AddError("Cannot update", err.Error())
		return
	}
	fault := t.fault(ctx, request.Plan, &response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	if fault == "fail on update" {
		// The value arrives and the rest does not.
		response.State.Raw = request.State.Raw
		var value *string
		request.Plan.GetAttribute(ctx, path.Root("value"), &value)
		response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root("value"), value)...)
		if _, err := t.keep(response.State.Raw, key); err != nil {
			response.Diagnostics.AddError("Cannot update", err.Error())
		}
		response.Diagnostics.AddError("Failed on updating", "Half of the change was made; the fault was asked for.")
		return
	}
	t.receive(ctx, request.Config, &request.Plan, &response.Diagnostics)
	state, err := t.keep(request.Plan.Raw, key)
	if err != nil {
		response.Diagnostics.AddError("Cannot update", err.Error())
		return
	}
	response.State.Raw = state
	if t.Private {
		t.count(ctx, request, response)
	}
}

// Delete forgets.
func (t *Thing) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	key, err := t.key(request.State.Raw)
	if err == nil {
		err = t.limit(ctx, request.State, "delete", key)
	}
	if err == nil {
		if attribute(t.Kind.Schema, "fault") {
			var fault *string
			request.State.GetAttribute(ctx, path.Root("fault"), &fault)
			if fault != nil && *fault == "fail on delete" {
				response.Diagnostics.AddError("Failed on deleting", "The thing still exists; the fault was asked for.")
				return
			}
		}
		err = t.cloud.Remove(t.Name, key)
	}
	if err != nil {
		response.Diagnostics.AddError("Cannot delete", err.Error())
	}
}

// ImportState knows nothing but the key; what there is comes with the read that follows.
func (t *Thing) ImportState(
	ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse,
) {
	key := path.Root(t.keyName())
	if kind, ok := t.Kind.Schema.Attributes[t.keyName()].(schema.Int64Attribute); ok && kind.IsComputed() {
		number, err := strconv.ParseInt(request.ID, 10, 64)
		if err != nil {
			response.Diagnostics.AddAttributeError(key, "Not a number", err.Error())
			return
		}
		response.Diagnostics.Append(response.State.SetAttribute(ctx, key, number)...)
		return
	}
	response.Diagnostics.Append(response.State.SetAttribute(ctx, key, request.ID)...)
}

func (t *Thing) keyName() string {
	if t.Key != "" {
		return t.Key
	}
	return "id"
}

// key is the name in the cloud of what a state or a plan describes.
func (t *Thing) key(raw tftypes.Value) (string, error) {
	fields := map[string]tftypes.Value{}
	if err := raw.As(&fields); err != nil {
		return "", err
	}
	value := fields[t.keyName()]
	written, err := values.ToJSON(value.Type(), value)
	return fmt.Sprint(written), err
}

// keep completes a plan and puts it into the cloud.
func (t *Thing) keep(plan tftypes.Value, id string) (tftypes.Value, error) {
	fields := map[string]tftypes.Value{}
	if err := plan.As(&fields); err != nil {
		return plan, err
	}
	if key := fields["id"]; !key.IsKnown() && key.Type().Is(tftypes.String) {
		fields["id"] = tftypes.NewValue(tftypes.String, id)
	}
	declared := t.Kind.Schema.Type().TerraformType(context.Background())
	state, err := values.Complete(declared, tftypes.NewValue(declared, fields), id)
	if err != nil {
		return plan, err
	}
	written, err := values.ToJSON(declared, state)
	if err != nil {
		return plan, err
	}
	key, err := t.key(state)
	if err != nil {
		return plan, err
	}
	return state, t.cloud.Put(t.Name, key, written.(map[string]any))
}

// receive shows in the attribute `received` what came to be written only.
func (t *Thing) receive(ctx context.Context, config tfsdk.Config, plan *tfsdk.Plan, diagnostics *diag.Diagnostics) {
	if !attribute(t.Kind.Schema, "received") {
		return
	}
	var written *string
	diagnostics.Append(config.GetAttribute(ctx, path.Root("written"), &written)...)
	digest := ""
	if written != nil {
		digest = cloud.Digest(*written)
	}
	diagnostics.Append(plan.SetAttribute(ctx, path.Root("received"), digest)...)
}

// getter is a plan or a state.
type getter interface {
	GetAttribute(context.Context, path.Path, any) diag.Diagnostics
}

// limit shows how long a step may take.
func (t *Thing) limit(ctx context.Context, from getter, step, key string) error {
	if _, there := t.Kind.Schema.Blocks["timeouts"]; !there {
		return nil
	}
	var allowed *string
	from.GetAttribute(ctx, path.Root("timeouts").AtName(step), &allowed)
	return t.cloud.Limit(t.Name, step, key, allowed)
}

// count is one more in the private state.
func (t *Thing) count(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	before, diagnostics := request.Private.GetKey(ctx, "changes")
	response.Diagnostics.Append(diagnostics...)
	var changes struct {
		Count int `json:"count"`
	}
	if err := json.Unmarshal(before, &changes); err != nil {
		response.Diagnostics.AddError("The private state is lost", err.Error())
		return
	}
	changes.Count++
	after, _ := json.Marshal(changes)
	response.Diagnostics.Append(response.Private.SetKey(ctx, "changes", after)...)
}

// inputs is the configuration as text, from which an id is made.
func inputs(config tfsdk.Config) (string, error) {
	written, err := values.ToJSON(config.Raw.Type(), config.Raw)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(written)
	return string(text), err
}

func attribute(in schema.Schema, name string) bool {
	_, there := in.Attributes[name]
	return there
}

// fault does the damage that the attribute `fault` asks for, or answers what there is to do later.
func (t *Thing) fault(ctx context.Context, plan tfsdk.Plan, diagnostics *diag.Diagnostics) string {
	if !attribute(t.Kind.Schema, "fault") {
		return ""
	}
	var fault *string
	diagnostics.Append(plan.GetAttribute(ctx, path.Root("fault"), &fault)...)
	if fault == nil {
		return ""
	}
	switch *fault {
	case "fail":
		diagnostics.AddAttributeError(path.Root("fault"), "Failed", "Nothing was done; the fault was asked for.")
	case "warn":
		diagnostics.AddWarning("A warning", "Nothing is wrong; it was asked for.")
		diagnostics.AddAttributeWarning(path.Root("fault"), "A warning with a place", "Nothing is wrong here either.")
	case "panic":
		panic("the fault was asked for")
	case "hang":
		wait(ctx, plan, diagnostics)
	}
	return *fault
}

// wait returns when the file is there that the attribute `until` names, or when it is told to stop.
func wait(ctx context.Context, plan tfsdk.Plan, diagnostics *diag.Diagnostics) {
	var until *string
	diagnostics.Append(plan.GetAttribute(ctx, path.Root("until"), &until)...)
	if err := cloud.WaitFor(*until, ctx.Done()); err != nil {
		diagnostics.AddError("Given up", err.Error())
	}
}
