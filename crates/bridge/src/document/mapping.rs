//! GetMapping: a Terraform provider's schema beside Pulumi's names for it, for tools that convert Terraform configurations to Pulumi programs.
//! The format is that of Pulumi's bridge, including the numbers of types.

use outrigger_terraform::cty::Type;
use outrigger_terraform::schema::{
    Attribute, Block, Deprecation, Kind, NestedBlock, NestedObject, Nesting, SchemaError, Schemas, Shape,
};
use serde_json::{Map, Value, json};

use crate::naming::resources::Resource;
use crate::{Naming, NamingError};

/// Two keys for the same thing: older converters ask for the first.
const KEYS: [&str; 2] = ["tf", "terraform"];

/// The message that Pulumi's bridge gives everything deprecated.
const DEPRECATED: &str = "Deprecated";

const BOOL: u8 = 1;
const NUMBER: u8 = 3;
const STRING: u8 = 4;
const LIST: u8 = 5;
const MAP: u8 = 6;
const DYNAMIC: u8 = 8;
/// Tuples have no type here.
const NONE: u8 = 0;

/// Whether there is a mapping for a key.
pub(crate) fn is_known(key: &str) -> bool {
    KEYS.contains(&key)
}

/// The name of the provider whose names are mapped.
pub(crate) fn provider(naming: &Naming) -> &str {
    &naming.tokens().prefix
}

/// The mapping.
pub(crate) fn document(naming: &Naming, version: &str) -> Result<Vec<u8>, NamingError> {
    let tokens = naming.tokens();
    let mut resources = Map::new();
    for (token, terraform) in tokens.resources.iter() {
        let fields = renamed(&naming.passing_resource(terraform, token)?);
        resources.insert(terraform.to_owned(), json!({"tok": token, "fields": fields, "idFields": null}));
    }
    let sources = tokens.data_sources.iter();
    let sources: Map<_, _> =
        sources.map(|(token, terraform)| (terraform.to_owned(), json!({"tok": token, "fields": {}}))).collect();
    let mut document = Map::new();
    document.insert("provider".to_owned(), shim(naming.schemas())?);
    document.insert("name".to_owned(), json!(tokens.package));
    document.insert("version".to_owned(), json!(version));
    insert_if_any(&mut document, "resources", resources);
    insert_if_any(&mut document, "dataSources", sources);
    Ok(Value::Object(document).to_string().into_bytes())
}

/// The properties whose names do not follow from their Terraform names, and those that are autonamed.
fn renamed(resource: &Resource) -> Map<String, Value> {
    let mut fields = Map::new();
    for field in resource.object.fields() {
        let reserved = matches!(&*field.terraform, "id" | "urn" | "pulumi") && *field.name != *field.terraform;
        if field.autonamed {
            let entry =
                json!({"name": field.name, "typeomitempty": "", "default": {"autonamed": true, "isFunc": true}});
            fields.insert(field.terraform.to_string(), entry);
        } else if reserved {
            fields.insert(field.terraform.to_string(), json!({"name": field.name, "typeomitempty": ""}));
        }
    }
    // The original leaves these behind after writing the schema, and only beside another entry.
    if !fields.is_empty() {
        for field in resource.object.fields().iter().filter(|field| field.write_only) {
            fields.insert(field.terraform.to_string(), json!({"typeomitempty": "", "secret": true}));
        }
    }
    fields
}

/// The provider's whole schema, in Terraform's names.
fn shim(schemas: &Schemas) -> Result<Value, NamingError> {
    let mut shim = Map::new();
    insert_if_any(&mut shim, "schema", block(&schemas.provider().block));
    for (key, kind) in [("resources", Kind::Resource), ("dataSources", Kind::DataSource)] {
        let mut entries = Map::new();
        for name in schemas.names(kind) {
            let schema = schemas.peek(kind, name).map_err(|reason| unreadable(name, reason))?;
            entries.insert(name.to_string(), Value::Object(block(&schema.unwrap_or_default().block)));
        }
        insert_if_any(&mut shim, key, entries);
    }
    Ok(Value::Object(shim))
}

fn unreadable(name: &str, reason: SchemaError) -> NamingError {
    NamingError::Schema { name: name.to_owned(), reason }
}

fn block(block: &Block) -> Map<String, Value> {
    let attributes = block.attributes.iter().map(|each| (each.name.to_string(), attribute(each)));
    let blocks = block.blocks.iter().map(|each| (each.name.to_string(), nested_block(each)));
    attributes.chain(blocks).collect()
}

