//! Encodes values for the wire.

use std::collections::BTreeMap;

use outrigger_value::{Archive, ArchiveSource, Asset, AssetSource, OutputValue, PropertyMap, ResourceReference, Value};
use prost_types::value::Kind;
use prost_types::{ListValue, Struct};

use super::{ARCHIVE, ASSET, EncodingError, NESTING_LIMIT, OUTPUT, RESOURCE, SECRET, SIGNATURE, UNKNOWNS};

/// The features that the other side supports, and the contents that it gets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Encoding {
    /// Send unknown values; otherwise they are left out.
    pub(crate) unknowns: bool,
    /// Send secret marks; otherwise the bare value.
    pub(crate) secrets: bool,
    /// Send resource references; otherwise the id, or the URN of a resource without one.
    pub(crate) resources: bool,
    /// Send output values; otherwise the value with its marks.
    pub(crate) outputs: bool,
    /// Send only the hashes of assets and archives.
    pub(crate) elide: bool,
}

/// Encodes properties, consuming them.
pub(crate) fn encode(properties: PropertyMap, how: Encoding) -> Result<Struct, EncodingError> {
    map(properties, how, 1)
}

/// Encodes one value; `None` if it is unknown and unknown values are left out.
pub(crate) fn encode_value(
    key: &str,
    value: Value,
    how: Encoding,
) -> Result<Option<prost_types::Value>, EncodingError> {
    any(key, value, how, 1)
}

fn map(properties: PropertyMap, how: Encoding, level: usize) -> Result<Struct, EncodingError> {
    let mut fields = BTreeMap::new();
    for (key, value) in properties {
        // The entry of the map is a message, and its value another.
        if let Some(value) = any(&key, value, how, level + 2)? {
            fields.insert(key, value);
        }
    }
    Ok(Struct { fields })
}

fn any(key: &str, value: Value, how: Encoding, level: usize) -> Result<Option<prost_types::Value>, EncodingError> {
    // Refused here rather than by our own decoder: the plugin would do the work, and its answer could not be read.
    if level > NESTING_LIMIT {
        return Err(EncodingError::TooDeep(key.to_owned()));
    }
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(value) => Kind::BoolValue(value),
        Value::Number(value) => Kind::NumberValue(value),
        Value::String(text) => Kind::StringValue(text),
        Value::List(items) => {
            let mut values = Vec::with_capacity(items.len());
            for item in items {
                values.extend(any(key, item, how, level + 2)?);
            }
            Kind::ListValue(ListValue { values })
        }
        Value::Map(properties) => Kind::StructValue(map(properties, how, level + 1)?),
        Value::Asset(value) => asset(*value, how),
        Value::Archive(value) => archive(*value, how, level)?,
        Value::Resource(reference) => return resource(key, *reference, how, level),
        Value::Secret(inner) if how.secrets => {
            // A secret without its value would be malformed: a value that is left out takes its mark along.
            let Some(value) = any(key, *inner, how, level + 3)? else { return Ok(None) };
            object(SECRET, [("value", value)])
        }
        Value::Secret(inner) => return any(key, *inner, how, level),
        Value::Unknown if how.unknowns => text(UNKNOWNS[0]),
        Value::Unknown => return Ok(None),
        Value::Output(value) => return output(key, *value, how, level),
    };
    Ok(Some(prost_types::Value { kind: Some(kind) }))
}

fn output(
    key: &str,
    output: OutputValue,
    how: Encoding,
    level: usize,
) -> Result<Option<prost_types::Value>, EncodingError> {
    if !how.outputs {
        let value = output.value.unwrap_or(Value::Unknown);
        return any(key, if output.secret { Value::secret(value) } else { value }, how, level);
    }
    let mut parts = Vec::new();
    if let Some(value) = output.value
        && let Some(value) = any(key, value, how, level + 3)?
    {
        parts.push(("value", value));
    }
    if output.secret {
        parts.push(("secret", prost_types::Value { kind: Some(Kind::BoolValue(true)) }));
    }
    if !output.dependencies.is_empty() {
        let values = output.dependencies.iter().map(|urn| wire(text(urn.as_str()))).collect();
        parts.push(("dependencies", wire(Kind::ListValue(ListValue { values }))));
    }
    Ok(Some(wire(object(OUTPUT, parts))))
}

fn resource(
    key: &str,
    reference: ResourceReference,
    how: Encoding,
    level: usize,
) -> Result<Option<prost_types::Value>, EncodingError> {
    if !how.resources {
        return match reference.id {
            Some(id) => any(key, *id, how, level),
            None => Ok(Some(wire(text(reference.urn.as_str())))),
        };
    }
    let urn = &reference.urn;
    let mut parts = vec![("urn", text(urn.as_str())), ("name", text(urn.name())), ("type", text(urn.ty()))];
    if let Some(id) = &reference.id {
        // An unknown id is sent as an empty one.
        parts.push(("id", text(id.bare().as_str().unwrap_or_default())));
    }
    if !reference.package_version.is_empty() {
        parts.push(("packageVersion", text(&reference.package_version)));
    }
    Ok(Some(wire(object(RESOURCE, parts.into_iter().map(|(name, kind)| (name, wire(kind)))))))
}

fn asset(asset: Asset, how: Encoding) -> Kind {
    let contents = match asset.source {
        _ if how.elide => None,
        AssetSource::Text(contents) => Some(("text", contents)),
        AssetSource::Path(path) => Some(("path", path)),
        AssetSource::Uri(uri) => Some(("uri", uri)),
        AssetSource::Elided => None,
    };
    object(ASSET, strings(asset.hash, contents))
}

fn archive(archive: Archive, how: Encoding, level: usize) -> Result<Kind, EncodingError> {
    let contents = match archive.source {
        _ if how.elide => None,
        ArchiveSource::Assets(assets) => {
            let assets = wire(Kind::StructValue(map(assets, how, level + 4)?));
            let hash = strings(archive.hash, None);
            return Ok(object(ARCHIVE, hash.chain([("assets", assets)])));
        }
        ArchiveSource::Path(path) => Some(("path", path)),
        ArchiveSource::Uri(uri) => Some(("uri", uri)),
        ArchiveSource::Elided => None,
    };
    Ok(object(ARCHIVE, strings(archive.hash, contents)))
}

/// A hash and one more string; empty ones are left out.
fn strings(
    hash: String,
    contents: Option<(&'static str, String)>,
) -> impl Iterator<Item = (&'static str, prost_types::Value)> {
    [Some(("hash", hash)), contents]
        .into_iter()
        .flatten()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| (name, wire(Kind::StringValue(text))))
}

fn object(signature: &str, parts: impl IntoIterator<Item = (&'static str, prost_types::Value)>) -> Kind {
    let mut fields: BTreeMap<_, _> = parts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    fields.insert(SIGNATURE.to_owned(), wire(text(signature)));
    Kind::StructValue(Struct { fields })
}

fn text(text: &str) -> Kind {
    Kind::StringValue(text.to_owned())
}

fn wire(kind: Kind) -> prost_types::Value {
    prost_types::Value { kind: Some(kind) }
}
