// Serves Pulumi's own conformance providers as real plugin processes.
//
// One binary, many names: the package is the part of the program's name after
// "pulumi-resource-". `pulumi-resource-list` prints every package and its version
// instead, one a line. A program that lies in a plugin cache folder
// (`resource-NAME-vVERSION`) serves that version, where the provider has several.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/pkg/v3/resource/provider"
	"github.com/pulumi/pulumi/pkg/v3/testing/pulumi-test-language/providers"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

const prefix = "pulumi-resource-"

func catalogue() []plugin.Provider {
	return []plugin.Provider{
		&providers.AlphaProvider{}, &providers.AnyHandledProvider{}, &providers.AnyTypeFunctionProvider{},
		&providers.AssetArchiveProvider{}, &providers.BadProvider{}, &providers.BuiltinInfoComponentProvider{},
		&providers.CallProvider{}, &providers.CamelNamesProvider{}, &providers.ComponentPropertyDepsProvider{},
		&providers.ComponentProvider{}, &providers.ConfigEnumProvider{}, &providers.ConfigGrpcProvider{},
		&providers.ConfigProvider{}, &providers.ConfigurerProvider{}, &providers.ConformanceComponentProvider{},
		&providers.ConstProvider{}, &providers.DiscriminatedUnionProvider{}, &providers.DocsProvider{},
		&providers.EnumProvider{}, &providers.ExternalEnumRefProvider{}, &providers.FailOnCreateProvider{},
		&providers.IndexModProvider{}, &providers.KeywordsProvider{}, &providers.LargeProvider{},
		&providers.ModuleFormatProvider{}, &providers.MultiArgumentInvokeProvider{}, &providers.NamesProvider{},
		&providers.NamespacedProvider{}, &providers.NestedObjectProvider{}, &providers.OptionalPrimitiveProvider{},
		&providers.OptionalPrimitiveRefProvider{}, &providers.OutputOnlyInvokeProvider{}, &providers.OutputProvider{},
		&providers.ParameterizedProvider{}, &providers.PlainComponentProvider{}, &providers.PlainProvider{},
		&providers.PrimitiveDefaultsProvider{}, &providers.PrimitiveProvider{}, &providers.PrimitiveRefProvider{},
		&providers.ReadProvider{}, &providers.RefRefProvider{}, &providers.ReplaceOnChangesProvider{},
		&providers.ScalarReturnsProvider{}, &providers.SecretProvider{}, &providers.SimpleInvokeProvider{},
		&providers.SimpleInvokeWithScalarReturnProvider{}, simple(), &providers.SnakeNamesProvider{},
		blocking(), &providers.UnionProvider{},
	}
}

// blocking answers a create only when three are under way: the project that uses it shows that calls are parallel.
func blocking() plugin.Provider {
	limit := &sync.WaitGroup{}
	limit.Add(3)
	return &providers.SyncProvider{CreateLimit: limit}
}

// simple is the one provider that a project asks for in several versions. The version is that of the
// plugin cache folder the program lies in, and 2.0.0 where it lies elsewhere.
func simple() plugin.Provider {
	folder := filepath.Base(filepath.Dir(os.Args[0]))
	version, err := semver.Parse(strings.TrimPrefix(folder, "resource-simple-v"))
	if err != nil {
		return &providers.SimpleProvider{}
	}
	made := &providers.SimpleProvider{Version: &version}
	if version.Major == 27 {
		made.PluginDownloadURL = "https://github.com/pulumi/pulumi-simple/releases/v${VERSION}"
	}
	return made
}

// identity asks a provider for its schema: only there does it say which package it is.
func identity(p plugin.Provider) (name, version string, ok bool) {
	reply, err := p.GetSchema(context.Background(), plugin.GetSchemaRequest{})
	if err != nil {
		return "", "", false
	}
	var schema struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	if json.Unmarshal(reply.Schema, &schema) != nil || schema.Name == "" {
		return "", "", false
	}
	return schema.Name, schema.Version, true
}

func run() error {
	wanted, ok := strings.CutPrefix(filepath.Base(os.Args[0]), prefix)
	if !ok {
		return fmt.Errorf("start this program under the name %sPACKAGE", prefix)
	}
	var listed []string
	for _, candidate := range catalogue() {
		name, version, ok := identity(candidate)
		if !ok {
			continue
		}
		if name == wanted {
			return provider.Main(name, func(*provider.HostClient) (pulumirpc.ResourceProviderServer, error) {
				return plugin.NewProviderServer(candidate), nil
			})
		}
		listed = append(listed, name+" "+version)
	}
	if wanted != "list" {
		return fmt.Errorf("no conformance provider serves the package %q", wanted)
	}
	sort.Strings(listed)
	fmt.Println(strings.Join(listed, "\n"))
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
