//! What providers of the old kind answer, brought into the form that the schema asks for.

use std::sync::Arc;

use crate::cty::Value;
use crate::propose::empty;
use crate::schema::{Block, Nesting};

/// Mends a state that a provider of the old kind answered: a list or set of blocks is never null, and never unknown as a whole.
#[must_use]
pub fn legacy(block: &Block, value: Value) -> Value {
    let Value::Map(mut members) = value else { return value };
    for nested in &block.blocks {
        let Some(value) = members.remove(&nested.name) else { continue };
        let inner = |value: Value| legacy(&nested.block, value);
        let unknown = || vec![all_unknown(&nested.block)];
        let mended = match (nested.nesting, value) {
            (Nesting::List, Value::Null) => Value::List(Vec::new()),
            (Nesting::Set, Value::Null) => Value::Set(Vec::new()),
            (Nesting::List, Value::Unknown(_)) => Value::List(unknown()),
            (Nesting::Set, Value::Unknown(_)) => Value::Set(unknown()),
            (Nesting::Group, Value::Null) => empty(&nested.block),
            (_, Value::List(items)) => Value::List(items.into_iter().map(inner).collect()),
            (_, Value::Set(items)) => Value::Set(items.into_iter().map(inner).collect()),
            (Nesting::Map, Value::Map(items)) => Value::Map(items.into_iter().map(|(k, v)| (k, inner(v))).collect()),
            (_, value) => inner(value),
        };
        members.insert(Arc::clone(&nested.name), mended);
    }
    Value::Map(members)
}

fn all_unknown(block: &Block) -> Value {
    let attributes = block.attributes.iter().map(|attribute| (Arc::clone(&attribute.name), Value::UNKNOWN));
    let blocks = block.blocks.iter().map(|nested| (Arc::clone(&nested.name), Value::UNKNOWN));
    let value = Value::Map(attributes.chain(blocks).collect());
    legacy(block, value)
}