fn attribute(attribute: &Attribute) -> Value {
    match &attribute.shape {
        Shape::Type(ty) => described(attribute, type_number(ty), type_element(ty)),
        Shape::Nested(object) => match object.nesting {
            Nesting::Single | Nesting::Group => described(attribute, MAP, Some(resource(members(object)))),
            Nesting::List | Nesting::Set => described(attribute, LIST, Some(resource(members(object)))),
            // Each value of the map is described with the type of the map itself.
            Nesting::Map => {
                let each = described(attribute, MAP, Some(resource(members(object))));
                described(attribute, MAP, Some(json!({"schema": each})))
            }
        },
    }
}

fn members(object: &NestedObject) -> Map<String, Value> {
    object.attributes.iter().map(|each| (each.name.to_string(), attribute(each))).collect()
}

fn described(attribute: &Attribute, number: u8, element: Option<Value>) -> Value {
    let mut entry = Map::new();
    entry.insert("type".to_owned(), json!(number));
    flag(&mut entry, "optional", attribute.optional);
    flag(&mut entry, "required", attribute.required);
    flag(&mut entry, "computed", attribute.computed);
    flag(&mut entry, "sensitive", attribute.sensitive);
    deprecated(&mut entry, attribute.deprecation.as_ref());
    entry.extend(element.map(|element| ("element".to_owned(), element)));
    Value::Object(entry)
}

fn nested_block(nested: &NestedBlock) -> Value {
    let content = resource(block(&nested.block));
    match nested.nesting {
        Nesting::Single | Nesting::Group => described_block(nested, MAP, content),
        Nesting::List | Nesting::Set => described_block(nested, LIST, content),
        Nesting::Map => described_block(nested, MAP, json!({"schema": described_block(nested, MAP, content)})),
    }
}

fn described_block(nested: &NestedBlock, number: u8, element: Value) -> Value {
    let mut entry = Map::new();
    entry.insert("type".to_owned(), json!(number));
    flag(&mut entry, "optional", nested.min_items <= 0);
    flag(&mut entry, "required", nested.min_items > 0);
    for (key, items) in [("minItems", nested.min_items), ("maxItems", nested.max_items)] {
        if items != 0 {
            entry.insert(key.to_owned(), json!(items));
        }
    }
    deprecated(&mut entry, nested.block.deprecation.as_ref());
    entry.insert("element".to_owned(), element);
    Value::Object(entry)
}

fn of_type(ty: &Type, optional: bool) -> Value {
    let mut entry = Map::new();
    entry.insert("type".to_owned(), json!(type_number(ty)));
    flag(&mut entry, "optional", optional);
    entry.extend(type_element(ty).map(|element| ("element".to_owned(), element)));
    Value::Object(entry)
}

fn type_element(ty: &Type) -> Option<Value> {
    match ty {
        Type::List(element) | Type::Set(element) | Type::Map(element) => {
            Some(json!({"schema": of_type(element, false)}))
        }
        Type::Object(object) => {
            let attributes = object.attributes.iter();
            let members = attributes.map(|(name, ty)| (name.to_string(), of_type(ty, object.optional.contains(name))));
            Some(resource(members.collect()))
        }
        Type::String | Type::Number | Type::Bool | Type::Dynamic | Type::Tuple(_) => None,
    }
}

fn type_number(ty: &Type) -> u8 {
    match ty {
        Type::Bool => BOOL,
        Type::Number => NUMBER,
        Type::String => STRING,
        Type::List(_) | Type::Set(_) => LIST,
        Type::Map(_) | Type::Object(_) => MAP,
        Type::Dynamic => DYNAMIC,
        Type::Tuple(_) => NONE,
    }
}

fn resource(members: Map<String, Value>) -> Value {
    let mut element = Map::new();
    insert_if_any(&mut element, "resource", members);
    Value::Object(element)
}

fn insert_if_any(into: &mut Map<String, Value>, key: &str, members: Map<String, Value>) {
    if !members.is_empty() {
        into.insert(key.to_owned(), Value::Object(members));
    }
}

fn flag(entry: &mut Map<String, Value>, key: &str, set: bool) {
    if set {
        entry.insert(key.to_owned(), Value::Bool(true));
    }
}

fn deprecated(entry: &mut Map<String, Value>, deprecation: Option<&Deprecation>) {
    if deprecation.is_some() {
        entry.insert("deprecated".to_owned(), json!(DEPRECATED));
    }
}
