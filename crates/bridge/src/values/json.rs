//! Properties as JSON, with numbers written without exponents.

use std::fmt::Write as _;

use outrigger_terraform::cty::{quote, separate};
use outrigger_value::{PropertyMap, Value};

/// A value that JSON has no form for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} cannot be written as JSON")]
pub(crate) struct NotJson(&'static str);

/// Writes a value. Secret marks are lost.
pub(crate) fn write(value: &Value, into: &mut String) -> Result<(), NotJson> {
    match value.bare() {
        Value::Null => into.push_str("null"),
        Value::Bool(value) => into.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) if number.is_finite() => {
            // Writing to memory cannot fail.
            let _written = write!(into, "{number}");
        }
        Value::String(text) => quote(text, into),
        Value::List(items) => {
            into.push('[');
            for (position, item) in items.iter().enumerate() {
                separate(position, into);
                write(item, into)?;
            }
            into.push(']');
        }
        Value::Map(items) => {
            into.push('{');
            for (position, (key, item)) in items.iter().enumerate() {
                separate(position, into);
                quote(key, into);
                into.push(':');
                write(item, into)?;
            }
            into.push('}');
        }
        other => return Err(NotJson(other.kind())),
    }
    Ok(())
}

/// Parsed JSON as a value.
pub(crate) fn value(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(value),
        serde_json::Value::Number(number) => Value::Number(number.as_f64().unwrap_or_default()),
        serde_json::Value::String(text) => Value::String(text),
        serde_json::Value::Array(items) => Value::List(items.into_iter().map(value).collect()),
        serde_json::Value::Object(items) => {
            Value::Map(items.into_iter().map(|(key, item)| (key, value(item))).collect::<PropertyMap>())
        }
    }
}
