package main

import (
	"encoding/json"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func schemaText() ([]byte, error) {
	text := schema.TypeSpec{Type: "string"}
	properties := map[string]schema.PropertySpec{
		"value":      {TypeSpec: text, Description: "What the thing holds."},
		"replaceKey": {TypeSpec: text, Description: "A change of it replaces the thing.", ReplaceOnChanges: true},
		"delayMs": {
			TypeSpec:    schema.TypeSpec{Type: "number"},
			Description: "How long a change takes: half of it before the change, half after it.",
		},
		"failOn": {TypeSpec: text, Description: "The operation that fails: create, update or delete."},
	}
	echoed := &schema.ObjectTypeSpec{
		Type: "object", Properties: map[string]schema.PropertySpec{"value": {TypeSpec: text}}, Required: []string{"value"},
	}
	return json.Marshal(schema.PackageSpec{
		Name:        "oracle",
		Version:     version.String(),
		Description: "A provider whose cloud is one append-only file.",
		Config: schema.ConfigSpec{Variables: map[string]schema.PropertySpec{
			"log": {TypeSpec: text, Description: "The file. The environment's ORACLE_LOG where it is not set."},
		}},
		Provider: &schema.ResourceSpec{InputProperties: map[string]schema.PropertySpec{"log": {TypeSpec: text}}},
		Resources: map[string]schema.ResourceSpec{thing: {
			ObjectTypeSpec:  schema.ObjectTypeSpec{Type: "object", Properties: properties, Required: []string{"value"}},
			InputProperties: properties,
			RequiredInputs:  []string{"value"},
		}},
		Functions: map[string]schema.FunctionSpec{echo: {
			Description: "Answers what it was given.", Inputs: echoed, Outputs: echoed,
		}},
	})
}
