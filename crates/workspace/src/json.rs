//! Values as JSON, for events and for commands that print JSON.

use outrigger_value::{ArchiveSource, AssetSource, PropertyMap, Value};
use serde_json::{Map, Number, Value as Json};

use crate::redaction::HIDDEN;

/// Whether the insides of secrets are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// They are `[secret]`.
    Hidden,
    /// The user asked for them.
    Shown,
}

impl Secrets {
    /// From a `--show-secrets` flag.
    pub fn from_flag(show: bool) -> Self {
        if show { Self::Shown } else { Self::Hidden }
    }
}

/// A value that is not known yet, in JSON.
const UNKNOWN: &str = "[unknown]";

/// The value as JSON, whole numbers without a fraction.
pub fn to_json(value: &Value, secrets: Secrets) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(value) => number(*value),
        Value::String(text) => Json::String(text.clone()),
        Value::List(items) => Json::Array(items.iter().map(|item| to_json(item, secrets)).collect()),
        Value::Map(map) => properties_to_json(map, secrets),
        Value::Asset(asset) => {
            let source = match &asset.source {
                AssetSource::Text(text) => ("text", Json::from(text.as_str())),
                AssetSource::Path(path) => ("path", Json::from(path.as_str())),
                AssetSource::Uri(uri) => ("uri", Json::from(uri.as_str())),
                AssetSource::Elided => ("text", Json::Null),
            };
            contents("asset", &asset.hash, source)
        }
        Value::Archive(archive) => {
            let source = match &archive.source {
                ArchiveSource::Assets(assets) => {
                    let assets = assets.iter().map(|(name, asset)| (name.clone(), to_json(asset, secrets)));
                    ("assets", Json::Object(assets.collect()))
                }
                ArchiveSource::Path(path) => ("path", Json::from(path.as_str())),
                ArchiveSource::Uri(uri) => ("uri", Json::from(uri.as_str())),
                ArchiveSource::Elided => ("assets", Json::Null),
            };
            contents("archive", &archive.hash, source)
        }
        Value::Resource(reference) => Json::String(reference.urn.to_string()),
        Value::Secret(_) if secrets == Secrets::Hidden => HIDDEN.into(),
        Value::Secret(inner) => to_json(inner, secrets),
        Value::Unknown => UNKNOWN.into(),
        Value::Output(output) if output.secret && secrets == Secrets::Hidden => HIDDEN.into(),
        Value::Output(output) => output.value.as_ref().map_or(UNKNOWN.into(), |inner| to_json(inner, secrets)),
    }
}

/// A property map as a JSON object.
pub fn properties_to_json(properties: &PropertyMap, secrets: Secrets) -> Json {
    Json::Object(properties.iter().map(|(key, value)| (key.clone(), to_json(value, secrets))).collect::<Map<_, _>>())
}

fn number(value: f64) -> Json {
    // Whole numbers of this size are exact in a double and in an i64 alike.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT {
        return Json::from(value as i64);
    }
    Number::from_f64(value).map_or_else(|| Json::String(value.to_string()), Json::Number)
}

fn contents(kind: &str, hash: &str, (place, source): (&str, Json)) -> Json {
    let mut inner = Map::new();
    if !hash.is_empty() {
        inner.insert("hash".to_owned(), hash.into());
    }
    if !source.is_null() {
        inner.insert(place.to_owned(), source);
    }
    Json::Object(Map::from_iter([(kind.to_owned(), Json::Object(inner))]))
}
