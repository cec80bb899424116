//! The encoding of stored state.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::sync::Arc;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{Attributes, CodecError, DEPTH_LIMIT, Number, Step, Type, Value};

/// Reads a value of a type.
pub fn from_json(json: &[u8], ty: &Type) -> Result<Value, CodecError> {
    let raw: &RawValue =
        serde_json::from_slice(json).map_err(|error| CodecError::new(format!("this is not JSON: {error}")))?;
    read(raw, ty, Reading { unknowns: false, depth: 0 })
}

/// Reads a value of a type from JSON in which `{"$unknown": true}` is an unknown value.
pub fn from_plain_json(raw: &RawValue, ty: &Type) -> Result<Value, CodecError> {
    read(raw, ty, Reading { unknowns: true, depth: 0 })
}

/// Reads a value of a type from parsed JSON. Numbers beyond a double have lost digits already.
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
        // A bool, number or string may be given as another of the three with the same text, as in the original.
        Type::Bool => match text {
            "true" | "\"true\"" => Ok(Value::Bool(true)),
            "false" | "\"false\"" => Ok(Value::Bool(false)),
            _ => Err(wrong()),
        },
        Type::Number => {
            let number = if text.starts_with('"') {
                serde_json::from_str::<String>(text).map_err(|_| wrong())?.parse()
            } else {
                text.parse()
            };
            number.map(Value::Number).map_err(|_| wrong())
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
                let value = read(item, element, how.deeper())
                    .map_err(|error| error.within(Step::Key(key.clone().into_owned())))?;
                items.insert(Arc::from(key), value);
            }
            Ok(Value::Map(items))
        }
        Type::Object(ty) => {
            // Both are sorted, so one walk finds the value for each name.
            let mut given = object(raw).ok_or_else(wrong)?.into_iter().peekable();
            let items = ty.attributes.iter().map(|(name, ty)| {
                let value = match given.next_if(|(given, _)| **given <= **name) {
                    Some((given, _)) if *given != **name => return Err(no_attribute(&given)),
                    Some((_, item)) => {
                        read(item, ty, how.deeper()).map_err(|error| error.within(Step::Attribute(Arc::clone(name))))?
                    }
                    None => Value::Null,
                };
                Ok((Arc::clone(name), value))
            });
            let items = items.collect::<Result<Attributes, CodecError>>()?;
            given.next().map_or(Ok(Value::Map(items)), |(name, _)| Err(no_attribute(&name)))
        }
        Type::Dynamic => {
            let parts = object(raw).ok_or_else(wrong)?;
            let part = |name: &str| parts.iter().find(|(key, _)| key == name).map(|(_, part)| part);
            let (Some(value), Some(ty)) = (part("value"), part("type")) else { return Err(wrong()) };
            let ty = Type::from_json(ty.get().as_bytes()).map_err(|error| CodecError::new(error.to_string()))?;
            let value = read(value, &ty, how.deeper())?;
            Ok(Value::dynamic(ty, value))
        }
    }
}

fn is_unknown(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
        && object(raw).is_some_and(
            |members| matches!(members.as_slice(), [(key, flag)] if key == "$unknown" && flag.get() == "true"),
        )
}

fn no_attribute(name: &str) -> CodecError {
    CodecError::new("there is no such attribute").within(Step::Attribute(Arc::from(name)))
}

/// The members of an object, sorted by name; the later of two with the same name.
fn object(raw: &RawValue) -> Option<Vec<(Cow<'_, str>, &RawValue)>> {
    let Members(mut members) = serde_json::from_str(raw.get()).ok()?;
    // JSON that we wrote is sorted already. A stable sort keeps the later of two after the earlier.
    members.sort_by(|(one, _), (other, _)| one.cmp(other));
    members.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 = later.1;
        }
        same
    });
    Some(members)
}

/// An object's members in the order of the text.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((Name(name), value)) = map.next_entry()? {
                    members.push((name, value));
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(Reader)
    }
}

/// A name, borrowed from the text unless it contains escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

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

/// A comma before all but the first.
pub fn separate(index: usize, into: &mut String) {
    if index > 0 {
        into.push(',');
    }
}

/// A string in quotes.
pub fn quote(text: &str, into: &mut String) {
    if text.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        into.push_str(&serde_json::Value::from(text).to_string());
    } else {
        // Nearly every string takes this path, and there are many.
        into.push('"');
        into.push_str(text);
        into.push('"');
    }
}
