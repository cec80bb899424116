//! Property values in state files: plain JSON, and objects with a signature for values that JSON lacks.

use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;
use outrigger_value::signature::{ARCHIVE, ASSET, OUTPUT, RESOURCE, SECRET, SIGNATURE};
use outrigger_value::{
    Archive, ArchiveSource, Asset, AssetSource, OutputValue, PropertyMap, ResourceReference, UNKNOWN_ID, Value,
};
use serde_json::{Map, Value as Json};

use crate::checkpoint::json::JsonWriter;

const FLOAT: &str = "8ad145fe-0d11-4827-bfd7-1abcbf086f5c";
/// SHA-256 of nothing: distinguishes an asset with an empty text from one whose contents were left out.
const EMPTY_HASH: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// How secrets are written.
#[derive(Clone, Copy)]
pub(crate) enum Secrets<'a> {
    /// Encrypted.
    Sealed(&'a dyn Crypter),
    /// In clear, for an export with secrets shown.
    Shown,
    /// Inside another secret, whose encryption covers this one.
    Nested,
    /// Left out, with null in their place.
    Withheld,
}

/// A map of properties as JSON in the form of state files, its secrets encrypted.
pub fn properties_to_json(map: &PropertyMap, crypter: &dyn Crypter) -> Result<String, Diagnostic> {
    let mut out = JsonWriter::default();
    write_map(&mut out, map, Secrets::Sealed(crypter))?;
    Ok(out.finish())
}

/// Writes a map of properties.
pub(crate) fn write_map(out: &mut JsonWriter, map: &PropertyMap, secrets: Secrets<'_>) -> Result<(), Diagnostic> {
    out.raw("{");
    for (key, value) in map {
        out.key(key);
        write_value(out, value, secrets)?;
    }
    out.raw("}");
    Ok(())
}

/// Writes one value.
pub(crate) fn write_value(out: &mut JsonWriter, value: &Value, secrets: Secrets<'_>) -> Result<(), Diagnostic> {
    match value {
        Value::Null => out.raw("null"),
        Value::Bool(value) => out.bool(*value),
        Value::Number(value) if value.is_finite() => out.number(*value),
        Value::Number(value) => {
            write_signed(out, FLOAT, |out| text_field(out, "value", &format!("{:016x}", value.to_bits())));
        }
        Value::String(value) => out.string(value),
        Value::Unknown => out.string(UNKNOWN_ID),
        Value::List(items) => {
            out.raw("[");
            for item in items {
                out.separate();
                write_value(out, item, secrets)?;
            }
            out.raw("]");
        }
        Value::Map(map) => write_map(out, map, secrets)?,
        Value::Asset(asset) => write_asset(out, asset),
        Value::Archive(archive) => write_archive(out, archive)?,
        Value::Resource(reference) => write_reference(out, reference),
        Value::Secret(inner) => write_secret(out, inner, secrets)?,
        Value::Output(output) => {
            // As Pulumi does: the shape is kept, the dependencies are not.
            let element = output.value.as_ref().unwrap_or(&Value::Unknown);
            if output.secret { write_secret(out, element, secrets)? } else { write_value(out, element, secrets)? }
        }
    }
    Ok(())
}

fn write_signed(out: &mut JsonWriter, signature: &str, fields: impl FnOnce(&mut JsonWriter)) {
    out.raw("{");
    text_field(out, SIGNATURE, signature);
    fields(out);
    out.raw("}");
}

fn text_field(out: &mut JsonWriter, key: &str, value: &str) {
    out.key(key);
    out.string(value);
}

fn filled_field(out: &mut JsonWriter, key: &str, value: &str) {
    if !value.is_empty() {
        text_field(out, key, value);
    }
}

fn write_secret(out: &mut JsonWriter, inner: &Value, secrets: Secrets<'_>) -> Result<(), Diagnostic> {
    if matches!(secrets, Secrets::Withheld) {
        out.raw("null");
        return Ok(());
    }
    let mut plain = JsonWriter::escaping_html();
    let inside = if matches!(secrets, Secrets::Shown) { Secrets::Shown } else { Secrets::Nested };
    write_value(&mut plain, inner, inside)?;
    let plain = plain.finish();
    let (key, text) = match secrets {
        Secrets::Sealed(crypter) => ("ciphertext", crypter.encrypt(&plain)?),
        Secrets::Nested | Secrets::Withheld => ("ciphertext", plain),
        Secrets::Shown => ("plaintext", plain),
    };
    write_signed(out, SECRET, |out| text_field(out, key, &text));
    Ok(())
}

