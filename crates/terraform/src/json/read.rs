//! Converts JSON to messages.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use prost::Message;
use prost::encoding::encode_varint;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::context::{Context, Role};
use super::table::{CLIENT_CAPABILITIES, Fields, Kind};
use super::value;
use crate::cty::{self, CodecError, Step, Value};
use crate::wire::DynamicValue;

/// The message that an object of JSON describes.
pub(super) fn read(raw: &RawValue, fields: Fields, context: &Context) -> Result<Vec<u8>, CodecError> {
    let mut members: BTreeMap<&str, &RawValue> = object(raw)?;
    let mut message = Vec::new();
    for (number, name, kind) in fields {
        let written = field(*number, kind, members.remove(name), context, &mut message);
        written.map_err(|error| error.within(Step::Attribute((*name).into())))?;
    }
    match members.into_keys().next() {
        Some(name) => Err(CodecError::new("the message has no such field").within(Step::Attribute(name.into()))),
        None => Ok(message),
    }
}

/// The members of an object.
pub(super) fn object(raw: &RawValue) -> Result<BTreeMap<&str, &RawValue>, CodecError> {
    serde_json::from_str(raw.get()).map_err(|error| CodecError::new(format!("an object is needed here: {error}")))
}

/// Plain JSON; null and a missing value are the default.
pub(super) fn plain<T: DeserializeOwned + Default>(raw: Option<&RawValue>, needed: &str) -> Result<T, CodecError> {
    let read = raw.map(|raw| serde_json::from_str::<Option<T>>(raw.get()));
    match read.transpose() {
        Ok(value) => Ok(value.flatten().unwrap_or_default()),
        Err(_) => Err(CodecError::new(format!("{needed} is needed here"))),
    }
}

fn field(
    number: u64,
    kind: &Kind,
    raw: Option<&RawValue>,
    context: &Context,
    into: &mut Vec<u8>,
) -> Result<(), CodecError> {
    let given = raw.filter(|raw| raw.get() != "null");
    let bytes = match (kind, given) {
        (Kind::Flag | Kind::Number, _) => {
            let value = match kind {
                Kind::Flag => plain::<bool>(raw, "true or false")?.into(),
                _ => plain::<i64>(raw, "a whole number")?.cast_unsigned(),
            };
            if value != 0 {
                encode_varint(number << 3, into);
                encode_varint(value, into);
            }
            return Ok(());
        }
        (Kind::Map(_), _) => {
            for (key, text) in plain::<BTreeMap<String, String>>(raw, "an object of strings")? {
                let mut entry = Vec::new();
                put(1, key.as_bytes(), &mut entry);
                put(2, text.as_bytes(), &mut entry);
                put(number, &entry, into);
            }
            return Ok(());
        }
        (Kind::Many(_), _) => {
            let items: Vec<Box<RawValue>> = plain(raw, "a list")?;
            for (place, item) in items.iter().enumerate() {
                let within = |error: CodecError| error.within(Step::Index(i64::try_from(place).unwrap_or(i64::MAX)));
                put(number, &value(Some(item), Role::Arguments, place, context).map_err(within)?, into);
            }
            return Ok(());
        }
        // Missing module metadata is left out; any other missing value is sent as null, which every provider understands.
        (Kind::Value(Role::Meta), _) if raw.is_none() => return Ok(()),
        (Kind::Value(role), _) => value(raw, *role, 0, context)?,
        (Kind::Capabilities, None) if raw.is_none() => crate::client::CAPABILITIES.encode_to_vec(),
        (_, None) => return Ok(()),
        (Kind::Text, Some(_)) => plain::<String>(raw, "a text")?.into_bytes(),
        (Kind::Bytes, Some(_)) => {
            let text: String = plain(raw, "base64")?;
            STANDARD.decode(text).map_err(|_| CodecError::new("base64 is needed here"))?
        }
        (Kind::Json, Some(raw)) => raw.get().into(),
        (Kind::Identity, Some(raw)) => {
            let mut identity = Vec::new();
            put(1, &value(Some(raw), Role::Identity, 0, context)?, &mut identity);
            identity
        }
        (Kind::Capabilities, Some(raw)) => read(raw, CLIENT_CAPABILITIES, context)?,
        (Kind::Message(fields), Some(raw)) => read(raw, fields, context)?,
        (_, Some(_)) => return Err(CodecError::new("the message has no such field")),
    };
    put(number, &bytes, into);
    Ok(())
}

fn value(raw: Option<&RawValue>, role: Role, place: usize, context: &Context) -> Result<Vec<u8>, CodecError> {
    let no_schema = || {
        let what = if context.name.is_empty() { "this" } else { &context.name };
        CodecError::new(format!("the provider has no schema of `{what}` that describes its values"))
    };
    let ty = context.ty(role, place).ok_or_else(no_schema)?;
    let value = match raw {
        Some(raw) => value::read(raw, &ty, context.schema(role).map(|schema| &schema.block))?,
        None => Value::Null,
    };
    Ok(DynamicValue { msgpack: cty::encode(&value, &ty)?.into(), json: Bytes::new() }.encode_to_vec())
}

fn put(number: u64, bytes: &[u8], into: &mut Vec<u8>) {
    encode_varint(number << 3 | 2, into);
    encode_varint(bytes.len() as u64, into);
    into.extend_from_slice(bytes);
}
