package classic

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/customdiff"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"peers/cloud"
)

type fields = map[string]*schema.Schema

var words = &schema.Schema{Type: schema.TypeString}

func text() *schema.Schema { return &schema.Schema{Type: schema.TypeString, Optional: true} }

func made(kind schema.ValueType) *schema.Schema { return &schema.Schema{Type: kind, Computed: true} }

func resourcesByName() map[string]*schema.Resource {
	return map[string]*schema.Resource{
		"primitives": {Description: "Every primitive type.", Schema: fields{
			"a_string": {Type: schema.TypeString, Required: true, Description: "A description."},
			"a_bool":   {Type: schema.TypeBool, Optional: true}, "an_int": {Type: schema.TypeInt, Optional: true},
			"a_float": {Type: schema.TypeFloat, Optional: true}, "made": made(schema.TypeString), "size": made(schema.TypeInt),
			"either":  {Type: schema.TypeString, Optional: true, Computed: true},
			"assumed": {Type: schema.TypeString, Optional: true, Default: "assumed"},
			"hidden":  {Type: schema.TypeString, Optional: true, Sensitive: true},
			"written": {Type: schema.TypeString, Optional: true, WriteOnly: true}, "received": made(schema.TypeString),
			"old": {Type: schema.TypeString, Optional: true, Deprecated: "Use `either`."},
		}},
		"collections": {Schema: fields{
			"string_list": {Type: schema.TypeList, Optional: true, Elem: words},
			"string_set":  {Type: schema.TypeSet, Optional: true, Elem: words},
			"int_set":     {Type: schema.TypeSet, Optional: true, Elem: &schema.Schema{Type: schema.TypeInt}},
			"string_map":  {Type: schema.TypeMap, Optional: true, Elem: words},
			"int_map":     {Type: schema.TypeMap, Optional: true, Elem: &schema.Schema{Type: schema.TypeInt}},
			"lists": {Type: schema.TypeList, Optional: true, Elem: &schema.Schema{
				Type: schema.TypeList, Elem: words,
			}},
			"made_list":  {Type: schema.TypeList, Computed: true, Elem: words},
			"only_value": {Type: schema.TypeList, Optional: true, MaxItems: 1, Elem: words},
		}},
		"blocks": {Schema: fields{
			"title": text(),
			"rule": {Type: schema.TypeList, Optional: true, Elem: &schema.Resource{Schema: fields{
				"action": {Type: schema.TypeString, Required: true}, "weight": {Type: schema.TypeInt, Optional: true},
				"match": {Type: schema.TypeSet, Optional: true, Elem: &schema.Resource{Schema: fields{
					"prefix": text(), "flag": {Type: schema.TypeBool, Optional: true},
				}}},
			}}},
			"settings": {Type: schema.TypeList, Optional: true, MaxItems: 1, Elem: &schema.Resource{Schema: fields{
				"level": {Type: schema.TypeInt, Optional: true, Default: 1}, "note": text(),
				"inner": {Type: schema.TypeList, Optional: true, MaxItems: 1, Elem: &schema.Resource{Schema: fields{
					"deep_text": text(),
				}}},
			}}},
			"needed": {Type: schema.TypeList, Required: true, MinItems: 1, MaxItems: 1, Elem: &schema.Resource{Schema: fields{
				"value": {Type: schema.TypeString, Required: true},
			}}},
			"only_member": {Type: schema.TypeSet, Optional: true, MaxItems: 1, Elem: &schema.Resource{Schema: fields{
				"value": text(),
			}}},
			"tag": {Type: schema.TypeSet, Optional: true, Elem: &schema.Resource{Schema: fields{
				"key": {Type: schema.TypeString, Required: true}, "value": text(),
				"made": made(schema.TypeString),
			}}},
			"as_attribute": {
				Type: schema.TypeList, Optional: true, Computed: true, ConfigMode: schema.SchemaConfigModeAttr,
				Elem: &schema.Resource{Schema: fields{"some_value": text()}},
			},
			"made_block": {Type: schema.TypeList, Computed: true, Elem: &schema.Resource{Schema: fields{
				"left": made(schema.TypeString),
			}}},
		}},
		"replaced": {
			Schema: fields{
				"top": {Type: schema.TypeString, Optional: true, ForceNew: true}, "free": text(), "grow_only": {
					Type: schema.TypeInt, Optional: true,
				},
				"item": {Type: schema.TypeList, Optional: true, Elem: &schema.Resource{Schema: fields{
					"fixed": {Type: schema.TypeString, Optional: true, ForceNew: true}, "free": text(),
				}}},
				"member": {Type: schema.TypeSet, Optional: true, Elem: &schema.Resource{Schema: fields{
					"fixed": {Type: schema.TypeString, Optional: true, ForceNew: true}, "free": text(),
				}}},
				"made": made(schema.TypeString),
			},
			CustomizeDiff: customdiff.ForceNewIfChange("grow_only", func(_ context.Context, before, after, _ any) bool {
				return after.(int) < before.(int)
			}),
		},
		"fixed": {Schema: fields{"value": {Type: schema.TypeString, Optional: true, ForceNew: true}}},
		"suppressed": {Schema: fields{
			"word": {Type: schema.TypeString, Optional: true, DiffSuppressFunc: func(_, before, after string, _ *schema.ResourceData) bool {
				return strings.EqualFold(before, after)
			}},
			"shouted": {Type: schema.TypeString, Optional: true, StateFunc: func(value any) string {
				return strings.ToUpper(value.(string))
			}},
		}},
		// Only the digest of a text is stored, and the digest of that is another.
		"digested": {Schema: fields{
			"text": {Type: schema.TypeString, Optional: true, ForceNew: true, StateFunc: func(value any) string {
				return cloud.Digest(value.(string))
			}},
			"word": text(),
		}},
		"named": {Schema: fields{"name": {Type: schema.TypeString, Required: true, ForceNew: true}, "value": text()}},
		"conflicting": {Schema: fields{
			"name":        {Type: schema.TypeString, Optional: true, Computed: true, ConflictsWith: []string{"name_prefix"}},
			"name_prefix": {Type: schema.TypeString, Optional: true, ConflictsWith: []string{"name"}},
		}},
		"checked": {Schema: fields{
			"even": {Type: schema.TypeInt, Optional: true, ValidateDiagFunc: even},
			"part": {Type: schema.TypeList, Optional: true, MaxItems: 2, Elem: &schema.Resource{Schema: fields{
				"even": {Type: schema.TypeInt, Required: true, ValidateDiagFunc: even},
			}}},
			"one_of":   {Type: schema.TypeString, Optional: true, ExactlyOneOf: []string{"one_of", "other_of"}},
			"other_of": {Type: schema.TypeString, Optional: true},
		}},
		"faulty": {Schema: fields{"fault": text(), "until": text(), "value": text(), "made": made(schema.TypeString)}},
		"slow": {
			Schema: fields{"value": text(), "allowed": made(schema.TypeString)},
			Timeouts: &schema.ResourceTimeout{
				Create: minutes(5), Update: minutes(6), Delete: minutes(7), Read: minutes(8), Default: minutes(9),
			},
		},
		"deprecated": {DeprecationMessage: "Use something else.", Schema: fields{"value": text()}},
		"versioned":  versioned(),
	}
}

