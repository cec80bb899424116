package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// A provider of several parts, some of which are older than identities, answers an error for those and goes on; hosts have to do so, too.
func (c *crude) GetResourceIdentitySchemas(
	_ context.Context, _ *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov6.GetResourceIdentitySchemasResponse{
		Diagnostics: []*tfprotov6.Diagnostic{{
			Severity: tfprotov6.DiagnosticSeverityError,
			Summary:  "identities are not there",
		}},
	}, nil
}
