package main

import (
	source "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"peers/terraform/internal/catalogue"
	"peers/terraform/internal/framed"
)

type attributes = catalogue.Attributes

func text() schema.Attribute { return schema.StringAttribute{Optional: true} }

// member is an object with one attribute of each behaviour.
func member() schema.NestedAttributeObject {
	return schema.NestedAttributeObject{Attributes: attributes{
		"given":    schema.StringAttribute{Required: true},
		"free":     text(),
		"made":     schema.StringAttribute{Computed: true},
		"either":   schema.StringAttribute{Optional: true, Computed: true},
		"assumed":  schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("assumed")},
		"hidden":   schema.StringAttribute{Optional: true, Sensitive: true},
		"old_text": schema.StringAttribute{Optional: true, DeprecationMessage: "Use `free`."},
	}}
}

// nested are resources with attributes that are objects.
func nested() []framed.Kind {
	return []framed.Kind{
		{Name: "nested", Schema: schema.Schema{Attributes: attributes{
			"id":     catalogue.ID(),
			"single": schema.SingleNestedAttribute{Optional: true, Attributes: member().Attributes},
			"item":   schema.ListNestedAttribute{Optional: true, NestedObject: member()},
			"unique": schema.SetNestedAttribute{Optional: true, NestedObject: member()},
			"keyed":  schema.MapNestedAttribute{Optional: true, NestedObject: member()},
		}}},
		{Name: "nested_made", Schema: schema.Schema{Attributes: attributes{
			"id":    catalogue.ID(),
			"label": text(),
			"one": schema.SingleNestedAttribute{Computed: true, Attributes: attributes{
				"left": schema.StringAttribute{Computed: true}, "right_side": schema.Int64Attribute{Computed: true},
			}},
			"many": schema.ListNestedAttribute{Computed: true, NestedObject: schema.NestedAttributeObject{
				Attributes: attributes{"left": schema.StringAttribute{Computed: true}},
			}},
			"either": schema.ListNestedAttribute{
				Optional: true, Computed: true,
				PlanModifiers: []planmodifier.List{listplanmodifier.UseStateForUnknown()},
				NestedObject: schema.NestedAttributeObject{Attributes: attributes{
					"left": schema.StringAttribute{Optional: true, Computed: true}, "free": text(),
				}},
			},
		}}},
		{Name: "nested_deep", Schema: schema.Schema{Attributes: attributes{
			"id": catalogue.ID(),
			"outer": schema.MapNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{
				Attributes: attributes{
					"middle": schema.ListNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{
						Attributes: attributes{
							"inner": schema.SingleNestedAttribute{Optional: true, Attributes: attributes{
								"words":      schema.SetAttribute{ElementType: types.StringType, Optional: true},
								"some_value": schema.NumberAttribute{Optional: true},
							}},
						},
					}},
				},
			}},
		}}},
		{Name: "nested_replaced", Schema: schema.Schema{Attributes: attributes{
			"id":     catalogue.ID(),
			"single": schema.SingleNestedAttribute{Optional: true, Attributes: attributes{"fixed": fixed(), "free": text()}},
			"unique": schema.SetNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{
				Attributes: attributes{"fixed": fixed(), "free": text()},
			}},
			"keyed": schema.MapNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{
				Attributes: attributes{"fixed": fixed(), "free": text()},
			}},
		}}},
		{Name: "nested_secret", Schema: schema.Schema{Attributes: attributes{
			"id": catalogue.ID(),
			"vault": schema.SingleNestedAttribute{Optional: true, Sensitive: true, Attributes: attributes{
				"user_name": text(), "password": text(),
			}},
			"login": schema.SingleNestedAttribute{Optional: true, Attributes: attributes{
				"user_name": text(), "password": schema.StringAttribute{Optional: true, WriteOnly: true},
			}},
		}}},
	}
}

func fixed() schema.Attribute {
	return schema.StringAttribute{
		Optional: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
}

// nestedSources are data sources with attributes that are objects.
func nestedSources() []framed.Source {
	return []framed.Source{{Name: "directory_entries", Schema: source.Schema{Attributes: map[string]source.Attribute{
		"name": source.StringAttribute{Required: true},
		"filter": source.SingleNestedAttribute{Optional: true, Attributes: map[string]source.Attribute{
			"prefix": source.StringAttribute{Optional: true},
		}},
		"entry": source.ListNestedAttribute{Computed: true, NestedObject: source.NestedAttributeObject{
			Attributes: map[string]source.Attribute{
				"entry_name": source.StringAttribute{Computed: true},
				"owner": source.SingleNestedAttribute{Computed: true, Attributes: map[string]source.Attribute{
					"full_name": source.StringAttribute{Computed: true, Sensitive: true},
				}},
			},
		}},
	}}}}
}
