//! Values as plain JSON.

use std::fmt::Write;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::cty::{self, CodecError, Type, Value, quote, separate};
use crate::propose::empty_nested;
use crate::schema::{Attribute, Block, Nesting, Shape};

/// An unknown value.
const UNKNOWN: &str = r#"{"$unknown":true}"#;

/// A hidden value.
const SECRET: &str = "[secret]";

/// Reads a value. With a block's schema, missing collections of blocks are empty.
pub(super) fn read(raw: &RawValue, ty: &Type, block: Option<&Block>) -> Result<Value, CodecError> {
    let value = cty::from_plain_json(raw, ty)?;
    Ok(match block {
        Some(block) => with_empty_blocks(value, block),
        None => value,
    })
}

/// Writes a value. Infinite numbers, which JSON does not have, are strings.
pub(super) fn write(value: &Value, into: &mut String) {
    match value {
        Value::Null => into.push_str("null"),
        Value::Unknown(_) => into.push_str(UNKNOWN),
        Value::Bool(value) => into.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => match number.as_f64() {
            Some(double) if double.is_infinite() => quote(&number.to_string(), into),
            // Writing to a string does not fail.
            _ => drop(write!(into, "{number}")),
        },
        Value::String(text) => quote(text, into),
        Value::List(items) | Value::Set(items) => {
            into.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, into);
                write(item, into);
            }
            into.push(']');
        }
        Value::Map(items) => {
            into.push('{');
            for (index, (name, item)) in items.iter().enumerate() {
                separate(index, into);
                quote(name, into);
                into.push(':');
                write(item, into);
            }
            into.push('}');
        }
        Value::Dynamic(inner) => {
            into.push_str("{\"value\":");
            write(&inner.1, into);
            into.push_str(",\"type\":");
            into.push_str(&inner.0.to_json());
            into.push('}');
        }
    }
}

/// The value without its sensitive and write-only parts.
pub(super) fn hidden(value: Value, block: &Block) -> Value {
    let Value::Map(mut items) = value else { return value };
    for attribute in &block.attributes {
        if let Some(item) = items.get_mut(&attribute.name) {
            hide(item, attribute);
        }
    }
    for nested in &block.blocks {
        if let Some(item) = items.get_mut(&nested.name) {
            let taken = std::mem::replace(item, Value::Null);
            *item = each(taken, nested.nesting, &|value| hidden(value, &nested.block));
        }
    }
    Value::Map(items)
}

fn hide(value: &mut Value, attribute: &Attribute) {
    if value.is_null() || value.is_unknown() {
        return;
    }
    if attribute.sensitive || attribute.write_only {
        *value = Value::String(SECRET.into());
    } else if let Shape::Nested(object) = &attribute.shape {
        let within = |value| {
            let Value::Map(mut items) = value else { return value };
            for attribute in &object.attributes {
                if let Some(item) = items.get_mut(&attribute.name) {
                    hide(item, attribute);
                }
            }
            Value::Map(items)
        };
        *value = each(std::mem::replace(value, Value::Null), object.nesting, &within);
    }
}

/// Changes every object in a value of this nesting.
fn each(value: Value, nesting: Nesting, change: &dyn Fn(Value) -> Value) -> Value {
    match (value, nesting) {
        (value @ Value::Map(_), Nesting::Single | Nesting::Group) => change(value),
        (Value::List(items), _) => Value::List(items.into_iter().map(change).collect()),
        (Value::Set(items), _) => Value::Set(items.into_iter().map(change).collect()),
        (Value::Map(items), _) => Value::Map(items.into_iter().map(|(key, item)| (key, change(item))).collect()),
        (value, _) => value,
    }
}

fn with_empty_blocks(value: Value, block: &Block) -> Value {
    let Value::Map(mut items) = value else { return value };
    for nested in &block.blocks {
        let item = items.entry(Arc::clone(&nested.name)).or_insert(Value::Null);
        *item = match std::mem::replace(item, Value::Null) {
            Value::Null => empty_nested(nested),
            given => each(given, nested.nesting, &|value| with_empty_blocks(value, &nested.block)),
        };
    }
    Value::Map(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cty::Attributes;
    use crate::schema::{Description, NestedBlock};

    fn attribute(name: &str, sensitive: bool) -> Attribute {
        Attribute {
            name: name.into(),
            shape: Shape::Type(Type::Number),
            description: Description::default(),
            required: false,
            optional: true,
            computed: false,
            sensitive,
            write_only: false,
            deprecation: None,
        }
    }

    fn block() -> Block {
        let inner = Block { attributes: vec![attribute("key", true), attribute("size", false)], ..Block::default() };
        let nested = |name: &str, nesting| NestedBlock {
            name: name.into(),
            block: Arc::new(inner.clone()),
            nesting,
            min_items: 0,
            max_items: 0,
        };
        Block {
            attributes: vec![attribute("exact", false)],
            blocks: vec![nested("rule", Nesting::Set), nested("only", Nesting::Single)],
            ..Block::default()
        }
    }

    fn round(text: &str) -> Value {
        let raw: &RawValue = serde_json::from_str(text).unwrap();
        read(raw, &block().ty(), Some(&block())).unwrap()
    }

    fn shown(value: &Value) -> String {
        let mut text = String::new();
        write(value, &mut text);
        text
    }

    #[test]
    fn what_is_left_out_is_null_or_no_block_and_numbers_are_exact() {
        let value = round(r#"{"exact":123456789012345678901234567890.5}"#);
        assert_eq!(shown(&value), r#"{"exact":123456789012345678901234567890.5,"only":null,"rule":[]}"#);
    }

    #[test]
    fn unknown_values_have_a_form() {
        let value = round(r#"{"exact":{"$unknown":true},"rule":{ "$unknown" : true }}"#);
        assert_eq!(shown(&value), r#"{"exact":{"$unknown":true},"only":null,"rule":{"$unknown":true}}"#);
    }

    #[test]
    fn sensitive_values_are_hidden_at_every_level() {
        let value = round(r#"{"rule":[{"key":1,"size":2},{"size":3}],"only":{"key":4}}"#);
        assert_eq!(
            shown(&hidden(value, &block())),
            r#"{"exact":null,"only":{"key":"[secret]","size":null},"rule":[{"key":"[secret]","size":2},{"key":null,"size":3}]}"#
        );
        assert_eq!(shown(&hidden(Value::Map(Attributes::new()), &block())), "{}");
    }
}
