package main

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func given(name string, kind tftypes.Type) *tfprotov6.SchemaAttribute {
	return &tfprotov6.SchemaAttribute{Name: name, Type: kind, Optional: true}
}

func made(name string, kind tftypes.Type) *tfprotov6.SchemaAttribute {
	return &tfprotov6.SchemaAttribute{Name: name, Type: kind, Computed: true}
}

func resource(attributes []*tfprotov6.SchemaAttribute, blocks ...*tfprotov6.SchemaNestedBlock) *tfprotov6.Schema {
	attributes = append([]*tfprotov6.SchemaAttribute{made("id", tftypes.String)}, attributes...)
	return &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: attributes, BlockTypes: blocks}}
}

func block(
	name string, nesting tfprotov6.SchemaNestedBlockNestingMode, least, most int64,
) *tfprotov6.SchemaNestedBlock {
	return &tfprotov6.SchemaNestedBlock{TypeName: name, Nesting: nesting, MinItems: least, MaxItems: most,
		Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
			given("some_text", tftypes.String), made("filled_in", tftypes.String),
		}}}
}

// plain has an attribute to give and one to be made.
func plain() *tfprotov6.Schema {
	return resource([]*tfprotov6.SchemaAttribute{
		given("value", tftypes.String), given("amount", tftypes.Number), made("made", tftypes.String),
		given("words", tftypes.List{ElementType: tftypes.String}), given("labels", tftypes.Map{ElementType: tftypes.String}),
	})
}

// sources are the kinds of data sources.
func sources() map[string]*tfprotov6.Schema {
	return map[string]*tfprotov6.Schema{"crude_fog": plain()}
}

// schemas are the kinds of resources. All but the last few are alike, and differ in what they do wrong.
func schemas() map[string]*tfprotov6.Schema {
	return map[string]*tfprotov6.Schema{
		"crude_plain":               plain(),
		"crude_inconsistent_plan":   plain(),
		"crude_inconsistent_apply":  plain(),
		"crude_unknown_after_apply": plain(),
		"crude_wrong_type":          plain(),
		"crude_null_after_apply":    plain(),
		"crude_partial":             plain(),
		"crude_json":                plain(),
		"crude_large":               plain(),
		"crude_places":              plain(),
		"crude_odd_replacement":     plain(),
		"crude_whole_replacement":   plain(),
		"crude_null_plan":           plain(),
		"crude_null_upgrade":        plain(),
		"crude_unknown_read":        plain(),
		"crude_two_imported":        plain(),
		"crude_none_imported":       plain(),
		"crude_crowded": resource([]*tfprotov6.SchemaAttribute{given("title", tftypes.String)},
			block("only_item", tfprotov6.SchemaNestedBlockNestingModeList, 0, 1)),
		"crude_blocks": resource([]*tfprotov6.SchemaAttribute{given("title", tftypes.String)},
			block("single", tfprotov6.SchemaNestedBlockNestingModeSingle, 0, 0),
			block("needed_single", tfprotov6.SchemaNestedBlockNestingModeSingle, 1, 1),
			block("group", tfprotov6.SchemaNestedBlockNestingModeGroup, 0, 0),
			block("item", tfprotov6.SchemaNestedBlockNestingModeList, 0, 0),
			block("only_item", tfprotov6.SchemaNestedBlockNestingModeList, 0, 1),
			block("member", tfprotov6.SchemaNestedBlockNestingModeSet, 0, 3),
			block("only_member", tfprotov6.SchemaNestedBlockNestingModeSet, 0, 1),
			block("keyed", tfprotov6.SchemaNestedBlockNestingModeMap, 0, 0)),
		"crude_nested": resource([]*tfprotov6.SchemaAttribute{{
			Name: "setting", Optional: true, Computed: true,
			NestedType: &tfprotov6.SchemaObject{
				Nesting: tfprotov6.SchemaObjectNestingModeSet,
				Attributes: []*tfprotov6.SchemaAttribute{
					given("some_text", tftypes.String), made("filled_in", tftypes.String),
				},
			},
		}, {
			Name: "object", Optional: true,
			Type: tftypes.Object{AttributeTypes: map[string]tftypes.Type{
				"needed": tftypes.String, "spare_part": tftypes.Number,
				"inner": tftypes.List{ElementType: tftypes.Object{
					AttributeTypes: map[string]tftypes.Type{"deep_text": tftypes.String},
				}},
			}},
		}}),
		"crude_spare": resource([]*tfprotov6.SchemaAttribute{given("object", tftypes.Object{
			AttributeTypes:     map[string]tftypes.Type{"needed": tftypes.String, "spare_part": tftypes.Number},
			OptionalAttributes: map[string]struct{}{"spare_part": {}},
		})}),
	}
}
