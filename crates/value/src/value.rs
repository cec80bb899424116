//! The dynamic value.

use std::collections::BTreeSet;
use std::fmt;

use crate::{Archive, Asset, PropertyMap, Urn};

/// A value of an input, an output, a config entry or a function argument.
#[derive(Clone, PartialEq)]
pub enum Value {
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// A number. Pulumi's wire and state carry IEEE doubles; a protocol with larger numbers keeps them exact on its own side.
    Number(f64),
    /// Text.
    String(String),
    /// An ordered list.
    List(Vec<Value>),
    /// A map of named values.
    Map(PropertyMap),
    /// A file or text that a plugin reads.
    Asset(Box<Asset>),
    /// A set of assets.
    Archive(Box<Archive>),
    /// A reference to another resource.
    Resource(Box<ResourceReference>),
    /// A value that is never shown and is encrypted wherever it is stored.
    Secret(Box<Value>),
    /// A value that is not known yet; only in a preview.
    Unknown,
    /// A value with the resources that it came from; only in component calls.
    Output(Box<OutputValue>),
}

/// A reference to a resource, as a program passes it around.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceReference {
    /// The resource.
    pub urn: Urn,
    /// Its id: `None` for a component, `Some(Unknown)` or `Some(String)` for a custom resource.
    pub id: Option<Box<Value>>,
    /// The version of the package that it came from, often empty.
    pub package_version: String,
}

/// A value together with its secrecy and the resources that it depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputValue {
    /// `None` while it is unknown.
    pub value: Option<Value>,
    /// Whether it is secret.
    pub secret: bool,
    /// The resources that it came from, sorted.
    pub dependencies: Vec<Urn>,
}

impl From<ResourceReference> for Value {
    fn from(reference: ResourceReference) -> Self {
        Self::Resource(Box::new(reference))
    }
}

impl Value {
    /// Marks a value as secret; a secret stays as it is.
    #[must_use]
    pub fn secret(value: Value) -> Value {
        match value {
            secret @ Value::Secret(_) => secret,
            plain => Value::Secret(Box::new(plain)),
        }
    }

    /// The text, if this is plain text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The map, if this is a plain map.
    pub fn as_map(&self) -> Option<&PropertyMap> {
        match self {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The value without a secret mark or output wrapper on its outermost level.
    pub fn bare(&self) -> &Value {
        match self {
            Value::Secret(inner) => inner.bare(),
            Value::Output(output) => output.value.as_ref().map_or(&Value::Unknown, Value::bare),
            other => other,
        }
    }

    /// Whether anything inside is secret.
    pub fn contains_secret(&self) -> bool {
        self.any(&|value| match value {
            Value::Secret(_) => true,
            Value::Output(output) => output.secret,
            _ => false,
        })
    }

    /// Whether anything inside is unknown.
    pub fn contains_unknown(&self) -> bool {
        self.any(&|value| match value {
            Value::Unknown => true,
            Value::Output(output) => output.value.is_none(),
            Value::Resource(reference) => matches!(reference.id.as_deref(), Some(Value::Unknown)),
            _ => false,
        })
    }

    /// Whether `test` holds for this value or anything inside it.
    pub fn any(&self, test: &dyn Fn(&Value) -> bool) -> bool {
        if test(self) {
            return true;
        }
        match self {
            Value::List(items) => items.iter().any(|item| item.any(test)),
            Value::Map(map) => map.values().any(|item| item.any(test)),
            Value::Secret(inner) => inner.any(test),
            Value::Output(output) => output.value.as_ref().is_some_and(|inner| inner.any(test)),
            _ => false,
        }
    }

    /// The same value without any secret marks or output wrappers, on every level.
    #[must_use]
    pub fn unwrap_secrets(&self) -> Value {
        match self {
            Value::Secret(inner) => inner.unwrap_secrets(),
            Value::Output(output) => output.value.as_ref().map_or(Value::Unknown, Value::unwrap_secrets),
            Value::List(items) => Value::List(items.iter().map(Value::unwrap_secrets).collect()),
            Value::Map(map) => Value::Map(map.iter().map(|(k, v)| (k.clone(), v.unwrap_secrets())).collect()),
            other => other.clone(),
        }
    }

    /// The same value with every output replaced by its content: a secret, an unknown, or the plain value.
    #[must_use]
    pub fn without_outputs(self) -> Value {
        match self {
            Value::Output(output) => {
                let value = output.value.map_or(Value::Unknown, Value::without_outputs);
                if output.secret { Value::secret(value) } else { value }
            }
            Value::Secret(inner) => Value::secret(inner.without_outputs()),
            Value::List(items) => Value::List(items.into_iter().map(Value::without_outputs).collect()),
            Value::Map(map) => Value::Map(map.into_iter().map(|(k, v)| (k, v.without_outputs())).collect()),
            other => other,
        }
    }

    /// Collects the resources that the outputs inside came from.
    pub fn output_dependencies(&self, into: &mut BTreeSet<Urn>) {
        match self {
            Value::Output(output) => {
                into.extend(output.dependencies.iter().cloned());
                if let Some(inner) = &output.value {
                    inner.output_dependencies(into);
                }
            }
            Value::Secret(inner) => inner.output_dependencies(into),
            Value::List(items) => items.iter().for_each(|item| item.output_dependencies(into)),
            Value::Map(map) => map.values().for_each(|item| item.output_dependencies(into)),
            _ => {}
        }
    }

    /// The kind of value, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::List(_) => "list",
            Value::Map(_) => "object",
            Value::Asset(_) => "asset",
            Value::Archive(_) => "archive",
            Value::Resource(_) => "resource",
            Value::Secret(inner) => inner.kind(),
            Value::Unknown => "unknown",
            Value::Output(_) => "output",
        }
    }
}

/// Shows the shape; the inside of a secret is never shown.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Number(value) => write!(f, "{value}"),
            Value::String(value) => write!(f, "{value:?}"),
            Value::List(items) => f.debug_list().entries(items).finish(),
            Value::Map(map) => f.debug_map().entries(map).finish(),
            Value::Asset(asset) => asset.fmt(f),
            Value::Archive(archive) => archive.fmt(f),
            Value::Resource(reference) => reference.fmt(f),
            Value::Secret(_) => f.write_str("[secret]"),
            Value::Unknown => f.write_str("[unknown]"),
            Value::Output(output) if output.secret => f.write_str("[secret]"),
            Value::Output(output) => output.value.as_ref().unwrap_or(&Value::Unknown).fmt(f),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::String(text)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Number(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_never_shows_a_secret() {
        let value = Value::Map(PropertyMap::from([(
            "list".to_owned(),
            Value::List(vec![Value::secret("canary".into()), Value::from("plain")]),
        )]));
        assert_eq!(format!("{value:?}"), r#"{"list": [[secret], "plain"]}"#);
        let output = Value::Output(Box::new(OutputValue {
            value: Some(Value::from("canary")),
            secret: true,
            dependencies: vec![],
        }));
        assert_eq!(format!("{output:?}"), "[secret]");
    }

    #[test]
    fn a_secret_of_a_secret_is_one_secret() {
        assert_eq!(Value::secret(Value::secret(Value::Null)), Value::Secret(Box::new(Value::Null)));
    }

    #[test]
    fn unwrapping_reaches_every_level() {
        let value = Value::List(vec![Value::secret(Value::List(vec![Value::secret(true.into())]))]);
        assert!(value.contains_secret());
        assert_eq!(value.unwrap_secrets(), Value::List(vec![Value::List(vec![Value::Bool(true)])]));
    }
}
