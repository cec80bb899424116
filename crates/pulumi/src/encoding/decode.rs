//! Decodes values from the wire.

use std::collections::BTreeMap;

use outrigger_value::{
    Archive, ArchiveSource, Asset, AssetSource, OutputValue, PropertyMap, ResourceReference, Urn, Value,
};
use prost_types::Struct;
use prost_types::value::Kind;

use super::{ARCHIVE, ASSET, EncodingError, OUTPUT, RESOURCE, SECRET, SIGNATURE, UNKNOWNS};

/// SHA-256 of nothing. An asset with this hash and no contents is an empty text; with another hash its contents were left out.
const EMPTY_TEXT: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// SHA-256 of an empty tar stream, for the same distinction between archives.
const EMPTY_ARCHIVE: &str = "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef";

/// The treatment of unknown values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknowns {
    /// Keep them: a preview.
    Keep,
    /// Leave them out of maps; in a list, where positions count, replace them by null.
    Drop,
    /// They are an error.
    Reject,
}

/// Options for decoding an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoding {
    /// The treatment of unknown values.
    pub(crate) unknowns: Unknowns,
    /// Keep output values; otherwise take the value with its marks.
    pub(crate) outputs: bool,
}

/// Decodes properties, consuming them.
pub(crate) fn decode(properties: Struct, how: Decoding) -> Result<PropertyMap, EncodingError> {
    let mut decoded = PropertyMap::with_capacity(properties.fields.len());
    for (key, value) in properties.fields {
        if let Some(value) = any(&key, value, how)? {
            decoded.insert(key, value);
        }
    }
    Ok(decoded)
}

/// Decodes one value; `None` if it is unknown and unknown values are left out.
pub(crate) fn decode_value(
    key: &str,
    value: prost_types::Value,
    how: Decoding,
) -> Result<Option<Value>, EncodingError> {
    any(key, value, how)
}

fn any(key: &str, value: prost_types::Value, how: Decoding) -> Result<Option<Value>, EncodingError> {
    Ok(Some(match value.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(value)) => Value::Bool(value),
        Some(Kind::NumberValue(value)) => Value::Number(value),
        Some(Kind::StringValue(text)) if UNKNOWNS.contains(&text.as_str()) => return unknown(key, how),
        Some(Kind::StringValue(text)) => Value::String(text),
        Some(Kind::ListValue(list)) => {
            let mut items = Vec::with_capacity(list.values.len());
            for item in list.values {
                items.push(any(key, item, how)?.unwrap_or(Value::Null));
            }
            Value::List(items)
        }
        Some(Kind::StructValue(mut object)) => match object.fields.remove(SIGNATURE) {
            None => Value::Map(decode(object, how)?),
            Some(signature) => return special(key, signature, object, how),
        },
    }))
}

fn unknown(key: &str, how: Decoding) -> Result<Option<Value>, EncodingError> {
    match how.unknowns {
        Unknowns::Keep => Ok(Some(Value::Unknown)),
        Unknowns::Drop => Ok(None),
        Unknowns::Reject => Err(EncodingError::Unknown(key.to_owned())),
    }
}

fn special(
    key: &str,
    signature: prost_types::Value,
    object: Struct,
    how: Decoding,
) -> Result<Option<Value>, EncodingError> {
    let mut parts = Parts { key, kind: "object", fields: object.fields };
    let signature = match signature.kind {
        Some(Kind::StringValue(signature)) => signature,
        other => format!("{other:?}"),
    };
    match signature.as_str() {
        SECRET => {
            parts.kind = "secret";
            let value = parts.fields.remove("value").ok_or_else(|| parts.malformed("its value is missing"))?;
            Ok(any(key, value, how)?.map(Value::secret))
        }
        ASSET => {
            parts.kind = "asset";
            asset(parts).map(|asset| Some(asset.into()))
        }
        ARCHIVE => {
            parts.kind = "archive";
            archive(parts, how).map(|archive| Some(archive.into()))
        }
        RESOURCE => {
            parts.kind = "resource reference";
            resource(parts, how).map(|reference| Some(reference.into()))
        }
        OUTPUT => {
            parts.kind = "output value";
            output(parts, how)
        }
        _ => Err(EncodingError::Signature { key: key.to_owned(), signature }),
    }
}

/// The fields of a special object.
struct Parts<'a> {
    key: &'a str,
    kind: &'static str,
    fields: BTreeMap<String, prost_types::Value>,
}

