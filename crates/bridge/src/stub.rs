//! The schema of the bridge while it is no package yet.

use serde_json::json;

use crate::plugin::NAME;

/// A package without resources, which says what to do with it.
pub(crate) fn schema(version: &str) -> Vec<u8> {
    let method = format!("pulumi:providers:{NAME}/terraformConfig");
    let mut functions = serde_json::Map::new();
    functions.insert(
        method.clone(),
        json!({
            "description": "This function returns a Terraform config object with terraform-namecased keys,to be used with the Terraform Module Provider.",
            "inputs": {
                "properties": { "__self__": { "type": "ref", "$ref": "#/provider" } },
                "type": method,
                "required": ["__self__"],
            },
            "outputs": {
                "properties": { "result": { "type": "object", "additionalProperties": { "$ref": "pulumi.json#/Any" } } },
                "required": ["result"],
                "type": "object",
            },
        }),
    );
    let repository = "https://github.com/pulumi/pulumi-terraform-provider";
    json!({
        "name": NAME,
        "displayName": "Any Terraform Provider",
        "version": format!("v{version}"),
        "description": "Use any Terraform provider with Pulumi",
        "keywords": ["category/utility"],
        "license": "Apache-2.0",
        "repository": repository,
        "logoUrl": "https://raw.githubusercontent.com/pulumi/pulumi-terraform-provider/main/assets/logo.png",
        "meta": { "moduleFormat": "(.*)(?:/[^/]*)" },
        "config": {},
        "provider": {},
        "functions": functions,
    })
    .to_string()
    .into_bytes()
}
