//! A resource with every kind of property, and properties out of JSON.

use std::sync::Arc;

use outrigger_bridge::object_names::Object;
use outrigger_terraform::cty::Type;
use outrigger_terraform::schema::{Attribute, Block, Description, NestedBlock, NestedObject, Nesting, Shape};
use outrigger_value::{PropertyMap, Value};
use serde_json::Value as Json;

/// A resource: Pulumi's names, and Terraform's type.
pub struct Resource {
    pub object: Object,
    pub ty: Type,
}

impl Resource {
    /// One with every shape.
    pub fn new() -> Self {
        let of = |ty: Type| Shape::Type(ty);
        let point = Type::object([("x_y".into(), Type::Number), ("z".into(), Type::list(Type::String))]);
        let inner = vec![attribute("port", of(Type::Number)), attribute("hosts", of(Type::set(Type::String)))];
        let site = Shape::Nested(NestedObject { attributes: inner.clone(), nesting: Nesting::Map });
        let deeper = nested("deep", Nesting::Set, 1, inner.clone(), Vec::new());
        let block = Block {
            attributes: vec![
                attribute("id", of(Type::String)),
                attribute("flag", of(Type::Bool)),
                attribute("number", of(Type::list(Type::Number))),
                attribute("tags", of(Type::map(Type::String))),
                attribute("any", of(Type::Dynamic)),
                attribute("pair", of(Type::Tuple(Arc::from([Type::String, Type::Number])))),
                attribute("points", of(Type::set(point))),
                attribute("site", site),
            ],
            blocks: vec![
                nested("rule", Nesting::List, 0, inner.clone(), vec![deeper]),
                nested("one", Nesting::List, 1, inner.clone(), Vec::new()),
                nested("timeouts", Nesting::Single, 0, vec![attribute("create", of(Type::String))], Vec::new()),
            ],
            ..Block::default()
        };
        Self { object: Object::of_block(&block), ty: block.ty() }
    }
}

impl Default for Resource {
    fn default() -> Self {
        Self::new()
    }
}

fn attribute(name: &str, shape: Shape) -> Attribute {
    Attribute {
        name: name.into(),
        shape,
        description: Description::default(),
        required: false,
        optional: true,
        computed: name == "id",
        sensitive: name == "hosts",
        write_only: false,
        deprecation: None,
    }
}

fn nested(
    name: &str,
    nesting: Nesting,
    max_items: i64,
    attributes: Vec<Attribute>,
    blocks: Vec<NestedBlock>,
) -> NestedBlock {
    let block = Arc::new(Block { attributes, blocks, ..Block::default() });
    NestedBlock { name: name.into(), block, nesting, min_items: 0, max_items }
}

/// Properties out of JSON, in which `{"$secret": x}` is secret and `{"$unknown": x}` is unknown.
pub fn properties(json: serde_json::Map<String, Json>) -> PropertyMap {
    json.into_iter().map(|(name, json)| (name, value(json))).collect()
}

fn value(json: Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::Number(number) => Value::Number(number.as_f64().unwrap_or_default()),
        Json::String(text) => Value::String(text),
        Json::Array(items) => Value::List(items.into_iter().map(value).collect()),
        Json::Object(mut items) => {
            if let Some(inner) = items.remove("$secret") {
                return Value::secret(value(inner));
            }
            if items.contains_key("$unknown") { Value::Unknown } else { Value::Map(properties(items)) }
        }
    }
}
