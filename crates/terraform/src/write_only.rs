//! Write-only attributes, which are never stored: they belong in the configuration only, whatever a provider returns.

use crate::cty::Value;
use crate::schema::{Attribute, Block, Nesting, Shape};

/// The value without its write-only attributes.
pub fn removed(block: &Block, value: Value) -> Value {
    if block.has_write_only() { of_block(block, value) } else { value }
}

fn of_block(block: &Block, value: Value) -> Value {
    let mut value = of_attributes(&block.attributes, value);
    if let Value::Map(items) = &mut value {
        for nested in block.blocks.iter().filter(|nested| nested.block.has_write_only()) {
            if let Some(item) = items.get_mut(&nested.name) {
                let inner = std::mem::replace(item, Value::Null);
                *item = each(nested.nesting, inner, &|object| of_block(&nested.block, object));
            }
        }
    }
    value
}

fn of_attributes(attributes: &[Attribute], value: Value) -> Value {
    let Value::Map(mut items) = value else { return value };
    for attribute in attributes {
        let Some(item) = items.get_mut(&attribute.name) else { continue };
        if attribute.write_only {
            *item = Value::Null;
        } else if let Shape::Nested(nested) = &attribute.shape {
            let inner = std::mem::replace(item, Value::Null);
            *item = each(nested.nesting, inner, &|object| of_attributes(&nested.attributes, object));
        }
    }
    Value::Map(items)
}

/// Changes every object in a value of this nesting. Null and unknown values stay as they are.
fn each(nesting: Nesting, value: Value, change: &dyn Fn(Value) -> Value) -> Value {
    match (nesting, value) {
        (Nesting::Single | Nesting::Group, value) => change(value),
        (Nesting::Map, Value::Map(items)) => {
            Value::Map(items.into_iter().map(|(key, item)| (key, change(item))).collect())
        }
        (_, Value::List(items)) => Value::List(items.into_iter().map(change).collect()),
        (_, Value::Set(items)) => Value::Set(items.into_iter().map(change).collect()),
        (_, value) => value,
    }
}