fn write_asset(out: &mut JsonWriter, asset: &Asset) {
    write_signed(out, ASSET, |out| {
        filled_field(out, "hash", &asset.hash);
        match &asset.source {
            AssetSource::Text(text) => filled_field(out, "text", text),
            AssetSource::Path(path) => filled_field(out, "path", path),
            AssetSource::Uri(uri) => filled_field(out, "uri", uri),
            AssetSource::Elided => {}
        }
    });
}

fn write_archive(out: &mut JsonWriter, archive: &Archive) -> Result<(), Diagnostic> {
    let assets = match &archive.source {
        ArchiveSource::Assets(assets) => {
            let mut inner = if out.escapes_html() { JsonWriter::escaping_html() } else { JsonWriter::new() };
            // An archive contains only assets and archives, so there is no secret here.
            write_map(&mut inner, assets, Secrets::Nested)?;
            Some(inner.finish())
        }
        _ => None,
    };
    write_signed(out, ARCHIVE, |out| {
        filled_field(out, "hash", &archive.hash);
        match &archive.source {
            ArchiveSource::Assets(_) => {
                out.key("assets");
                out.raw(assets.as_deref().unwrap_or("{}"));
            }
            ArchiveSource::Path(path) => filled_field(out, "path", path),
            ArchiveSource::Uri(uri) => filled_field(out, "uri", uri),
            ArchiveSource::Elided => {}
        }
    });
    Ok(())
}

fn write_reference(out: &mut JsonWriter, reference: &ResourceReference) {
    write_signed(out, RESOURCE, |out| {
        if let Some(id) = &reference.id {
            // An unknown id is written as an empty one.
            text_field(out, "id", id.bare().as_str().unwrap_or_default());
        }
        text_field(out, "packageVersion", &reference.package_version);
        text_field(out, "urn", reference.urn.as_str());
    });
}

/// Why a value cannot be read.
pub(crate) enum ReadError {
    /// The value has the wrong form.
    Malformed(String),
    /// A secret cannot be decrypted.
    Secret(Diagnostic),
}

impl From<&str> for ReadError {
    fn from(text: &str) -> Self {
        Self::Malformed(text.to_owned())
    }
}

/// Reads a map of properties.
pub(crate) fn read_map(map: Map<String, Json>, crypter: Option<&dyn Crypter>) -> Result<PropertyMap, ReadError> {
    map.into_iter().map(|(key, value)| Ok((key, read_value(value, crypter)?))).collect()
}

/// Reads one value. Without a crypter the value is inside a secret that is already decrypted.
pub(crate) fn read_value(value: Json, crypter: Option<&dyn Crypter>) -> Result<Value, ReadError> {
    Ok(match value {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::Number(number) => Value::Number(number.as_f64().ok_or("a number is out of range")?),
        Json::String(text) if text == UNKNOWN_ID => Value::Unknown,
        Json::String(text) => Value::String(text),
        Json::Array(items) => {
            Value::List(items.into_iter().map(|item| read_value(item, crypter)).collect::<Result<_, _>>()?)
        }
        Json::Object(map) => match map.get(SIGNATURE) {
            None => Value::Map(read_map(map, crypter)?),
            Some(Json::String(signature)) => read_signed(&signature.clone(), map, crypter)?,
            Some(_) => return Err("a signature is not a string".into()),
        },
    })
}

