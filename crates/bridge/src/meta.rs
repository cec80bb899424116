//! `__meta`: the version of stored state and the provider's own bytes, as Pulumi's bridge keeps them among the outputs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use outrigger_value::{PropertyMap, Value};
use serde::{Deserialize, Serialize};

/// The property.
pub(crate) const KEY: &str = "__meta";

/// What is kept there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// The version of the schema that the state was written with.
    pub version: i64,
    /// The provider's own bytes.
    pub private: Bytes,
}

/// A property that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stored `{KEY}` cannot be read: {0}")]
pub struct Broken(String);

/// In the order in which the original writes the keys. Keys that other bridges write are kept out: nobody here reads them.
#[derive(Default, Serialize, Deserialize)]
struct Written {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    private_state: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    schema_version: String,
}

impl Meta {
    /// Reads it from outputs; what is not there is version 0 without bytes.
    pub fn of(outputs: &PropertyMap) -> Result<Self, Broken> {
        let Some(text) = outputs.get(KEY).and_then(|value| value.bare().as_str()) else { return Ok(Self::default()) };
        let written: Written = serde_json::from_str(text).map_err(|error| Broken(error.to_string()))?;
        let version = match written.schema_version.as_str() {
            "" => 0,
            text => text.parse().map_err(|_| Broken(format!("`{text}` is not a version")))?,
        };
        let private = STANDARD.decode(&written.private_state).map_err(|error| Broken(error.to_string()))?;
        Ok(Self { version, private: private.into() })
    }

    /// Puts it into outputs; nothing is written where there is nothing to keep.
    pub(crate) fn write(&self, outputs: &mut PropertyMap) {
        if self.version == 0 && self.private.is_empty() {
            return;
        }
        let written = Written {
            private_state: STANDARD.encode(&self.private),
            schema_version: if self.version == 0 { String::new() } else { self.version.to_string() },
        };
        // Two strings can always be written.
        let text = serde_json::to_string(&written).unwrap_or_default();
        outputs.insert(KEY.to_owned(), Value::String(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for meta in [
            Meta::default(),
            Meta { version: 3, private: Bytes::new() },
            Meta { version: 0, private: Bytes::from_static(b"{\"a\":1}") },
            Meta { version: 12, private: Bytes::from_static(&[0, 255]) },
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
        Meta { version: 2, private: Bytes::from_static(b"x") }.write(&mut outputs);
        let expected = Value::from(r#"{"private_state":"eA==","schema_version":"2"}"#);
        assert_eq!(outputs.get(KEY), Some(&expected));
    }
}
