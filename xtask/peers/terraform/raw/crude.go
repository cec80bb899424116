package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"peers/cloud"
	"peers/terraform/internal/values"
)

// crude adds resources to a provider without any.
type crude struct {
	tfprotov6.ProviderServer
	cloud cloud.Cloud
}

func (c *crude) GetProviderSchema(
	ctx context.Context, request *tfprotov6.GetProviderSchemaRequest,
) (*tfprotov6.GetProviderSchemaResponse, error) {
	response, err := c.ProviderServer.GetProviderSchema(ctx, request)
	if err == nil {
		response.ResourceSchemas, response.DataSourceSchemas = schemas(), sources()
		response.ServerCapabilities = &tfprotov6.ServerCapabilities{PlanDestroy: true}
	}
	if words := os.Getenv("CRUDE_SCHEMA_ERROR"); err == nil && words != "" {
		response.Diagnostics = append(response.Diagnostics, &tfprotov6.Diagnostic{
			Severity: tfprotov6.DiagnosticSeverityError, Summary: "No schema", Detail: words,
		})
	}
	return response, err
}

func (c *crude) GetMetadata(
	ctx context.Context, request *tfprotov6.GetMetadataRequest,
) (*tfprotov6.GetMetadataResponse, error) {
	response, err := c.ProviderServer.GetMetadata(ctx, request)
	if err == nil {
		for name := range schemas() {
			response.Resources = append(response.Resources, tfprotov6.ResourceMetadata{TypeName: name})
		}
		for name := range sources() {
			response.DataSources = append(response.DataSources, tfprotov6.DataSourceMetadata{TypeName: name})
		}
	}
	return response, err
}

func (c *crude) ConfigureProvider(
	ctx context.Context, request *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	kind := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"directory": tftypes.String}}
	config, err := request.Config.Unmarshal(kind)
	if err != nil {
		return nil, err
	}
	fields := map[string]tftypes.Value{}
	if err := config.As(&fields); err != nil {
		return nil, err
	}
	var directory *string
	if fields["directory"].IsKnown() {
		err = fields["directory"].As(&directory)
	}
	if directory != nil {
		c.cloud.Directory = *directory
	}
	return &tfprotov6.ConfigureProviderResponse{}, err
}

func (c *crude) ValidateResourceConfig(
	_ context.Context, request *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	response := &tfprotov6.ValidateResourceConfigResponse{}
	if request.TypeName != "crude_places" {
		return response, nil
	}
	fields, err := decode(request.TypeName, request.Config)
	if err != nil {
		return nil, err
	}
	response.Diagnostics = places(fields)
	return response, nil
}

// places are diagnostics at places of every kind, as errors when the value says so.
func places(fields map[string]tftypes.Value) []*tfprotov6.Diagnostic {
	severity := tfprotov6.DiagnosticSeverityWarning
	var value string
	if fields["value"].IsKnown() && !fields["value"].IsNull() && fields["value"].As(&value) == nil && value == "wrong" {
		severity = tfprotov6.DiagnosticSeverityError
	}
	root := tftypes.NewAttributePath()
	said := []*tfprotov6.Diagnostic{{Severity: severity, Summary: "No place", Detail: "It is everywhere."}}
	for _, place := range []*tftypes.AttributePath{
		root,
		root.WithAttributeName("value"),
		root.WithAttributeName("words").WithElementKeyInt(1),
		root.WithAttributeName("labels").WithElementKeyString("a key"),
		root.WithAttributeName("no_such_thing"),
		root.WithAttributeName("value").WithAttributeName("below_a_text"),
	} {
		said = append(said, &tfprotov6.Diagnostic{Severity: severity, Summary: "A place", Detail: "See there.", Attribute: place})
	}
	return append(said, &tfprotov6.Diagnostic{Severity: severity, Summary: "No detail", Attribute: root.WithAttributeName("amount")})
}

func (c *crude) UpgradeResourceState(
	_ context.Context, request *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	kind := schemas()[request.TypeName].ValueType()
	state, err := request.RawState.Unmarshal(kind)
	if err != nil {
		return nil, fmt.Errorf("the state is not what it was: %w", err)
	}
	if request.TypeName == "crude_null_upgrade" {
		state = tftypes.NewValue(kind, nil)
	}
	upgraded, err := tfprotov6.NewDynamicValue(kind, state)
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &upgraded}, err
}