func even(value any, place cty.Path) diag.Diagnostics {
	if number := value.(int); number%2 != 0 {
		return diag.Diagnostics{{
			Severity: diag.Error, Summary: "Odd", Detail: fmt.Sprintf("%d is not even.", number), AttributePath: place,
		}}
	} else if number == 0 {
		return diag.Diagnostics{{Severity: diag.Warning, Summary: "Zero", Detail: "Is it meant?", AttributePath: place}}
	}
	return nil
}

// versioned was renamed twice: a text `count_text` became a number `count`, which became `amount`.
func versioned() *schema.Resource {
	number := func(name string) cty.Type {
		return cty.Object(map[string]cty.Type{"id": cty.String, name: cty.Number})
	}
	return &schema.Resource{
		SchemaVersion: 2,
		Schema:        fields{"amount": {Type: schema.TypeInt, Optional: true}},
		StateUpgraders: []schema.StateUpgrader{
			{
				Version: 0, Type: cty.Object(map[string]cty.Type{"id": cty.String, "count_text": cty.String}),
				Upgrade: func(_ context.Context, state map[string]any, _ any) (map[string]any, error) {
					text, _ := state["count_text"].(string)
					state["count"] = len(text)
					delete(state, "count_text")
					return state, nil
				},
			},
			{
				Version: 1, Type: number("count"),
				Upgrade: func(_ context.Context, state map[string]any, _ any) (map[string]any, error) {
					state["amount"] = state["count"]
					delete(state, "count")
					return state, nil
				},
			},
		},
	}
}

// lookup finds something of any name but `missing`.
func lookup() *schema.Resource {
	return &schema.Resource{
		Schema: fields{
			"name": {Type: schema.TypeString, Required: true}, "size": made(schema.TypeInt),
			"filter": {Type: schema.TypeSet, Optional: true, Elem: &schema.Resource{Schema: fields{
				"field": {Type: schema.TypeString, Required: true}, "value": {Type: schema.TypeList, Optional: true, Elem: words},
			}}},
			"entry": {Type: schema.TypeList, Computed: true, Elem: &schema.Resource{Schema: fields{
				"entry_name": made(schema.TypeString), "tag": {Type: schema.TypeMap, Computed: true, Elem: words},
			}}},
		},
		ReadContext: func(_ context.Context, data *schema.ResourceData, _ any) diag.Diagnostics {
			name := data.Get("name").(string)
			if name == "missing" {
				return diag.Errorf("there is nothing of this name")
			}
			data.SetId("found-" + name)
			_ = data.Set("size", len(name))
			return diag.FromErr(data.Set("entry", []any{
				map[string]any{"entry_name": name + "/1", "tag": map[string]any{"a": "b"}},
				map[string]any{"entry_name": name + "/2"},
			}))
		},
	}
}

func vault() *schema.Resource {
	return &schema.Resource{
		Schema: fields{
			"name":     {Type: schema.TypeString, Required: true},
			"password": {Type: schema.TypeString, Computed: true, Sensitive: true},
		},
		ReadContext: func(_ context.Context, data *schema.ResourceData, _ any) diag.Diagnostics {
			data.SetId("vault")
			return diag.FromErr(data.Set("password", "password of "+data.Get("name").(string)))
		},
	}
}
