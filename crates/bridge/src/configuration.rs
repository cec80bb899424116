//! A provider's configuration. Engines send what is not text as JSON in text, and want it back like that.

use outrigger_terraform::cty::Value as Cty;
use outrigger_value::{PropertyMap, Value, signature};

use crate::encode::{self, Misfit};
use crate::json;
use crate::names::{Object, Shape};

/// Keys that are the engine's, not the provider's.
pub(crate) fn is_engines(key: &str) -> bool {
    crate::delta::is_bookkeeping(key) || matches!(key, "version" | "pluginDownloadURL" | "name" | "parameterization")
}

/// The configuration with JSON in text as what it says.
pub(crate) fn unfolded(object: &Object, properties: &PropertyMap) -> Result<PropertyMap, Misfit> {
    let unfolded = properties.iter().map(|(key, value)| {
        let value = match (object.field(key).map(|field| &field.shape), value.bare()) {
            (Some(shape), Value::String(text)) if !matches!(shape, Shape::String) => {
                let parsed = parsed(shape, text).ok_or_else(|| not_json(key, shape))?;
                if value.contains_secret() { Value::secret(parsed) } else { parsed }
            }
            _ => value.clone(),
        };
        Ok((key.clone(), value))
    });
    unfolded.collect()
}

/// The configuration with what is not text as JSON in text. What is unknown somewhere is unknown as a whole; what holds a secret
/// is one.
pub(crate) fn folded(object: &Object, properties: PropertyMap) -> PropertyMap {
    let folded = properties.into_iter().map(|(key, value)| {
        if object.field(&key).is_none() {
            return (key, value);
        }
        if value.contains_unknown() {
            return (key, Value::Unknown);
        }
        let secret = value.contains_secret();
        let text = match value.bare() {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => {
                let mut text = String::new();
                // Assets and resources, which have no form, are refused before.
                let _no_form = json::write(other, &mut text);
                text
            }
        };
        let text = Value::String(text);
        (key, if secret { Value::secret(text) } else { text })
    });
    folded.collect()
}

/// The configuration as the provider wants it.
pub(crate) fn encoded(object: &Object, properties: &PropertyMap) -> Result<Cty, Misfit> {
    encode::object(object, &unfolded(object, properties)?)
}

fn parsed(shape: &Shape, text: &str) -> Option<Value> {
    if text.is_empty() {
        return Some(match shape {
            Shape::Bool => Value::Bool(false),
            Shape::Number => Value::Number(0.0),
            Shape::List(_) | Shape::Set(_) => Value::List(Vec::new()),
            _ => Value::Map(PropertyMap::new()),
        });
    }
    serde_json::from_str(text).ok().map(json::value).map(unwrapped)
}

/// Secrets inside the JSON are what they hold: that the whole is secret is said elsewhere.
fn unwrapped(value: Value) -> Value {
    match value {
        Value::Map(mut items) => {
            let marked = items.get(signature::SIGNATURE).and_then(Value::as_str) == Some(signature::SECRET);
            match marked.then(|| items.remove("value")).flatten() {
                Some(inner) => unwrapped(inner),
                None => Value::Map(items.into_iter().map(|(key, item)| (key, unwrapped(item))).collect()),
            }
        }
        Value::List(items) => Value::List(items.into_iter().map(unwrapped).collect()),
        other => other,
    }
}

fn not_json(key: &str, shape: &Shape) -> Misfit {
    let kind = match shape {
        Shape::Bool => "a boolean",
        Shape::Number => "a number",
        Shape::List(_) | Shape::Set(_) => "a list",
        _ => "an object",
    };
    Misfit::of(key, format!("{kind} is needed, in JSON, and this is not JSON"))
}
