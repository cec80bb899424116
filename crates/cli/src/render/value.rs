//! Values as text and as JSON.

use outrigger_value::{ArchiveSource, AssetSource, PropertyMap, Value};
use serde_json::{Map, Number, Value as Json};

use super::redaction::HIDDEN;

/// Whether the insides of secrets are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Secrets {
    /// They are `[secret]`.
    Hidden,
    /// The user asked for them.
    Shown,
}

impl Secrets {
    /// From a `--show-secrets` flag.
    pub(crate) fn from_flag(show: bool) -> Self {
        if show { Self::Shown } else { Self::Hidden }
    }
}

/// A value that is not known yet, in JSON.
const UNKNOWN: &str = "[unknown]";

/// A value that is not known yet, to a person. Only a preview of `up` has such values.
const KNOWN_LATER: &str = "(known after up)";

/// The value as JSON, whole numbers without a fraction.
pub(crate) fn to_json(value: &Value, secrets: Secrets) -> Json {
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
pub(crate) fn properties_to_json(properties: &PropertyMap, secrets: Secrets) -> Json {
    Json::Object(properties.iter().map(|(key, value)| (key.clone(), to_json(value, secrets))).collect::<Map<_, _>>())
}

/// The value on one line: text in quotes, everything else as JSON. Markers for secrets and unknowns have no quotes.
pub(crate) fn to_line(value: &Value, secrets: Secrets) -> String {
    match value {
        Value::Secret(_) if secrets == Secrets::Hidden => HIDDEN.to_owned(),
        Value::Secret(inner) => to_line(inner, secrets),
        Value::Unknown => KNOWN_LATER.to_owned(),
        Value::Output(output) if output.secret && secrets == Secrets::Hidden => HIDDEN.to_owned(),
        Value::Output(output) => output.value.as_ref().map_or(KNOWN_LATER.to_owned(), |inner| to_line(inner, secrets)),
        other => to_json(other, secrets).to_string(),
    }
}

/// The value as `stack output` prints it: text as it is, everything else as JSON.
pub(crate) fn to_plain(value: &Value, secrets: Secrets) -> String {
    match to_json(value, secrets) {
        Json::String(text) => text,
        other => other.to_string(),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_on_every_level() {
        let value = Value::Map(PropertyMap::from([
            ("n".to_owned(), 3.0.into()),
            ("half".to_owned(), 0.5.into()),
            ("list".to_owned(), Value::List(vec![Value::secret("canary".into()), Value::Unknown])),
        ]));
        let expected = r#"{"half":0.5,"list":["[secret]","[unknown]"],"n":3}"#;
        assert_eq!(to_line(&value, Secrets::Hidden), expected);
        assert!(to_line(&value, Secrets::Shown).contains("canary"));
        assert_eq!(to_line(&Value::secret("canary".into()), Secrets::Hidden), "[secret]");
        assert_eq!(to_line(&"a\nb".into(), Secrets::Hidden), r#""a\nb""#);
        assert_eq!(to_plain(&"a".into(), Secrets::Hidden), "a");
    }
}