func (c *crude) PlanResourceChange(
	_ context.Context, request *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	response := &tfprotov6.PlanResourceChangeResponse{PlannedPrivate: []byte(`{"planned":true}`)}
	fields, err := decode(request.TypeName, request.ProposedNewState)
	if err != nil {
		return nil, err
	}
	if fields == nil {
		// A removal: whether somebody plans one can be seen in the cloud.
		response.PlannedState = request.ProposedNewState
		return response, c.cloud.Put("planned_removals", request.TypeName, map[string]any{"planned": true})
	}
	prior, err := decode(request.TypeName, request.PriorState)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"id", "made"} {
		if value, there := fields[name]; there && prior == nil && value.IsNull() {
			fields[name] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
		}
	}
	root := tftypes.NewAttributePath()
	switch request.TypeName {
	case "crude_inconsistent_plan":
		fields["value"] = tftypes.NewValue(tftypes.String, "not what was asked for")
	case "crude_odd_replacement":
		response.RequiresReplace = []*tftypes.AttributePath{
			root.WithAttributeName("words").WithElementKeyInt(0),
			root.WithAttributeName("labels").WithElementKeyString("a"),
			root.WithAttributeName("no_such_thing"),
		}
	case "crude_whole_replacement":
		response.RequiresReplace = []*tftypes.AttributePath{root}
	case "crude_null_plan":
		if prior != nil {
			kind := schemas()[request.TypeName].ValueType()
			nothing, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, nil))
			response.PlannedState = &nothing
			return response, err
		}
	case "crude_places":
		response.Diagnostics = places(fields)
	case "crude_blocks", "crude_nested":
		if err := unknownInside(fields); err != nil {
			return nil, err
		}
	}
	response.PlannedState, err = encode(request.TypeName, fields)
	return response, err
}

// unknownInside leaves to apply what the members of blocks are filled in with.
func unknownInside(fields map[string]tftypes.Value) error {
	for name, field := range fields {
		changed, err := tftypes.Transform(field, func(place *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
			if last := place.LastStep(); last == tftypes.AttributeName("filled_in") && value.IsNull() {
				return tftypes.NewValue(value.Type(), tftypes.UnknownValue), nil
			}
			return value, nil
		})
		if err != nil {
			return err
		}
		fields[name] = changed
	}
	return nil
}

func (c *crude) ApplyResourceChange(
	_ context.Context, request *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	response := &tfprotov6.ApplyResourceChangeResponse{Private: []byte(`{"applied":true}`)}
	planned, err := decode(request.TypeName, request.PlannedState)
	if err != nil {
		return nil, err
	}
	if planned == nil {
		prior, err := decode(request.TypeName, request.PriorState)
		if err != nil {
			return nil, err
		}
		response.NewState = request.PlannedState
		return response, c.cloud.Remove(request.TypeName, text(prior["id"]))
	}
	id := text(planned["id"])
	if id == "" {
		id = cloud.ID(request.TypeName, text(planned["value"]), text(planned["title"]))
		planned["id"] = tftypes.NewValue(tftypes.String, id)
	}
	kind := schemas()[request.TypeName].ValueType()
	state, err := values.Complete(kind, tftypes.NewValue(kind, planned), id)
	if err != nil {
		return nil, err
	}
	written, err := values.ToJSON(kind, state)
	if err == nil {
		err = c.cloud.Put(request.TypeName, id, written.(map[string]any))
	}
	if err != nil {
		return nil, err
	}
	return response, c.spoil(request.TypeName, state, response)
}

// spoil answers an apply as its kind of resource does.
func (c *crude) spoil(name string, state tftypes.Value, response *tfprotov6.ApplyResourceChangeResponse) error {
	kind := schemas()[name].ValueType()
	fields := map[string]tftypes.Value{}
	if err := state.As(&fields); err != nil {
		return err
	}
	switch name {
	case "crude_inconsistent_apply":
		fields["value"] = tftypes.NewValue(tftypes.String, "not what was planned")
	case "crude_unknown_after_apply":
		fields["made"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	case "crude_wrong_type":
		wrong := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.Bool}}
		value, err := tfprotov6.NewDynamicValue(wrong, tftypes.NewValue(wrong, map[string]tftypes.Value{
			"id": tftypes.NewValue(tftypes.Bool, true),
		}))
		response.NewState = &value
		return err
	case "crude_null_after_apply":
		value, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, nil))
		response.NewState = &value
		return err
	case "crude_partial":
		response.Diagnostics = []*tfprotov6.Diagnostic{{
			Severity: tfprotov6.DiagnosticSeverityError, Summary: "Half done", Detail: "The thing exists.",
			Attribute: tftypes.NewAttributePath().WithAttributeName("made"),
		}}
		fields["made"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	case "crude_large":
		// What is made is as long as the amount says.
		var amount big.Float
		if err := fields["amount"].As(&amount); err != nil {
			return err
		}
		length, _ := amount.Int64()
		fields["made"] = tftypes.NewValue(tftypes.String, strings.Repeat("x", int(length)))
	case "crude_crowded":
		// Of the one there is another.
		var items []tftypes.Value
		if err := fields["only_item"].As(&items); err != nil {
			return err
		}
		fields["only_item"] = tftypes.NewValue(fields["only_item"].Type(), append(items, items...))
	case "crude_json":
		written, err := values.ToJSON(kind, state)
		if err != nil {
			return err
		}
		document, err := json.Marshal(written)
		response.NewState = &tfprotov6.DynamicValue{JSON: document}
		return err
	}
	value, err := encode(name, fields)
	response.NewState = value
	return err
}

