// Package catalogue has the kinds of resources that a provider of either protocol can have.
package catalogue

import (
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/float64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/numberdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"peers/terraform/internal/framed"
)

// Attributes is short for what every schema begins with.
type Attributes = map[string]schema.Attribute

// ID is the usual id: made by the provider, and kept.
func ID() schema.Attribute {
	return schema.StringAttribute{
		Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

func text() schema.Attribute { return schema.StringAttribute{Optional: true} }

var pair = map[string]attr.Type{"left_side": types.StringType, "right_side": types.Int64Type}

// Shapes are resources whose only point is the types of their attributes.
func Shapes() []framed.Kind {
	return []framed.Kind{
		{Name: "primitives", Schema: schema.Schema{
			MarkdownDescription: "Every primitive type, with `markdown` and a [link](https://example.com).",
			Attributes: Attributes{
				"id":              ID(),
				"a_string":        schema.StringAttribute{Required: true, Description: "A plain description."},
				"a_bool":          schema.BoolAttribute{Optional: true, MarkdownDescription: "A *marked* description."},
				"an_int64":        schema.Int64Attribute{Optional: true},
				"an_int32":        schema.Int32Attribute{Optional: true},
				"a_float64":       schema.Float64Attribute{Optional: true},
				"a_float32":       schema.Float32Attribute{Optional: true},
				"a_number":        schema.NumberAttribute{Optional: true},
				"computed_string": schema.StringAttribute{Computed: true},
				"computed_bool":   schema.BoolAttribute{Computed: true},
				"computed_number": schema.NumberAttribute{Computed: true},
				"either":          schema.StringAttribute{Optional: true, Computed: true},
				"either_kept": schema.StringAttribute{
					Optional: true, Computed: true,
					PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
				},
			},
		}},
		{Name: "defaults", Schema: schema.Schema{Attributes: Attributes{
			"id":       ID(),
			"text":     schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("given")},
			"flag":     schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(true)},
			"whole":    schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(7)},
			"fraction": schema.Float64Attribute{Optional: true, Computed: true, Default: float64default.StaticFloat64(0.5)},
			"precise": schema.NumberAttribute{
				Optional: true, Computed: true, Default: numberdefault.StaticBigFloat(big.NewFloat(1e30)),
			},
			"words": schema.ListAttribute{
				ElementType: types.StringType, Optional: true, Computed: true,
				Default: listdefault.StaticValue(types.ListValueMust(types.StringType, []attr.Value{types.StringValue("one")})),
			},
		}}},
		{Name: "collections", Schema: schema.Schema{Attributes: Attributes{
			"id":            ID(),
			"string_list":   schema.ListAttribute{ElementType: types.StringType, Optional: true},
			"number_list":   schema.ListAttribute{ElementType: types.NumberType, Optional: true},
			"bool_list":     schema.ListAttribute{ElementType: types.BoolType, Optional: true},
			"string_set":    schema.SetAttribute{ElementType: types.StringType, Optional: true},
			"number_set":    schema.SetAttribute{ElementType: types.Int64Type, Optional: true},
			"string_map":    schema.MapAttribute{ElementType: types.StringType, Optional: true},
			"number_map":    schema.MapAttribute{ElementType: types.NumberType, Optional: true},
			"list_of_lists": schema.ListAttribute{ElementType: types.ListType{ElemType: types.StringType}, Optional: true},
			"map_of_sets":   schema.MapAttribute{ElementType: types.SetType{ElemType: types.StringType}, Optional: true},
			"an_object":     schema.ObjectAttribute{AttributeTypes: pair, Optional: true},
			"object_list":   schema.ListAttribute{ElementType: types.ObjectType{AttrTypes: pair}, Optional: true},
			"object_set":    schema.SetAttribute{ElementType: types.ObjectType{AttrTypes: pair}, Optional: true},
			"object_map":    schema.MapAttribute{ElementType: types.ObjectType{AttrTypes: pair}, Optional: true},
			"made_list":     schema.ListAttribute{ElementType: types.StringType, Computed: true},
			"made_objects":  schema.ListAttribute{ElementType: types.ObjectType{AttrTypes: pair}, Computed: true},
			"either_map":    schema.MapAttribute{ElementType: types.StringType, Optional: true, Computed: true},
		}}},
		{Name: "blocks", Schema: schema.Schema{
			Attributes: Attributes{"id": ID(), "title": text()},
			Blocks: map[string]schema.Block{
				"single": schema.SingleNestedBlock{
					Attributes: Attributes{"host_name": text(), "port": schema.Int64Attribute{Optional: true}},
				},
				"rule": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{
					Attributes: Attributes{
						"action": schema.StringAttribute{Required: true}, "note": text(),
						"rule_id": schema.StringAttribute{Computed: true},
					},
					Blocks: map[string]schema.Block{
						"match": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{
							Attributes: Attributes{"prefix": text(), "weight": schema.Int64Attribute{Optional: true}},
						}},
					},
				}},
				"tag": schema.SetNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: Attributes{
					"key": schema.StringAttribute{Required: true}, "value": text(),
					"tag_id": schema.StringAttribute{Computed: true},
				}}},
			},
		}},
		{Name: "dynamic", Schema: schema.Schema{Attributes: Attributes{
			"id":          ID(),
			"anything":    schema.DynamicAttribute{Optional: true},
			"either":      schema.DynamicAttribute{Optional: true, Computed: true},
			"from_within": schema.DynamicAttribute{Computed: true},
		}}},
		{Name: "numbers", Schema: schema.Schema{Attributes: Attributes{
			"id":          ID(),
			"big_whole":   schema.NumberAttribute{Optional: true},
			"precise":     schema.NumberAttribute{Optional: true},
			"large_int64": schema.Int64Attribute{Optional: true},
			"numbers":     schema.ListAttribute{ElementType: types.NumberType, Optional: true},
			"echoed_big": schema.NumberAttribute{
				Optional: true, Computed: true,
				Default: numberdefault.StaticBigFloat(exactly("123456789012345678901234567890.125")),
			},
		}}},
	}
}

func exactly(text string) *big.Float {
	number, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return number
}
