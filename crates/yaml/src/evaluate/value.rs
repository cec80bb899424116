//! Values during a run: like [`Value`], but each part knows the resources that it came from.
//!
//! The shape follows Pulumi's Go SDK, because it decides which property depends on which resource and how far a secret
//! spreads: a literal is plain; the answer of a resource or function is an *output*, which knows whether it is known and
//! secret, and has dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use outrigger_schema::Resource;
use outrigger_value::{
    Archive, Asset, OutputValue, PropertyMap, ProviderReference, ResourceReference, UNKNOWN_ID, Urn, Value,
};

/// The resources that a value came from.
pub(super) type Dependencies = BTreeSet<Urn>;

/// A value with its provenance.
#[derive(Clone)]
pub(super) enum Evaluated {
    Null,
    Bool(bool),
    Number(f64),
    /// A whole number that is printed with all its digits: the default of a config entry of type integer.
    Integer(i64),
    String(String),
    List(Vec<Evaluated>),
    Map(BTreeMap<String, Evaluated>),
    Asset(Asset),
    Archive(Archive),
    Resource(Arc<Handle>),
    Output(Box<Output>),
}

/// A value from a resource or a function, or one computed from such values.
#[derive(Clone)]
pub(super) struct Output {
    /// `None` while it is unknown.
    pub(super) value: Option<Evaluated>,
    pub(super) secret: bool,
    pub(super) dependencies: Dependencies,
}

/// A resource that has been registered or read.
pub(super) struct Handle {
    pub(super) urn: Urn,
    pub(super) id: Option<Value>,
    /// `None` if only the reference is known, so that the outputs must be fetched.
    pub(super) outputs: Option<PropertyMap>,
    /// Its schema; missing for a resource reached through a reference.
    pub(super) schema: Option<Arc<Resource>>,
    /// Providers by package, inherited ones included.
    pub(super) providers: BTreeMap<String, ProviderReference>,
}

/// The reader of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// A provider: it gets values with their marks.
    Provider,
    /// A component: it gets outputs with their dependencies, because it creates other resources from them.
    Component,
}

/// The combined provenance of an output's parts.
#[derive(Clone, Default)]
pub(super) struct Provenance {
    pub(super) is_output: bool,
    pub(super) unknown: bool,
    pub(super) secret: bool,
    pub(super) dependencies: Dependencies,
}

impl Handle {
    /// The reference to this provider, if it is one.
    pub(super) fn provider_reference(&self) -> Option<ProviderReference> {
        self.urn.provider_package()?;
        let id = match self.id.as_ref().map(Value::bare) {
            Some(Value::String(id)) => id.clone(),
            _ => UNKNOWN_ID.to_owned(),
        };
        Some(ProviderReference { urn: self.urn.clone(), id })
    }

    fn reference(&self) -> ResourceReference {
        ResourceReference { urn: self.urn.clone(), id: self.id.clone().map(Box::new), package_version: String::new() }
    }
}

impl Provenance {
    pub(super) fn of(urn: &Urn) -> Self {
        Self { is_output: true, dependencies: Dependencies::from([urn.clone()]), ..Self::default() }
    }

    /// Adds the provenance of another value.
    pub(super) fn merge(&mut self, other: Provenance) {
        self.is_output |= other.is_output;
        self.unknown |= other.unknown;
        self.secret |= other.secret;
        self.dependencies.extend(other.dependencies);
    }

    /// The value, as an output if any part of it was one.
    pub(super) fn wrap(mut self, value: Evaluated) -> Evaluated {
        // An output of an output is one output.
        let value = match value {
            Evaluated::Output(inner) => {
                self.is_output = true;
                self.unknown |= inner.value.is_none();
                self.secret |= inner.secret;
                self.dependencies.extend(inner.dependencies);
                inner.value.unwrap_or(Evaluated::Null)
            }
            plain => plain,
        };
        if !self.is_output {
            return value;
        }
        let value = (!self.unknown).then_some(value);
        Evaluated::Output(Box::new(Output { value, secret: self.secret, dependencies: self.dependencies }))
    }
}

impl Evaluated {
    /// Whether it or anything inside is an output.
    pub(super) fn has_outputs(&self) -> bool {
        match self {
            Evaluated::Output(_) => true,
            Evaluated::List(items) => items.iter().any(Evaluated::has_outputs),
            Evaluated::Map(map) => map.values().any(Evaluated::has_outputs),
            _ => false,
        }
    }

