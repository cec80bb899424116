package catalogue

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Functions are functions of each kind of answer.
func Functions() []func() function.Function {
	return []func() function.Function{double, joined, described, picky}
}

// plain is a function as a value.
type plain struct {
	name       string
	definition function.Definition
	run        func(context.Context, function.RunRequest, *function.RunResponse)
}

func (p plain) Metadata(_ context.Context, _ function.MetadataRequest, response *function.MetadataResponse) {
	response.Name = p.name
}

func (p plain) Definition(_ context.Context, _ function.DefinitionRequest, response *function.DefinitionResponse) {
	response.Definition = p.definition
}

func (p plain) Run(ctx context.Context, request function.RunRequest, response *function.RunResponse) {
	p.run(ctx, request, response)
}

// double answers a number.
func double() function.Function {
	return plain{"double", function.Definition{
		Summary:    "Twice a number",
		Parameters: []function.Parameter{function.NumberParameter{Name: "a_number", Description: "What to double."}},
		Return:     function.NumberReturn{},
	}, func(ctx context.Context, request function.RunRequest, response *function.RunResponse) {
		var number types.Number
		if response.Error = request.Arguments.Get(ctx, &number); response.Error == nil {
			twice := number.ValueBigFloat()
			response.Error = response.Result.Set(ctx, types.NumberValue(twice.Add(twice, twice)))
		}
	}}
}

// joined takes as many as it is given.
func joined() function.Function {
	return plain{"joined_up", function.Definition{
		Parameters:        []function.Parameter{function.StringParameter{Name: "separator", AllowNullValue: true}},
		VariadicParameter: function.StringParameter{Name: "parts"},
		Return:            function.StringReturn{},
	}, func(ctx context.Context, request function.RunRequest, response *function.RunResponse) {
		var separator *string
		var parts []string
		if response.Error = request.Arguments.Get(ctx, &separator, &parts); response.Error == nil {
			between := "-"
			if separator != nil {
				between = *separator
			}
			response.Error = response.Result.Set(ctx, strings.Join(parts, between))
		}
	}}
}

// described answers an object.
func described() function.Function {
	kinds := map[string]attr.Type{"given_word": types.StringType, "word_length": types.Int64Type}
	return plain{"described", function.Definition{
		Parameters:         []function.Parameter{function.StringParameter{Name: "word"}},
		Return:             function.ObjectReturn{AttributeTypes: kinds},
		DeprecationMessage: "Words need no description.",
	}, func(ctx context.Context, request function.RunRequest, response *function.RunResponse) {
		var word string
		if response.Error = request.Arguments.Get(ctx, &word); response.Error == nil {
			response.Error = response.Result.Set(ctx, types.ObjectValueMust(kinds, map[string]attr.Value{
				"given_word": types.StringValue(word), "word_length": types.Int64Value(int64(len(word))),
			}))
		}
	}}
}

// picky always finds something wrong: with an argument when it is given one, else with everything.
func picky() function.Function {
	return plain{"picky", function.Definition{
		Parameters: []function.Parameter{function.StringParameter{Name: "first"}, function.StringParameter{Name: "second"}},
		Return:     function.StringReturn{},
	}, func(ctx context.Context, request function.RunRequest, response *function.RunResponse) {
		var first, second string
		if response.Error = request.Arguments.Get(ctx, &first, &second); response.Error != nil {
			return
		}
		if second != "" {
			response.Error = function.NewArgumentFuncError(1, "the second has to be empty")
			return
		}
		response.Error = function.NewFuncError("nothing is right")
	}}
}
