//! All of a provider's schemas, in the form of `terraform providers schema -json`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    Attribute, Block, Deprecation, Description, Function, IdentitySchema, Kind, NestedBlock, Nesting, Parameter,
    Schema, SchemaError, Schemas, Shape, decode,
};
use crate::cty::Type;

/// The kinds of entries, with their names in that form.
const KINDS: [(&str, Kind); 5] = [
    ("resource_schemas", Kind::Resource),
    ("data_source_schemas", Kind::DataSource),
    ("ephemeral_resource_schemas", Kind::Ephemeral),
    ("list_resource_schemas", Kind::List),
    ("action_schemas", Kind::Action),
];

/// The document of one provider, under its address.
pub fn document(
    schemas: &Schemas,
    identities: &BTreeMap<String, IdentitySchema>,
    address: &str,
) -> Result<Value, SchemaError> {
    let mut provider = Map::new();
    provider.insert("provider".to_owned(), schema(schemas.provider()));
    for (key, kind) in KINDS {
        let mut entries = Map::new();
        for name in schemas.names(kind) {
            entries.insert(name.to_string(), schema(&schemas.peek(kind, name)?.unwrap_or_default()));
        }
        insert_if_any(&mut provider, key, entries);
    }
    let mut functions = Map::new();
    for name in schemas.function_names() {
        functions.extend(schemas.function(name)?.map(|each| (name.to_string(), function(&each))));
    }
    insert_if_any(&mut provider, "functions", functions);
    let identities = identities.iter().map(|(name, schema)| (name.clone(), identity(schema))).collect();
    insert_if_any(&mut provider, "resource_identity_schemas", identities);
    Ok(json!({"format_version": "1.0", "provider_schemas": {address: provider}}))
}

/// An encoded function, in the same form.
pub(crate) fn function_json(message: &[u8]) -> Result<Value, SchemaError> {
    decode::function(message).map(|each| function(&each))
}

fn schema(schema: &Schema) -> Value {
    json!({"version": schema.version, "block": block(&schema.block)})
}

fn block(block: &Block) -> Value {
    let mut entry = Map::new();
    insert_if_any(&mut entry, "attributes", attributes(&block.attributes));
    let blocks = block.blocks.iter().map(|nested| (nested.name.to_string(), nested_block(nested))).collect();
    insert_if_any(&mut entry, "block_types", blocks);
    described(&mut entry, &block.description);
    deprecated(&mut entry, block.deprecation.as_ref());
    Value::Object(entry)
}

fn attributes(attributes: &[Attribute]) -> Map<String, Value> {
    attributes.iter().map(|each| (each.name.to_string(), attribute(each))).collect()
}

fn attribute(attribute: &Attribute) -> Value {
    let mut entry = Map::new();
    match &attribute.shape {
        Shape::Type(ty) => drop(entry.insert("type".to_owned(), type_json(ty))),
        Shape::Nested(object) => {
            let nested = json!({"attributes": attributes(&object.attributes), "nesting_mode": nesting(object.nesting)});
            entry.insert("nested_type".to_owned(), nested);
        }
    }
    described(&mut entry, &attribute.description);
    for (key, set) in [
        ("required", attribute.required),
        ("optional", attribute.optional),
        ("computed", attribute.computed),
        ("sensitive", attribute.sensitive),
        ("write_only", attribute.write_only),
    ] {
        flag(&mut entry, key, set);
    }
    deprecated(&mut entry, attribute.deprecation.as_ref());
    Value::Object(entry)
}

fn nested_block(nested: &NestedBlock) -> Value {
    let mut entry = Map::new();
    entry.insert("nesting_mode".to_owned(), json!(nesting(nested.nesting)));
    entry.insert("block".to_owned(), block(&nested.block));
    for (key, items) in [("min_items", nested.min_items), ("max_items", nested.max_items)] {
        if items != 0 {
            entry.insert(key.to_owned(), json!(items));
        }
    }
    Value::Object(entry)
}

fn function(function: &Function) -> Value {
    let mut entry = Map::new();
    text(&mut entry, "description", &function.description.text);
    text(&mut entry, "summary", &function.summary);
    text(&mut entry, "deprecation_message", &function.deprecation_message);
    entry.insert("return_type".to_owned(), type_json(&function.result));
    if !function.parameters.is_empty() {
        entry.insert("parameters".to_owned(), function.parameters.iter().map(parameter).collect());
    }
    entry.extend(function.variadic.as_ref().map(|each| ("variadic_parameter".to_owned(), parameter(each))));
    Value::Object(entry)
}

fn parameter(parameter: &Parameter) -> Value {
    let mut entry = Map::new();
    entry.insert("name".to_owned(), json!(parameter.name));
    entry.insert("type".to_owned(), type_json(&parameter.ty));
    text(&mut entry, "description", &parameter.description.text);
    flag(&mut entry, "is_nullable", parameter.allow_null);
    Value::Object(entry)
}

fn identity(schema: &IdentitySchema) -> Value {
    let attribute = |each: &super::IdentityAttribute| {
        let mut entry = Map::new();
        entry.insert("type".to_owned(), type_json(&each.ty));
        text(&mut entry, "description", &each.description);
        flag(&mut entry, "required_for_import", each.required_for_import);
        flag(&mut entry, "optional_for_import", each.optional_for_import);
        (each.name.to_string(), Value::Object(entry))
    };
    let attributes: Map<String, Value> = schema.attributes.iter().map(attribute).collect();
    json!({"version": schema.version, "attributes": attributes})
}

fn type_json(ty: &Type) -> Value {
    serde_json::from_str(&ty.to_json()).unwrap_or_default()
}

fn nesting(nesting: Nesting) -> &'static str {
    match nesting {
        Nesting::Single => "single",
        Nesting::List => "list",
        Nesting::Set => "set",
        Nesting::Map => "map",
        Nesting::Group => "group",
    }
}

fn described(entry: &mut Map<String, Value>, description: &Description) {
    text(entry, "description", &description.text);
    entry.insert("description_kind".to_owned(), json!(if description.markdown { "markdown" } else { "plain" }));
}

fn deprecated(entry: &mut Map<String, Value>, deprecation: Option<&Deprecation>) {
    if let Some(deprecation) = deprecation {
        entry.insert("deprecated".to_owned(), json!(true));
        text(entry, "deprecation_message", &deprecation.message);
    }
}

fn text(entry: &mut Map<String, Value>, key: &str, text: &str) {
    if !text.is_empty() {
        entry.insert(key.to_owned(), json!(text));
    }
}

fn flag(entry: &mut Map<String, Value>, key: &str, set: bool) {
    if set {
        entry.insert(key.to_owned(), Value::Bool(true));
    }
}

fn insert_if_any(entry: &mut Map<String, Value>, key: &str, members: Map<String, Value>) {
    if !members.is_empty() {
        entry.insert(key.to_owned(), Value::Object(members));
    }
}