    /// Waits for everything inside, as `pulumi.All` does: returns the value without outputs, and their combined provenance. A resource
    /// inside adds no dependency here.
    pub(super) fn resolved(self) -> (Evaluated, Provenance) {
        let mut provenance = Provenance::default();
        let value = self.resolve(&mut provenance);
        (value, provenance)
    }

    fn resolve(self, provenance: &mut Provenance) -> Evaluated {
        match self {
            Evaluated::Output(output) => {
                provenance.is_output = true;
                provenance.secret |= output.secret;
                provenance.dependencies.extend(output.dependencies);
                match output.value {
                    Some(value) => value.resolve(provenance),
                    None => {
                        provenance.unknown = true;
                        Evaluated::Null
                    }
                }
            }
            Evaluated::List(items) => Evaluated::List(items.into_iter().map(|item| item.resolve(provenance)).collect()),
            Evaluated::Map(map) => {
                Evaluated::Map(map.into_iter().map(|(key, item)| (key, item.resolve(provenance))).collect())
            }
            plain => plain,
        }
    }

    /// The whole value as one secret output.
    pub(super) fn into_secret(self) -> Evaluated {
        let (value, mut provenance) = self.resolved();
        provenance.is_output = true;
        provenance.secret = true;
        provenance.wrap(value)
    }

    /// For the wire: the value and the resources that it depends on. `None` is a plain null, which is left out of maps.
    pub(super) fn marshalled(self, reader: Reader) -> (Option<Value>, Dependencies) {
        let mut dependencies = Dependencies::new();
        let value = self.marshal(reader, &mut dependencies);
        (value, dependencies)
    }

    fn marshal(self, reader: Reader, dependencies: &mut Dependencies) -> Option<Value> {
        Some(match self {
            Evaluated::Null => return None,
            Evaluated::Bool(value) => Value::Bool(value),
            Evaluated::Number(value) => Value::Number(value),
            Evaluated::Integer(value) => Value::Number(value as f64),
            Evaluated::String(text) => Value::String(text),
            Evaluated::List(items) => {
                let item = |item: Evaluated| item.marshal(reader, dependencies).unwrap_or(Value::Null);
                Value::List(items.into_iter().map(item).collect())
            }
            Evaluated::Map(map) => {
                let item = |(key, item): (String, Evaluated)| Some((key, item.marshal(reader, dependencies)?));
                Value::Map(map.into_iter().filter_map(item).collect())
            }
            Evaluated::Asset(asset) => asset.into(),
            Evaluated::Archive(archive) => archive.into(),
            Evaluated::Resource(handle) => {
                // A component gets the reference itself, and declares its own dependencies.
                if reader == Reader::Provider {
                    dependencies.insert(handle.urn.clone());
                }
                handle.reference().into()
            }
            Evaluated::Output(output) => {
                // Only the output's own dependencies count: those of its parts were added when it was made.
                let value = match output.value {
                    Some(value) => value.marshal(Reader::Provider, &mut Dependencies::new()),
                    None => Some(Value::Unknown),
                };
                if value.is_none() && !output.secret && output.dependencies.is_empty() {
                    return None;
                }
                let value = value.unwrap_or(Value::Null);
                let plain = !output.secret && output.dependencies.is_empty() && value != Value::Unknown;
                if reader == Reader::Component && !plain {
                    dependencies.extend(output.dependencies.iter().cloned());
                    return Some(Value::Output(Box::new(OutputValue {
                        value: Some(value).filter(|value| *value != Value::Unknown),
                        secret: output.secret,
                        dependencies: output.dependencies.into_iter().collect(),
                    })));
                }
                dependencies.extend(output.dependencies);
                if output.secret { Value::secret(value) } else { value }
            }
        })
    }