func (c *crude) ReadResource(
	_ context.Context, request *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	kind := schemas()[request.TypeName].ValueType()
	fields, err := decode(request.TypeName, request.CurrentState)
	if err != nil {
		return nil, err
	}
	found, err := c.cloud.Get(request.TypeName, text(fields["id"]))
	if err != nil {
		return nil, err
	}
	state := tftypes.NewValue(kind, nil)
	if found != nil {
		if state, err = values.FromJSON(kind, found); err != nil {
			return nil, err
		}
		if request.TypeName == "crude_unknown_read" {
			fields["made"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
			state = tftypes.NewValue(kind, fields)
		}
	}
	value, err := tfprotov6.NewDynamicValue(kind, state)
	return &tfprotov6.ReadResourceResponse{NewState: &value, Private: request.Private}, err
}

func (c *crude) ValidateDataResourceConfig(
	context.Context, *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return &tfprotov6.ValidateDataResourceConfigResponse{}, nil
}

// ReadDataSource finds something that is not known.
func (c *crude) ReadDataSource(
	_ context.Context, request *tfprotov6.ReadDataSourceRequest,
) (*tfprotov6.ReadDataSourceResponse, error) {
	kind := sources()[request.TypeName].ValueType()
	config, err := request.Config.Unmarshal(kind)
	if err != nil {
		return nil, err
	}
	fields := map[string]tftypes.Value{}
	if err := config.As(&fields); err != nil {
		return nil, err
	}
	fields["made"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	state, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, fields))
	return &tfprotov6.ReadDataSourceResponse{State: &state}, err
}

func (c *crude) ImportResourceState(
	_ context.Context, request *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	response := &tfprotov6.ImportResourceStateResponse{}
	if request.TypeName == "crude_none_imported" {
		return response, nil
	}
	ids := []string{request.ID}
	if request.TypeName == "crude_two_imported" {
		ids = append(ids, request.ID+" too")
	}
	for _, id := range ids {
		kind, ok := schemas()[request.TypeName].ValueType().(tftypes.Object)
		if !ok {
			return nil, errors.New("a resource is an object")
		}
		fields := map[string]tftypes.Value{}
		for name, field := range kind.AttributeTypes {
			fields[name] = tftypes.NewValue(field, nil)
		}
		fields["id"] = tftypes.NewValue(tftypes.String, id)
		state, err := encode(request.TypeName, fields)
		if err != nil {
			return nil, err
		}
		response.ImportedResources = append(response.ImportedResources, &tfprotov6.ImportedResource{
			TypeName: request.TypeName, State: state, Private: []byte(`{"imported":true}`),
		})
	}
	return response, nil
}

// decode answers nil for what is null.
func decode(name string, value *tfprotov6.DynamicValue) (map[string]tftypes.Value, error) {
	schema, there := schemas()[name]
	if !there {
		return nil, fmt.Errorf("no resource %s", name)
	}
	if value == nil {
		return nil, errors.New("a state is missing")
	}
	state, err := value.Unmarshal(schema.ValueType())
	if err != nil || state.IsNull() {
		return nil, err
	}
	fields := map[string]tftypes.Value{}
	return fields, state.As(&fields)
}

func encode(name string, fields map[string]tftypes.Value) (*tfprotov6.DynamicValue, error) {
	kind := schemas()[name].ValueType()
	value, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, fields))
	return &value, err
}

// text is empty for what is not a known text.
func text(value tftypes.Value) string {
	var result string
	if value.Type() == nil || !value.IsKnown() || value.IsNull() || value.As(&result) != nil {
		return ""
	}
	return result
}
