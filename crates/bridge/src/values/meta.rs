//! `__meta`: the version of the stored state and the provider's private bytes, as Pulumi's bridge keeps them among the outputs, and the
//! resource's identity, which that bridge ignores.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use outrigger_value::{PropertyMap, Value};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The property.
pub(crate) const KEY: &str = "__meta";

/// The contents of `__meta`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// The version of the schema that the state was written with.
    pub version: i64,
    /// The provider's private bytes.
    pub private: Bytes,
    /// The resource's identity, if it has one.
    pub identity: Option<KeptIdentity>,
}

/// A stored identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptIdentity {
    /// The version of the identity's schema.
    pub version: i64,
    /// The identity as JSON.
    pub json: String,
}

/// A `__meta` that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stored `{KEY}` cannot be read: {0}")]
pub struct Broken(String);

/// The keys are in the original order. Keys that other bridges write are not kept: nothing here reads them.
#[derive(Default, Serialize, Deserialize)]
struct Written {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    identity: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    identity_version: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    private_state: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    schema_version: String,
}

impl Meta {
    /// Reads it from outputs; if it is missing, the version is 0 and there are no bytes.
    pub fn of(outputs: &PropertyMap) -> Result<Self, Broken> {
        let Some(text) = outputs.get(KEY).and_then(|value| value.bare().as_str()) else { return Ok(Self::default()) };
        let written: Written = serde_json::from_str(text).map_err(|error| Broken(error.to_string()))?;
        let private = STANDARD.decode(&written.private_state).map_err(|error| Broken(error.to_string()))?;
        let identity = match written.identity {
            Some(json) => {
                Some(KeptIdentity { version: version(&written.identity_version)?, json: json.get().to_owned() })
            }
            None => None,
        };
        Ok(Self { version: version(&written.schema_version)?, private: private.into(), identity })
    }

    /// Adds it to outputs, unless there is nothing to keep.
    pub(crate) fn write(&self, outputs: &mut PropertyMap) {
        if self.version == 0 && self.private.is_empty() && self.identity.is_none() {
            return;
        }
        let identity = self.identity.as_ref();
        let written = Written {
            // The same library wrote this JSON.
            identity: identity.and_then(|identity| RawValue::from_string(identity.json.clone()).ok()),
            identity_version: identity.map(|identity| text(identity.version)).unwrap_or_default(),
            private_state: STANDARD.encode(&self.private),
            schema_version: text(self.version),
        };
        // Strings can always be written.
        let text = serde_json::to_string(&written).unwrap_or_default();
        outputs.insert(KEY.to_owned(), Value::String(text));
    }
}

/// Version 0 is not written.
fn text(version: i64) -> String {
    if version == 0 { String::new() } else { version.to_string() }
}

fn version(text: &str) -> Result<i64, Broken> {
    match text {
        "" => Ok(0),
        text => text.parse().map_err(|_| Broken(format!("`{text}` is not a version"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for meta in [
            Meta::default(),
            Meta { version: 3, ..Meta::default() },
            Meta { private: Bytes::from_static(b"{\"a\":1}"), ..Meta::default() },
            Meta { version: 12, private: Bytes::from_static(&[0, 255]), identity: None },
            Meta { identity: Some(KeptIdentity { version: 0, json: r#"{"a":null}"#.to_owned() }), ..Meta::default() },
            Meta {
                version: 1,
                private: Bytes::new(),
                identity: Some(KeptIdentity { version: 7, json: "{}".to_owned() }),
            },
        ] {
            let mut outputs = PropertyMap::new();
            meta.write(&mut outputs);
            assert_eq!(Meta::of(&outputs).unwrap(), meta);
        }
    }

    #[test]
    fn nothing_to_keep_is_not_kept() {
        let mut outputs = PropertyMap::new();
        Meta::default().write(&mut outputs);
        assert!(outputs.is_empty());
    }

    #[test]
    fn the_form_is_the_original_one() {
        let mut outputs = PropertyMap::new();
        Meta { version: 2, private: Bytes::from_static(b"x"), identity: None }.write(&mut outputs);
        let expected = Value::from(r#"{"private_state":"eA==","schema_version":"2"}"#);
        assert_eq!(outputs.get(KEY), Some(&expected));
    }
}