    /// A value from config, from a provider's answer or from a reference. Secrets and unknowns become outputs.
    pub(super) fn from_value(value: &Value) -> Evaluated {
        let output = |value: Option<Evaluated>, secret: bool, dependencies: Dependencies| {
            Evaluated::Output(Box::new(Output { value, secret, dependencies }))
        };
        match value {
            Value::Null => Evaluated::Null,
            Value::Bool(value) => Evaluated::Bool(*value),
            Value::Number(value) => Evaluated::Number(*value),
            Value::String(text) => Evaluated::String(text.clone()),
            Value::List(items) => Evaluated::List(items.iter().map(Evaluated::from_value).collect()),
            Value::Map(map) => {
                Evaluated::Map(map.iter().map(|(key, item)| (key.clone(), Evaluated::from_value(item))).collect())
            }
            Value::Asset(asset) => Evaluated::Asset(Asset::clone(asset)),
            Value::Archive(archive) => Evaluated::Archive(Archive::clone(archive)),
            Value::Resource(reference) => Evaluated::Resource(Arc::new(Handle::referenced(reference))),
            Value::Unknown => output(None, false, Dependencies::new()),
            Value::Secret(inner) => Evaluated::from_value(inner).into_secret(),
            Value::Output(inner) => output(
                inner.value.as_ref().map(Evaluated::from_value),
                inner.secret,
                inner.dependencies.iter().cloned().collect(),
            ),
        }
    }

    /// The kind of value, for messages.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Evaluated::Null => "nil",
            Evaluated::Bool(_) => "a boolean",
            Evaluated::Number(_) | Evaluated::Integer(_) => "a number",
            Evaluated::String(_) => "a string",
            Evaluated::List(_) => "a list",
            Evaluated::Map(_) => "an object",
            Evaluated::Asset(_) => "an asset",
            Evaluated::Archive(_) => "an archive",
            Evaluated::Resource(_) => "a resource",
            Evaluated::Output(_) => "an output",
        }
    }
}

impl Handle {
    /// A resource known only by reference.
    pub(super) fn referenced(reference: &ResourceReference) -> Self {
        Self {
            urn: reference.urn.clone(),
            id: reference.id.as_deref().cloned(),
            outputs: None,
            schema: None,
            providers: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urn(name: &str) -> Urn {
        Urn::new("dev", "shop", None, "a:b:C", name)
    }

    fn output(value: Option<Evaluated>, secret: bool, from: &str) -> Evaluated {
        Evaluated::Output(Box::new(Output { value, secret, dependencies: Dependencies::from([urn(from)]) }))
    }

    #[test]
    fn leaves_keep_their_marks_on_the_wire() {
        let map = Evaluated::Map(BTreeMap::from([
            ("plain".to_owned(), Evaluated::String("x".to_owned())),
            ("null".to_owned(), Evaluated::Null),
            ("nullFrom".to_owned(), output(Some(Evaluated::Null), false, "a")),
            ("secret".to_owned(), output(Some(Evaluated::Bool(true)), true, "b")),
            ("unknown".to_owned(), output(None, true, "c")),
            ("list".to_owned(), Evaluated::List(vec![Evaluated::Null])),
        ]));
        let (value, dependencies) = map.marshalled(Reader::Provider);
        let expected = PropertyMap::from([
            ("plain".to_owned(), Value::from("x")),
            ("nullFrom".to_owned(), Value::Null),
            ("secret".to_owned(), Value::secret(true.into())),
            ("unknown".to_owned(), Value::secret(Value::Unknown)),
            ("list".to_owned(), Value::List(vec![Value::Null])),
        ]);
        assert_eq!(value, Some(Value::Map(expected)));
        assert_eq!(dependencies, Dependencies::from([urn("a"), urn("b"), urn("c")]));
    }

    #[test]
    fn one_secret_or_unknown_part_marks_what_is_made_of_it() {
        let list = Evaluated::List(vec![
            output(Some(Evaluated::Number(1.0)), true, "a"),
            output(Some(Evaluated::Number(2.0)), false, "b"),
        ]);
        let (value, provenance) = list.resolved();
        assert!(!value.has_outputs() && provenance.secret && !provenance.unknown);
        let (value, dependencies) = provenance.wrap(value).marshalled(Reader::Provider);
        assert_eq!(value, Some(Value::secret(Value::List(vec![1.0.into(), 2.0.into()]))));
        assert_eq!(dependencies.len(), 2);
        let (_, provenance) = Evaluated::List(vec![output(None, false, "a"), Evaluated::Null]).resolved();
        assert!(provenance.unknown);
    }
}