impl Parts<'_> {
    fn malformed(&self, reason: &'static str) -> EncodingError {
        EncodingError::Malformed { key: self.key.to_owned(), kind: self.kind, reason }
    }

    /// A string; empty if it is missing.
    fn text(&mut self, name: &'static str) -> Result<String, EncodingError> {
        match self.fields.remove(name).and_then(|value| value.kind) {
            None => Ok(String::new()),
            Some(Kind::StringValue(text)) => Ok(text),
            Some(_) => Err(self.malformed(match name {
                "hash" => "its hash is not a string",
                "path" => "its path is not a string",
                "uri" => "its URI is not a string",
                "urn" => "its URN is not a string",
                "id" => "its id is not a string",
                _ => "a part of it is not a string",
            })),
        }
    }
}

fn asset(mut parts: Parts<'_>) -> Result<Asset, EncodingError> {
    let hash = parts.text("hash")?;
    let (text, path, uri) = (parts.text("text")?, parts.text("path")?, parts.text("uri")?);
    let source = if !path.is_empty() {
        AssetSource::Path(path)
    } else if !uri.is_empty() {
        AssetSource::Uri(uri)
    } else if !text.is_empty() || hash.is_empty() || hash == EMPTY_TEXT {
        AssetSource::Text(text)
    } else {
        AssetSource::Elided
    };
    Ok(Asset { hash, source })
}

fn archive(mut parts: Parts<'_>, how: Decoding) -> Result<Archive, EncodingError> {
    let hash = parts.text("hash")?;
    let (path, uri) = (parts.text("path")?, parts.text("uri")?);
    let assets = match parts.fields.remove("assets").and_then(|value| value.kind) {
        None | Some(Kind::NullValue(_)) => PropertyMap::new(),
        Some(Kind::StructValue(assets)) => decode(assets, how)?,
        Some(_) => return Err(parts.malformed("its contents are not an object")),
    };
    if !assets.values().all(|member| matches!(member, Value::Asset(_) | Value::Archive(_))) {
        return Err(parts.malformed("a member is neither an asset nor an archive"));
    }
    let source = if !path.is_empty() {
        ArchiveSource::Path(path)
    } else if !uri.is_empty() {
        ArchiveSource::Uri(uri)
    } else if !assets.is_empty() || hash.is_empty() || hash == EMPTY_ARCHIVE {
        ArchiveSource::Assets(assets)
    } else {
        ArchiveSource::Elided
    };
    Ok(Archive { hash, source })
}

fn resource(mut parts: Parts<'_>, how: Decoding) -> Result<ResourceReference, EncodingError> {
    let urn: Urn = parts.text("urn")?.parse().map_err(|_| parts.malformed("its URN is missing or not a URN"))?;
    let id = match parts.fields.remove("id") {
        None => None,
        Some(id) => match any(parts.key, id, how)? {
            Some(id) => match id.bare() {
                Value::String(id) if !id.is_empty() => Some(Box::new(Value::String(id.clone()))),
                Value::String(_) | Value::Unknown => Some(Box::new(Value::Unknown)),
                _ => return Err(parts.malformed("its id is not a string")),
            },
            None => None,
        },
    };
    Ok(ResourceReference { urn, id, package_version: parts.text("packageVersion")? })
}

fn output(mut parts: Parts<'_>, how: Decoding) -> Result<Option<Value>, EncodingError> {
    let secret = match parts.fields.remove("secret").and_then(|value| value.kind) {
        None => false,
        Some(Kind::BoolValue(secret)) => secret,
        Some(_) => return Err(parts.malformed("its secret mark is not a boolean")),
    };
    let value = match parts.fields.remove("value") {
        Some(value) => any(parts.key, value, how)?,
        None => None,
    };
    if !how.outputs {
        let value = match value {
            Some(value) => Some(value),
            None => unknown(parts.key, how)?,
        };
        return Ok(value.map(|value| if secret { Value::secret(value) } else { value }));
    }
    let mut dependencies = Vec::new();
    match parts.fields.remove("dependencies").and_then(|value| value.kind) {
        None => {}
        Some(Kind::ListValue(list)) => {
            for item in list.values {
                let Some(Kind::StringValue(urn)) = item.kind else {
                    return Err(parts.malformed("a dependency is not a string"));
                };
                dependencies.push(urn.parse().map_err(|_| parts.malformed("a dependency is not a URN"))?);
            }
        }
        Some(_) => return Err(parts.malformed("its dependencies are not a list")),
    }
    dependencies.sort();
    Ok(Some(Value::Output(Box::new(OutputValue { value, secret, dependencies }))))
}
