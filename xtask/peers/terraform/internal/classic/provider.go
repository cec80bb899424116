// Package classic has a provider of Terraform's SDK, version 2.
package classic

import (
	"context"
	"errors"
	"os"
	"sort"
	"time"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"peers/cloud"
)

// Config is a configuration of many shapes.
func Config() map[string]*schema.Schema {
	return map[string]*schema.Schema{
		"directory": {Type: schema.TypeString, Optional: true, DefaultFunc: schema.EnvDefaultFunc("CLASSIC_DIRECTORY", nil)},
		"token":     {Type: schema.TypeString, Optional: true, Sensitive: true},
		"retries":   {Type: schema.TypeInt, Optional: true, Default: 3},
		"region":    {Type: schema.TypeList, Optional: true, Elem: words},
		"assume": {Type: schema.TypeList, Optional: true, MaxItems: 1, Elem: &schema.Resource{Schema: fields{
			"role_name": {Type: schema.TypeString, Optional: true},
			"session":   {Type: schema.TypeString, Optional: true, Sensitive: true},
		}}},
	}
}

// Directory is the smallest configuration, which providers that are served as one can share.
func Directory() map[string]*schema.Schema {
	return map[string]*schema.Schema{"directory": {Type: schema.TypeString, Optional: true}}
}

// Provider has resources whose names begin with a prefix.
func Provider(prefix string, config map[string]*schema.Schema) *schema.Provider {
	resources := map[string]*schema.Resource{}
	for name, resource := range resourcesByName() {
		resources[prefix+"_"+name] = kept(name, resource)
	}
	return &schema.Provider{
		Schema:       config,
		ResourcesMap: resources,
		DataSourcesMap: map[string]*schema.Resource{
			prefix + "_lookup": lookup(),
			prefix + "_vault":  vault(),
		},
		ConfigureContextFunc: func(_ context.Context, data *schema.ResourceData) (any, diag.Diagnostics) {
			directory, _ := data.Get("directory").(string)
			if directory == "forbidden" {
				return nil, diag.Errorf("this directory may not be used")
			}
			return cloud.Cloud{Directory: directory}, nil
		},
	}
}

// kept gives a resource the calls that keep it in the cloud. It has its timeouts only if it had some.
func kept(name string, resource *schema.Resource) *schema.Resource {
	names := names(resource.Schema)
	put := func(ctx context.Context, data *schema.ResourceData, meta any) diag.Diagnostics {
		said, err := fault(ctx, data, resource.Schema)
		if err != nil {
			return diag.FromErr(err)
		}
		if _, there := resource.Schema["received"]; there {
			_ = data.Set("received", received(data))
		}
		if data.Id() == "" {
			fill(data, resource.Schema)
		}
		if err := meta.(cloud.Cloud).Save(name, data, names); err != nil {
			return diag.FromErr(err)
		}
		if _, there := resource.Schema["fault"]; there && data.Get("fault") == "fail after create" {
			return diag.Errorf("failed after creating")
		}
		if _, there := resource.Schema["allowed"]; there {
			_ = data.Set("allowed", data.Timeout(schema.TimeoutCreate).String())
		}
		return said
	}
	resource.CreateContext = put
	resource.ReadContext = func(_ context.Context, data *schema.ResourceData, meta any) diag.Diagnostics {
		if err := limit(name, resource, data, meta, schema.TimeoutRead); err != nil {
			return diag.FromErr(err)
		}
		return diag.FromErr(meta.(cloud.Cloud).Load(name, data, names))
	}
	if updatable(resource.Schema) {
		resource.UpdateContext = func(ctx context.Context, data *schema.ResourceData, meta any) diag.Diagnostics {
			if _, there := resource.Schema["fault"]; there && data.Get("fault") == "fail on update" {
				// Nothing arrives, and the state stays what it was.
				data.Partial(true)
				return diag.Errorf("failed on updating")
			}
			if err := limit(name, resource, data, meta, schema.TimeoutUpdate); err != nil {
				return diag.FromErr(err)
			}
			return put(ctx, data, meta)
		}
	}
	resource.DeleteContext = func(_ context.Context, data *schema.ResourceData, meta any) diag.Diagnostics {
		if _, there := resource.Schema["fault"]; there && data.Get("fault") == "fail on delete" {
			return diag.Errorf("failed on deleting")
		}
		if err := limit(name, resource, data, meta, schema.TimeoutDelete); err != nil {
			return diag.FromErr(err)
		}
		return diag.FromErr(meta.(cloud.Cloud).Remove(name, data.Id()))
	}
	resource.Importer = &schema.ResourceImporter{StateContext: schema.ImportStatePassthroughContext}
	return resource
}

// limit shows how long a step may take.
func limit(name string, resource *schema.Resource, data *schema.ResourceData, meta any, step string) error {
	if resource.Timeouts == nil {
		return nil
	}
	allowed := data.Timeout(step).String()
	return meta.(cloud.Cloud).Limit(name, step, data.Id(), &allowed)
}

// received is the digest of what was given to be written only, or empty.
func received(data *schema.ResourceData) string {
	given, problems := data.GetRawConfigAt(cty.GetAttrPath("written"))
	if problems.HasError() || given.IsNull() || !given.IsKnown() {
		return ""
	}
	return cloud.Digest(given.AsString())
}

// updatable says whether anything can change without a replacement: the SDK insists on an update then, and only then.
func updatable(in fields) bool {
	for _, each := range in {
		if !each.ForceNew && (each.Optional || each.Required) {
			return true
		}
	}
	return false
}

// names are what is kept: not what is only written.
func names(in fields) []string {
	var result []string
	for name, each := range in {
		if !each.WriteOnly && name != "allowed" {
			result = append(result, name)
		}
	}
	sort.Strings(result)
	return result
}

// fill makes the computed texts and numbers of the top level.
func fill(data *schema.ResourceData, in fields) {
	for name, each := range in {
		if _, given := data.GetOk(name); !each.Computed || given {
			continue
		}
		switch each.Type {
		case schema.TypeString:
			_ = data.Set(name, "made-"+name)
		case schema.TypeInt:
			_ = data.Set(name, len(name))
		case schema.TypeList:
			if each.Elem == words {
				_ = data.Set(name, []any{"made", name})
			}
		}
	}
}

func fault(ctx context.Context, data *schema.ResourceData, in fields) (diag.Diagnostics, error) {
	if _, there := in["fault"]; !there {
		return nil, nil
	}
	switch data.Get("fault") {
	case "fail":
		return nil, errors.New("failed, as it was asked to")
	case "panic":
		panic("the fault was asked for")
	case "fail until":
		if _, err := os.Stat(data.Get("until").(string)); err != nil {
			return nil, errors.New("failed, because what it needs is not there")
		}
	case "hang":
		return nil, cloud.WaitFor(data.Get("until").(string), ctx.Done())
	case "warn":
		return diag.Diagnostics{{Severity: diag.Warning, Summary: "A warning", Detail: "It was asked for."}}, nil
	}
	return nil, nil
}

func minutes(count int) *time.Duration {
	duration := time.Duration(count) * time.Minute
	return &duration
}

// Without is a provider with the smallest configuration, and without some of the resources.
func Without(prefix string, names ...string) *schema.Provider {
	provider := Provider(prefix, Directory())
	for _, name := range names {
		delete(provider.ResourcesMap, prefix+"_"+name)
	}
	return provider
}