fn read_signed(signature: &str, mut map: Map<String, Json>, crypter: Option<&dyn Crypter>) -> Result<Value, ReadError> {
    match signature {
        SECRET => read_secret(&map, crypter),
        ASSET => {
            let hash = take_text(&mut map, "hash")?;
            let source = match (take_text(&mut map, "text")?, take_text(&mut map, "path")?, take_text(&mut map, "uri")?)
            {
                (Some(text), _, _) => AssetSource::Text(text),
                (None, Some(path), _) => AssetSource::Path(path),
                (None, None, Some(uri)) => AssetSource::Uri(uri),
                (None, None, None) if hash.as_deref() == Some(EMPTY_HASH) => AssetSource::Text(String::new()),
                (None, None, None) => AssetSource::Elided,
            };
            Ok(Value::from(Asset { hash: hash.unwrap_or_default(), source }))
        }
        ARCHIVE => {
            let hash = take_text(&mut map, "hash")?.unwrap_or_default();
            let source = match (take_text(&mut map, "path")?, take_text(&mut map, "uri")?, map.remove("assets")) {
                (Some(path), _, _) => ArchiveSource::Path(path),
                (None, Some(uri), _) => ArchiveSource::Uri(uri),
                (None, None, Some(Json::Object(assets))) => ArchiveSource::Assets(read_map(assets, crypter)?),
                (None, None, Some(Json::Null) | None) => ArchiveSource::Elided,
                (None, None, Some(_)) => return Err("an archive's `assets` is not an object".into()),
            };
            Ok(Value::from(Archive { hash, source }))
        }
        RESOURCE => read_reference(map),
        OUTPUT => {
            let dependencies = match map.remove("dependencies") {
                Some(Json::Array(items)) => items
                    .iter()
                    .map(|item| item.as_str().and_then(|urn| urn.parse().ok()))
                    .collect::<Option<_>>()
                    .ok_or("an output's dependency is not a URN")?,
                _ => Vec::new(),
            };
            let secret = map.get("secret").and_then(Json::as_bool).unwrap_or_default();
            let value = map.remove("value").map(|value| read_value(value, crypter)).transpose()?;
            Ok(Value::Output(Box::new(OutputValue { value, secret, dependencies })))
        }
        FLOAT => {
            let bits = map.get("value").and_then(Json::as_str).and_then(|text| u64::from_str_radix(text, 16).ok());
            Ok(Value::Number(f64::from_bits(bits.ok_or("a special number's `value` is not 16 hexadecimal digits")?)))
        }
        unknown => Err(ReadError::Malformed(format!("the signature `{unknown}` is not known to this build"))),
    }
}

fn take_text(map: &mut Map<String, Json>, key: &str) -> Result<Option<String>, ReadError> {
    match map.remove(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) if text.is_empty() => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(_) => Err(ReadError::Malformed(format!("`{key}` of an asset or archive is not a string"))),
    }
}

fn read_secret(map: &Map<String, Json>, crypter: Option<&dyn Crypter>) -> Result<Value, ReadError> {
    let field = |key: &str| map.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
    let inner = match (field("ciphertext"), field("plaintext"), crypter) {
        (Some(ciphertext), None, Some(crypter)) => {
            parse_plain(&crypter.decrypt(ciphertext).map_err(ReadError::Secret)?)?
        }
        (Some(text), None, None) | (None, Some(text), _) => parse_plain(text)?,
        _ => return Err("a secret must have exactly one of `ciphertext` and `plaintext`".into()),
    };
    Ok(Value::Secret(Box::new(read_value(inner, None)?)))
}

fn parse_plain(text: &str) -> Result<Json, ReadError> {
    // The parser's own message could show a part of the secret.
    serde_json::from_str(text).map_err(|_| "the value of a secret is not JSON".into())
}

fn read_reference(map: Map<String, Json>) -> Result<Value, ReadError> {
    let text = |key: &str| map.get(key).and_then(Json::as_str);
    let urn = text("urn").and_then(|urn| urn.parse().ok()).ok_or("a resource reference has no valid `urn`")?;
    let known = |id: &str| if id.is_empty() { Value::Unknown } else { Value::String(id.to_owned()) };
    let id = match map.get("id") {
        None | Some(Json::Null) => None,
        Some(Json::String(id)) => Some(Box::new(known(id))),
        // Some versions of Pulumi wrote the id as a Go structure.
        Some(Json::Object(wrapped)) => match wrapped.get("V") {
            None | Some(Json::Null) => None,
            Some(Json::String(id)) => Some(Box::new(known(id))),
            Some(_) => Some(Box::new(Value::Unknown)),
        },
        Some(_) => return Err("a resource reference's `id` is not a string".into()),
    };
    let package_version = text("packageVersion").unwrap_or_default().to_owned();
    Ok(Value::from(ResourceReference { urn, id, package_version }))
}
