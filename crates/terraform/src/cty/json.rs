//! The encoding of stored state.

use std::sync::Arc;

use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Attributes, CodecError, DEPTH_LIMIT, Number, Step, Type, Value};

/// Reads a value of a type.
pub fn from_json(json: &[u8], ty: &Type) -> Result<Value, CodecError> {
    let raw: &RawValue =
        serde_json::from_slice(json).map_err(|error| CodecError::new(format!("this is not JSON: {error}")))?;
    read(raw, ty, Reading { unknowns: false, depth: 0 })
}

/// Reads a value of a type from JSON in which `{"$unknown": true}` is a value that is not known.
pub fn from_plain_json(raw: &RawValue, ty: &Type) -> Result<Value, CodecError> {
    read(raw, ty, Reading { unknowns: true, depth: 0 })
}

/// Reads a value of a type from JSON that was read before. Numbers beyond a double have lost digits already.
pub fn from_json_value(json: &serde_json::Value, ty: &Type) -> Result<Value, CodecError> {
    from_json(json.to_string().as_bytes(), ty)
}

/// Writes a value of a type. Unknown values and infinity have no form here.
pub fn to_json(value: &Value, ty: &Type) -> Result<String, CodecError> {
    let mut text = String::new();
    write(value, ty, &mut text)?;
    Ok(text)
}

/// How a value is read, and how deeply nested it is.
#[derive(Clone, Copy)]
struct Reading {
    unknowns: bool,
    depth: usize,
}

