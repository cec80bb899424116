//! Secret marks on inputs: what the provider calls sensitive is secret wherever it is stored.

use outrigger_value::{PropertyMap, Value};

use crate::names::{Object, Shape};

/// The properties with a mark on everything sensitive.
pub(crate) fn marked(object: &Object, properties: PropertyMap) -> PropertyMap {
    let marked = properties.into_iter().map(|(name, value)| {
        let value = match object.field(&name) {
            Some(field) => {
                let value = marked_value(&field.shape, value);
                if field.is_secret() { Value::secret(value) } else { value }
            }
            None => value,
        };
        (name, value)
    });
    marked.collect()
}

fn marked_value(shape: &Shape, value: Value) -> Value {
    match (shape, value) {
        (Shape::Object(object) | Shape::One { object, .. }, Value::Map(items)) => Value::Map(marked(object, items)),
        (Shape::List(element) | Shape::Set(element), Value::List(items)) => {
            Value::List(items.into_iter().map(|item| marked_value(element, item)).collect())
        }
        (Shape::Map(element), Value::Map(items)) => {
            Value::Map(items.into_iter().map(|(key, item)| (key, marked_value(element, item))).collect())
        }
        (_, value) => value,
    }
}
