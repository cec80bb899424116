//! Inputs found in what a provider answered: for a refresh, and for an import.

use outrigger_value::{PropertyMap, Value};

use crate::names::{Object, Shape};

/// The inputs that a resource had, with the values that it has now. What is not there any more is left out, and nothing is added.
pub(crate) fn refreshed(object: &Object, inputs: PropertyMap, outputs: &PropertyMap) -> PropertyMap {
    let kept = inputs.into_iter().filter_map(|(name, old)| {
        let new = outputs.get(&name)?;
        let shape = object.field(&name).map(|field| &field.shape);
        let value = refreshed_value(shape, old, new);
        Some((name, value))
    });
    kept.filter(|(name, _)| name != "__defaults").collect()
}

fn refreshed_value(shape: Option<&Shape>, old: Value, new: &Value) -> Value {
    match (old, new) {
        (Value::List(old), Value::List(new)) => {
            let element = shape.and_then(Shape::element);
            Value::List(old.into_iter().zip(new).map(|(old, new)| refreshed_value(element, old, new)).collect())
        }
        (Value::Map(old), Value::Map(new)) => match shape {
            Some(Shape::Object(object) | Shape::One { object, .. }) => Value::Map(refreshed(object, old, new)),
            shape => {
                let element = shape.and_then(Shape::element);
                let kept = old.into_iter().filter_map(|(key, old)| {
                    let new = new.get(&key)?;
                    Some((key, refreshed_value(element, old, new)))
                });
                Value::Map(kept.collect())
            }
        },
        (_, new) => new.clone(),
    }
}

/// The inputs that would make a resource as it is: all that a program may give, without what is not required and says nothing.
pub(crate) fn imported(object: &Object, outputs: &PropertyMap) -> PropertyMap {
    let given = outputs.iter().filter_map(|(name, value)| {
        let field = object.field(name).filter(|field| field.is_input())?;
        let value = imported_value(&field.shape, value);
        (field.required || !says_nothing(&value)).then(|| (name.clone(), value))
    });
    given.collect()
}

fn imported_value(shape: &Shape, value: &Value) -> Value {
    match (shape, value) {
        (Shape::Object(object) | Shape::One { object, .. }, Value::Map(items)) => Value::Map(imported(object, items)),
        (Shape::List(element) | Shape::Set(element), Value::List(items)) => {
            Value::List(items.iter().map(|item| imported_value(element, item)).collect())
        }
        (Shape::Map(element), Value::Map(items)) => {
            Value::Map(items.iter().map(|(key, item)| (key.clone(), imported_value(element, item))).collect())
        }
        (_, value) => value.clone(),
    }
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => *number == 0.0,
        Value::String(text) => text.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(items) => items.is_empty(),
        Value::Secret(inner) => says_nothing(inner),
        _ => false,
    }
}
