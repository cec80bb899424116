//! Converts messages to JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use prost::Message;
use prost_types::Timestamp;
use serde_json::value::RawValue;

use super::context::{Context, Role, Secrets};
use super::table::{CLIENT_CAPABILITIES, Fields, Kind};
use super::value;
use crate::cty::{self, Path, quote, separate};
use crate::schema::{Field, Reader, SchemaError, function_json};
use crate::wire::{AttributePath, DynamicValue};

/// A message, or its length if it cannot be read.
pub(super) fn shown(message: &[u8], fields: Fields, context: &Context) -> String {
    let mut text = String::new();
    match write(message, fields, context, &mut text) {
        Ok(()) => text,
        Err(_) => length(message.len()),
    }
}

/// `{"length": n}`, for bytes that cannot be read or must not be shown.
pub(super) fn length(bytes: usize) -> String {
    format!("{{\"length\":{bytes}}}")
}

/// The text in a field of a message; empty if there is none.
pub(super) fn text_of(message: &[u8], number: u64) -> Result<&str, SchemaError> {
    last(&Reader::new(message).all()?, number).map_or(Ok(""), Field::text)
}

fn last<'a>(found: &[(u64, Field<'a>)], number: u64) -> Option<Field<'a>> {
    found.iter().rfind(|(each, _)| *each == number).map(|(_, field)| *field)
}

fn write(message: &[u8], fields: Fields, context: &Context, into: &mut String) -> Result<(), SchemaError> {
    let found = Reader::new(message).all()?;
    // A message that names a type of its own, such as an imported resource, may have another type than the call's subject.
    let own = fields.iter().find(|(_, name, _)| *name == "type_name").map(|(number, ..)| *number);
    let is_foreign = match own.and_then(|number| last(&found, number)) {
        Some(name) => name.text()? != context.name,
        None => false,
    };
    let mut count = 0;
    into.push('{');
    for (number, name, kind) in fields {
        let parts: Vec<Field<'_>> = found.iter().filter(|(each, _)| each == number).map(|(_, part)| *part).collect();
        let part = match (parts.last(), kind) {
            // State from before Terraform 0.12 consists of strings, and no schema shows which of them are secret.
            (_, Kind::Map(Kind::Text)) if context.hides() => continue,
            (Some(part), _) => *part,
            (None, Kind::Reason | Kind::Severity | Kind::Many(Kind::Value(_))) => Field::Varint(0),
            (None, _) => continue,
        };
        separate(count, into);
        count += 1;
        quote(name, into);
        into.push(':');
        match kind {
            Kind::Many(kind) => {
                into.push('[');
                for (place, part) in parts.into_iter().enumerate() {
                    separate(place, into);
                    one(kind, part, place, context, into)?;
                }
                into.push(']');
            }
            Kind::Map(kind) => map(kind, &parts, context, into)?,
            Kind::Value(Role::Subject) if is_foreign => one(&Kind::Value(Role::Foreign), part, 0, context, into)?,
            kind => one(kind, part, 0, context, into)?,
        }
    }
    into.push('}');
    Ok(())
}

/// Sorted by name, so that two answers can be compared.
fn map(kind: &Kind, parts: &[Field<'_>], context: &Context, into: &mut String) -> Result<(), SchemaError> {
    let mut sorted = BTreeMap::new();
    for part in parts {
        let entry = Reader::new(part.bytes()?).all()?;
        let key = last(&entry, 1).map_or(Ok(""), Field::text)?;
        sorted.insert(key, last(&entry, 2).unwrap_or(Field::Bytes(&[])));
    }
    into.push('{');
    for (index, (key, part)) in sorted.into_iter().enumerate() {
        separate(index, into);
        quote(key, into);
        into.push(':');
        one(kind, part, 0, context, into)?;
    }
    into.push('}');
    Ok(())
}

fn one(kind: &Kind, part: Field<'_>, place: usize, context: &Context, into: &mut String) -> Result<(), SchemaError> {
    match kind {
        Kind::Text => quote(part.text()?, into),
        Kind::Flag => into.push_str(if part.flag()? { "true" } else { "false" }),
        // Writing to a string does not fail.
        Kind::Number | Kind::Reason => drop(write!(into, "{}", part.integer()?)),
        Kind::Severity => {
            quote(["INVALID", "ERROR", "WARNING"].get(part.number()? as usize).unwrap_or(&"INVALID"), into)
        }
        Kind::Time => quote(&message::<Timestamp>(part)?.to_string(), into),
        Kind::Bytes | Kind::Json | Kind::Type => bytes(kind, part.bytes()?, context, into),
        Kind::Function => match function_json(part.bytes()?) {
            Ok(json) => into.push_str(&json.to_string()),
            Err(_) => into.push_str(&length(part.bytes()?.len())),
        },
        Kind::Path => quote(&Path::from(message::<AttributePath>(part)?).to_string(), into),
        Kind::Name => quote(text_of(part.bytes()?, 1)?, into),
        Kind::Value(role) => value(&message(part)?, *role, place, context, into),
        Kind::Identity => match last(&Reader::new(part.bytes()?).all()?, 1) {
            Some(identity) => value(&message(identity)?, Role::Identity, place, context, into),
            None => into.push_str("null"),
        },
        Kind::Capabilities => write(part.bytes()?, CLIENT_CAPABILITIES, context, into)?,
        Kind::Message(fields) => write(part.bytes()?, fields, context, into)?,
        // There are no lists of lists.
        Kind::Many(_) | Kind::Map(_) => return Err(SchemaError::Broken),
    }
    Ok(())
}

fn message<M: Message + Default>(part: Field<'_>) -> Result<M, SchemaError> {
    M::decode(part.bytes()?).map_err(|_| SchemaError::Broken)
}

fn bytes(kind: &Kind, bytes: &[u8], context: &Context, into: &mut String) {
    let is_type = matches!(kind, Kind::Type);
    match serde_json::from_slice::<&RawValue>(bytes) {
        Ok(json) if is_type || (matches!(kind, Kind::Json) && !context.hides()) => into.push_str(json.get()),
        _ if context.hides() => into.push_str(&length(bytes.len())),
        _ => quote(&STANDARD.encode(bytes), into),
    }
}

fn value(encoded: &DynamicValue, role: Role, place: usize, context: &Context, into: &mut String) {
    let decoded = context.ty(role, place).and_then(|ty| match encoded.msgpack.is_empty() {
        true => cty::from_json(&encoded.json, &ty).ok(),
        false => cty::decode(&encoded.msgpack, &ty).ok(),
    });
    let has_rules = context.secrets != Secrets::HiddenInLog || !matches!(role, Role::Arguments | Role::Result);
    match (decoded, context.schema(role)) {
        (Some(decoded), Some(schema)) if context.hides() => value::write(&value::hidden(decoded, &schema.block), into),
        (Some(decoded), _) if has_rules => value::write(&decoded, into),
        _ => into.push_str(&length(encoded.msgpack.len() + encoded.json.len())),
    }
}
