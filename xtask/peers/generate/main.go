// Writes the SDKs of a package with Pulumi's own generators.
//
//	pulumi-generate SCHEMA FOLDER
//
// reads a package schema, holds it to Pulumi's metaschema and its binder, and writes FOLDER/go, FOLDER/nodejs
// and FOLDER/python. Warnings go to standard error, one a line; an error of the binder ends the program, with
// every other error that it found.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "outrigger"

type generator struct {
	language string
	generate func(*schema.Package) (map[string][]byte, error)
}

// No schema of ours refers to another package, so no generator needs a loader.
var generators = []generator{
	{"go", func(p *schema.Package) (map[string][]byte, error) {
		return golang.GeneratePackage(tool, p, nil)
	}},
	{"nodejs", func(p *schema.Package) (map[string][]byte, error) {
		return nodejs.GeneratePackage(tool, p, nil, nil, false, nil)
	}},
	{"python", func(p *schema.Package) (map[string][]byte, error) {
		return python.GeneratePackage(tool, p, nil, nil)
	}},
}

// bind is done anew for each language: a generator leaves its notes in the package.
func bind(text []byte) (*schema.Package, hcl.Diagnostics, error) {
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, nil, fmt.Errorf("the schema is not a package schema: %w", err)
	}
	bound, found, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err != nil {
		return nil, found, err
	}
	if found.HasErrors() {
		var all []error
		for _, each := range found {
			all = append(all, errors.New(each.Error()))
		}
		return nil, found, errors.Join(all...)
	}
	return bound, found, nil
}

func write(folder string, files map[string][]byte) error {
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func run(arguments []string) error {
	if len(arguments) != 2 {
		return errors.New("usage: pulumi-generate SCHEMA FOLDER")
	}
	text, err := os.ReadFile(arguments[0])
	if err != nil {
		return err
	}
	for i, each := range generators {
		bound, found, err := bind(text)
		if err != nil {
			return err
		}
		if i == 0 {
			for _, warning := range found {
				fmt.Fprintln(os.Stderr, "warning:", warning.Error())
			}
		}
		files, err := each.generate(bound)
		if err != nil {
			return fmt.Errorf("%s: %w", each.language, err)
		}
		if err := write(filepath.Join(arguments[1], each.language), files); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