impl Reading {
    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

fn read(raw: &RawValue, ty: &Type, how: Reading) -> Result<Value, CodecError> {
    if how.depth > DEPTH_LIMIT {
        return Err(CodecError::new("the value is nested too deeply"));
    }
    let text = raw.get();
    let wrong = || CodecError::new(format!("{} is needed here", ty.friendly()));
    if text == "null" {
        return Ok(Value::Null);
    }
    if how.unknowns && is_unknown(raw) {
        return Ok(Value::UNKNOWN);
    }
    match ty {
        // Bool, number and string stand in for each other where the text says the same, as in the original.
        Type::Bool => match text {
            "true" | "\"true\"" => Ok(Value::Bool(true)),
            "false" | "\"false\"" => Ok(Value::Bool(false)),
            _ => Err(wrong()),
        },
        Type::Number => {
            let text = serde_json::from_str::<String>(text).unwrap_or_else(|_| text.to_owned());
            text.parse().map(Value::Number).map_err(|_| wrong())
        }
        Type::String => match text.as_bytes().first() {
            Some(b'"') => serde_json::from_str::<String>(text).map(Value::string).map_err(|_| wrong()),
            Some(b't' | b'f') => Ok(Value::string(text)),
            Some(b'{' | b'[') | None => Err(wrong()),
            Some(_) => {
                let number: Number = text.parse().map_err(|_| wrong())?;
                Ok(Value::string(number.to_string()))
            }
        },
        Type::List(element) => sequence(raw, element, how).map(Value::List),
        Type::Set(element) => sequence(raw, element, how).map(Value::Set),
        Type::Tuple(elements) => {
            let items: Vec<&RawValue> = serde_json::from_str(text).map_err(|_| wrong())?;
            if items.len() != elements.len() {
                return Err(CodecError::new("a tuple of another length"));
            }
            let items = items.into_iter().zip(elements.iter()).enumerate();
            let items = items
                .map(|(index, (item, ty))| read(item, ty, how.deeper()).map_err(|error| error.within(Step::at(index))));
            items.collect::<Result<_, _>>().map(Value::List)
        }
        Type::Map(element) => {
            let mut items = Attributes::new();
            for (key, item) in object(raw).ok_or_else(wrong)? {
                let value = read(item, element, how.deeper()).map_err(|error| error.within(Step::Key(key.clone())))?;
                items.insert(Arc::from(key), value);
            }
            Ok(Value::Map(items))
        }
        Type::Object(ty) => {
            let mut given = object(raw).ok_or_else(wrong)?;
            let mut items = Attributes::new();
            for (name, ty) in &ty.attributes {
                let value = match given.remove(name.as_ref()) {
                    Some(item) => {
                        read(item, ty, how.deeper()).map_err(|error| error.within(Step::Attribute(Arc::clone(name))))?
                    }
                    None => Value::Null,
                };
                items.insert(Arc::clone(name), value);
            }
            match given.into_keys().next() {
                Some(name) => {
                    Err(CodecError::new("there is no such attribute").within(Step::Attribute(Arc::from(name))))
                }
                None => Ok(Value::Map(items)),
            }
        }
        Type::Dynamic => {
            let parts = object(raw).ok_or_else(wrong)?;
            let (Some(value), Some(ty)) = (parts.get("value"), parts.get("type")) else { return Err(wrong()) };
            let ty = Type::from_json(ty.get().as_bytes()).map_err(|error| CodecError::new(error.to_string()))?;
            let value = read(value, &ty, how.deeper())?;
            Ok(Value::dynamic(ty, value))
        }
    }
}

fn is_unknown(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
        && object(raw).is_some_and(|members| {
            members.len() == 1 && members.get("$unknown").is_some_and(|flag| flag.get() == "true")
        })
}

fn object(raw: &RawValue) -> Option<BTreeMap<String, &RawValue>> {
    serde_json::from_str(raw.get()).ok()
}

fn sequence(raw: &RawValue, element: &Type, how: Reading) -> Result<Vec<Value>, CodecError> {
    let items: Vec<&RawValue> =
        serde_json::from_str(raw.get()).map_err(|_| CodecError::new("a list is needed here"))?;
    let items = items.into_iter().enumerate();
    items
        .map(|(index, item)| read(item, element, how.deeper()).map_err(|error| error.within(Step::at(index))))
        .collect()
}

fn write(value: &Value, ty: &Type, into: &mut String) -> Result<(), CodecError> {
    match (value, ty) {
        (Value::Unknown(_), _) => Err(CodecError::new("an unknown value cannot be stored")),
        (Value::Dynamic(inner), Type::Dynamic) => {
            into.push_str("{\"value\":");
            write(&inner.1, &inner.0, into)?;
            into.push_str(",\"type\":");
            into.push_str(&inner.0.to_json());
            into.push('}');
            Ok(())
        }
        (Value::Null, _) => {
            into.push_str("null");
            Ok(())
        }
        (Value::Bool(value), Type::Bool) => {
            into.push_str(if *value { "true" } else { "false" });
            Ok(())
        }
        (Value::Number(number), Type::Number) => match number.as_f64() {
            Some(double) if double.is_infinite() => Err(CodecError::new("an infinite number cannot be stored")),
            _ => write!(into, "{number}").map_err(|_| CodecError::new("the value cannot be written")),
        },
        (Value::String(text), Type::String) => {
            quote(text, into);
            Ok(())
        }
        (Value::List(items), Type::List(element)) | (Value::Set(items), Type::Set(element)) => {
            into.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, into);
                write(item, element, into).map_err(|error| error.within(Step::at(index)))?;
            }
            into.push(']');
            Ok(())
        }
        (Value::List(items), Type::Tuple(elements)) if items.len() == elements.len() => {
            into.push('[');
            for (index, (item, element)) in items.iter().zip(elements.iter()).enumerate() {
                separate(index, into);
                write(item, element, into).map_err(|error| error.within(Step::at(index)))?;
            }
            into.push(']');
            Ok(())
        }
        (Value::Map(items), Type::Map(element)) => {
            into.push('{');
            for (index, (key, item)) in items.iter().enumerate() {
                separate(index, into);
                quote(key, into);
                into.push(':');
                write(item, element, into).map_err(|error| error.within(Step::Key(key.to_string())))?;
            }
            into.push('}');
            Ok(())
        }
        (Value::Map(items), Type::Object(object)) => {
            into.push('{');
            for (index, (name, ty)) in object.attributes.iter().enumerate() {
                separate(index, into);
                quote(name, into);
                into.push(':');
                let item = items.get(name).unwrap_or(&Value::Null);
                write(item, ty, into).map_err(|error| error.within(Step::Attribute(Arc::clone(name))))?;
            }
            into.push('}');
            Ok(())
        }
        (value, ty) => Err(CodecError::new(format!("{} where {} is needed", value.kind(), ty.friendly()))),
    }
}

fn separate(index: usize, into: &mut String) {
    if index > 0 {
        into.push(',');
    }
}

fn quote(text: &str, into: &mut String) {
    into.push_str(&serde_json::Value::from(text).to_string());
}
