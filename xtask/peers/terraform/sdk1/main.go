// A provider of Terraform's SDK, version 1, which speaks protocol 5 as the oldest providers do.
package main

import (
	"errors"
	"sort"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/plugin"
	"github.com/hashicorp/terraform-plugin-sdk/terraform"
	"github.com/zclconf/go-cty/cty"

	"peers/cloud"
)

type fields = map[string]*schema.Schema

var words = &schema.Schema{Type: schema.TypeString}

func main() {
	plugin.Serve(&plugin.ServeOpts{ProviderFunc: func() terraform.ResourceProvider { return provider() }})
}

func provider() *schema.Provider {
	resources := map[string]*schema.Resource{}
	for name, resource := range resourcesByName() {
		resources["ancient_"+name] = kept(name, resource)
	}
	return &schema.Provider{
		Schema: fields{
			"directory": {Type: schema.TypeString, Optional: true},
			"token":     {Type: schema.TypeString, Optional: true, Sensitive: true},
		},
		ResourcesMap:   resources,
		DataSourcesMap: map[string]*schema.Resource{"ancient_lookup": lookup()},
		ConfigureFunc: func(data *schema.ResourceData) (any, error) {
			return cloud.Cloud{Directory: data.Get("directory").(string)}, nil
		},
	}
}

func text() *schema.Schema { return &schema.Schema{Type: schema.TypeString, Optional: true} }

func resourcesByName() map[string]*schema.Resource {
	duration := 5 * time.Minute
	return map[string]*schema.Resource{
		"primitives": {Schema: fields{
			"a_string": {Type: schema.TypeString, Required: true},
			"a_bool":   {Type: schema.TypeBool, Optional: true}, "an_int": {Type: schema.TypeInt, Optional: true},
			"a_float": {Type: schema.TypeFloat, Optional: true}, "made": {Type: schema.TypeString, Computed: true},
			"either":  {Type: schema.TypeString, Optional: true, Computed: true},
			"assumed": {Type: schema.TypeString, Optional: true, Default: "assumed"},
			"hidden":  {Type: schema.TypeString, Optional: true, Sensitive: true},
			"old":     {Type: schema.TypeString, Optional: true, Deprecated: "Use `either`."},
			"fixed":   {Type: schema.TypeString, Optional: true, ForceNew: true},
		}},
		"collections": {Schema: fields{
			"string_list": {Type: schema.TypeList, Optional: true, Elem: words},
			"string_set":  {Type: schema.TypeSet, Optional: true, Elem: words},
			"string_map":  {Type: schema.TypeMap, Optional: true, Elem: words},
			"rule": {Type: schema.TypeList, Optional: true, Elem: &schema.Resource{Schema: fields{
				"action": {Type: schema.TypeString, Required: true}, "weight": {Type: schema.TypeInt, Optional: true},
			}}},
			"settings": {Type: schema.TypeList, Optional: true, MaxItems: 1, Elem: &schema.Resource{Schema: fields{
				"level": {Type: schema.TypeInt, Optional: true, Default: 1},
			}}},
			"tag": {Type: schema.TypeSet, Optional: true, Elem: &schema.Resource{Schema: fields{
				"key": {Type: schema.TypeString, Required: true}, "value": text(),
			}}},
		}},
		"named":  {Schema: fields{"name": {Type: schema.TypeString, Required: true}, "value": text()}},
		"faulty": {Schema: fields{"fault": text(), "value": text()}},
		"slow": {
			Schema:   fields{"value": text()},
			Timeouts: &schema.ResourceTimeout{Create: &duration, Delete: &duration},
		},
		"versioned": {
			SchemaVersion: 1,
			Schema:        fields{"amount": {Type: schema.TypeString, Optional: true}},
			MigrateState: func(_ int, state *terraform.InstanceState, _ any) (*terraform.InstanceState, error) {
				state.Attributes["amount"] = state.Attributes["count"]
				delete(state.Attributes, "count")
				return state, nil
			},
		},
		"renamed": renamed(),
	}
}

// renamed had a number `count`, which became `amount`. Unlike a migration, an upgrader is asked for states of any age.
func renamed() *schema.Resource {
	return &schema.Resource{
		SchemaVersion: 1,
		Schema:        fields{"amount": {Type: schema.TypeInt, Optional: true}},
		StateUpgraders: []schema.StateUpgrader{{
			Version: 0, Type: cty.Object(map[string]cty.Type{"id": cty.String, "count": cty.Number}),
			Upgrade: func(state map[string]any, _ any) (map[string]any, error) {
				state["amount"] = state["count"]
				delete(state, "count")
				return state, nil
			},
		}},
	}
}

// kept gives a resource the calls that keep it in the cloud.
func kept(name string, resource *schema.Resource) *schema.Resource {
	var names []string
	for each := range resource.Schema {
		names = append(names, each)
	}
	sort.Strings(names)
	faulty := resource.Schema["fault"] != nil
	put := func(data *schema.ResourceData, meta any) error {
		if faulty && data.Get("fault") == "fail" {
			return errors.New("failed, as it was asked to")
		}
		if faulty && data.Get("fault") == "panic" {
			panic("the fault was asked for")
		}
		if resource.Schema["made"] != nil && data.Id() == "" {
			_ = data.Set("made", "made here")
		}
		if err := meta.(cloud.Cloud).Save(name, data, names); err != nil {
			return err
		}
		if faulty && data.Get("fault") == "fail after create" {
			return errors.New("failed after creating")
		}
		if faulty && data.Get("fault") == "hang after create" {
			// Calls of this SDK have no context: whoever does not look for one hears nothing of StopProvider.
			for {
				time.Sleep(time.Second)
			}
		}
		return nil
	}
	resource.Create, resource.Update = put, put
	resource.Read = func(data *schema.ResourceData, meta any) error { return meta.(cloud.Cloud).Load(name, data, names) }
	resource.Delete = func(data *schema.ResourceData, meta any) error { return meta.(cloud.Cloud).Remove(name, data.Id()) }
	resource.Importer = &schema.ResourceImporter{State: schema.ImportStatePassthrough}
	return resource
}

func lookup() *schema.Resource {
	return &schema.Resource{
		Schema: fields{
			"name": {Type: schema.TypeString, Required: true},
			"size": {Type: schema.TypeInt, Computed: true},
		},
		Read: func(data *schema.ResourceData, _ any) error {
			name := data.Get("name").(string)
			if name == "missing" {
				return errors.New("there is nothing of this name")
			}
			data.SetId("found-" + name)
			return data.Set("size", len(name))
		},
	}
}
