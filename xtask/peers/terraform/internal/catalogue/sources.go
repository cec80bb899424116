package catalogue

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	provider "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"peers/terraform/internal/framed"
)

// Sources are data sources.
func Sources() []framed.Source {
	name := schema.StringAttribute{Required: true}
	return []framed.Source{
		{Name: "lookup", Schema: schema.Schema{
			Attributes: map[string]schema.Attribute{
				"id": schema.StringAttribute{Computed: true}, "name": name,
				"size":   schema.NumberAttribute{Computed: true},
				"made":   schema.StringAttribute{Optional: true, Computed: true},
				"tag":    schema.ListAttribute{ElementType: types.StringType, Optional: true},
				"object": schema.ObjectAttribute{AttributeTypes: pair, Computed: true},
				"objects": schema.ListAttribute{
					ElementType: types.ObjectType{AttrTypes: pair}, Computed: true, DeprecationMessage: "Use `object`.",
				},
			},
			Blocks: map[string]schema.Block{
				"filter": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{
					Attributes: map[string]schema.Attribute{
						"field": schema.StringAttribute{Required: true},
						"value": schema.ListAttribute{ElementType: types.StringType, Optional: true},
					},
				}},
			},
		}},
		{Name: "vault", Schema: schema.Schema{Attributes: map[string]schema.Attribute{
			"name": name, "password": schema.StringAttribute{Computed: true, Sensitive: true},
			"parts": schema.MapAttribute{ElementType: types.StringType, Computed: true, Sensitive: true},
		}}},
		{Name: "twin_thing", Schema: schema.Schema{Attributes: map[string]schema.Attribute{
			"name": name, "id": schema.StringAttribute{Optional: true, Computed: true},
		}}},
		{Name: "twinthing", Schema: schema.Schema{Attributes: map[string]schema.Attribute{"name": name}}},
		{Name: "anything", Schema: schema.Schema{Attributes: map[string]schema.Attribute{
			"name": name, "given": schema.DynamicAttribute{Optional: true}, "made": schema.DynamicAttribute{Computed: true},
		}}},
	}
}

// Config is a provider's configuration of every shape.
func Config() provider.Schema {
	return provider.Schema{
		Description: "A provider for tests.",
		Attributes: map[string]provider.Attribute{
			"directory": provider.StringAttribute{Optional: true, Description: "Where things are kept."},
			"token":     provider.StringAttribute{Optional: true, Sensitive: true},
			"retries":   provider.Int64Attribute{Optional: true},
			"verbose":   provider.BoolAttribute{Optional: true},
			"region":    provider.ListAttribute{ElementType: types.StringType, Optional: true},
			"labels":    provider.MapAttribute{ElementType: types.StringType, Optional: true},
			"old_token": provider.StringAttribute{Optional: true, DeprecationMessage: "Use `token`."},
		},
		Blocks: map[string]provider.Block{
			"endpoint": provider.ListNestedBlock{NestedObject: provider.NestedBlockObject{
				Attributes: map[string]provider.Attribute{
					"service_url": provider.StringAttribute{Required: true},
					"api_key":     provider.StringAttribute{Optional: true, Sensitive: true},
				},
			}},
		},
	}
}

// Directory is the smallest configuration, which providers that are served as one can share.
func Directory() provider.Schema {
	return provider.Schema{Attributes: map[string]provider.Attribute{
		"directory": provider.StringAttribute{Optional: true},
	}}
}
