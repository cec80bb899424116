//! The package `pulumi`, which has no plugin: the engine itself handles its resources.

/// The schema of the built-in resources: a reference to another stack, and a value kept in the state.
pub(crate) const SCHEMA: &str = r##"{
  "name": "pulumi",
  "version": "1.0.0",
  "resources": {
    "pulumi:index:Stash": {
      "properties": { "input": { "$ref": "pulumi.json#/Any" }, "output": { "$ref": "pulumi.json#/Any" } },
      "required": ["input", "output"],
      "inputProperties": { "input": { "$ref": "pulumi.json#/Any" } },
      "requiredInputs": ["input"]
    },
    "pulumi:pulumi:StackReference": {
      "properties": {
        "name": { "type": "string" },
        "outputs": { "type": "object", "additionalProperties": { "$ref": "pulumi.json#/Any" } },
        "secretOutputNames": { "type": "object", "additionalProperties": { "type": "string" } }
      },
      "required": ["outputs"],
      "inputProperties": { "name": { "type": "string" } }
    }
  }
}"##;
