//! A provider's answer to GetProviderSchema, with the position of each entry.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use prost::Message;

use super::wire::Reader;
use super::{Capabilities, Function, Schema, decode};
use crate::cty::NotAType;
use crate::wire::Diagnostic;
use crate::{Protocol, Report};

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A managed resource.
    Resource,
    /// A data source.
    DataSource,
    /// An ephemeral resource.
    Ephemeral,
    /// A list of resources.
    List,
    /// An action.
    Action,
}

/// A schema that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// It is not in Protobuf's format.
    #[error("the provider's schema is damaged")]
    Broken,
    /// A nesting mode that the protocol does not define.
    #[error("the provider's schema has a nesting of an unknown kind ({0})")]
    Nesting(u64),
    /// An attribute of an unknown type.
    #[error("the provider's schema has an attribute of an unknown type: {0}")]
    Type(#[from] NotAType),
    /// Nested too deeply.
    #[error("the provider's schema is nested too deeply")]
    TooDeep,
}

/// The entries that were requested.
type Decoded = HashMap<(Kind, Arc<str>), Arc<Schema>>;

/// All of a provider's schemas. Entries are decoded on first use, and kept.
pub struct Schemas {
    protocol: Protocol,
    raw: Bytes,
    provider: Arc<Schema>,
    provider_meta: Option<Arc<Schema>>,
    capabilities: Capabilities,
    entries: BTreeMap<Kind, BTreeMap<Arc<str>, Range<usize>>>,
    functions: BTreeMap<Arc<str>, Range<usize>>,
    reports: Vec<Report>,
    decoded: Mutex<Decoded>,
}

impl Schemas {
    /// Indexes the entries of an answer.
    pub fn index(raw: Bytes, protocol: Protocol) -> Result<Self, SchemaError> {
        let mut provider = Schema::default();
        let mut provider_meta = None;
        let mut capabilities = Capabilities::default();
        let mut entries: BTreeMap<Kind, BTreeMap<Arc<str>, Range<usize>>> = BTreeMap::new();
        let mut functions = BTreeMap::new();
        let mut reports = Vec::new();
        let mut reader = Reader::new(&raw);
        while let Some((number, field)) = reader.next()? {
            let kind = match number {
                1 => {
                    provider = decode::schema(field.bytes()?, protocol)?;
                    continue;
                }
                4 => {
                    let diagnostic = Diagnostic::decode(field.bytes()?).map_err(|_| SchemaError::Broken)?;
                    reports.push(diagnostic.into());
                    continue;
                }
                5 => {
                    provider_meta = Some(Arc::new(decode::schema(field.bytes()?, protocol)?));
                    continue;
                }
                6 => {
                    capabilities = decode::capabilities(field.bytes()?)?;
                    continue;
                }
                7 => {
                    let (name, value) = entry(field.bytes()?)?;
                    functions.insert(name, within(&raw, value));
                    continue;
                }
                2 => Kind::Resource,
                3 => Kind::DataSource,
                8 => Kind::Ephemeral,
                9 => Kind::List,
                11 => Kind::Action,
                _ => continue,
            };
            let (name, value) = entry(field.bytes()?)?;
            let value = if kind == Kind::Action { action(value)? } else { value };
            entries.entry(kind).or_default().insert(name, within(&raw, value));
        }
        let provider = Arc::new(provider);
        let decoded = Mutex::default();
        Ok(Self { protocol, raw, provider, provider_meta, capabilities, entries, functions, reports, decoded })
    }

    /// The answer as received.
    pub fn raw(&self) -> &Bytes {
        &self.raw
    }

    /// The protocol of the answer.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The provider's own configuration.
    pub fn provider(&self) -> &Arc<Schema> {
        &self.provider
    }

    /// The schema of a module's metadata for the provider.
    pub fn provider_meta(&self) -> Option<&Arc<Schema>> {
        self.provider_meta.as_ref()
    }

    /// The provider's capabilities.
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// The diagnostics that came with the schemas.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// The names of all entries of a kind, in order.
    pub fn names(&self, kind: Kind) -> impl Iterator<Item = &Arc<str>> {
        self.entries.get(&kind).into_iter().flat_map(BTreeMap::keys)
    }

    /// The names of all functions, in order.
    pub fn function_names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.functions.keys()
    }

    /// The schema of an entry, decoded on first use and kept; `None` if there is no such entry.
    pub fn get(&self, kind: Kind, name: &str) -> Result<Option<Arc<Schema>>, SchemaError> {
        let Some((name, range)) = self.entries.get(&kind).and_then(|entries| entries.get_key_value(name)) else {
            return Ok(None);
        };
        let key = (kind, Arc::clone(name));
        if let Some(schema) = self.decoded.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Some(Arc::clone(schema)));
        }
        let schema = Arc::new(decode::schema(self.part(range), self.protocol)?);
        self.decoded.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&schema));
        Ok(Some(schema))
    }

    /// The schema of an entry, not kept: for a walk over all of them.
    pub fn peek(&self, kind: Kind, name: &str) -> Result<Option<Schema>, SchemaError> {
        let range = self.entries.get(&kind).and_then(|entries| entries.get(name));
        range.map(|range| decode::schema(self.part(range), self.protocol)).transpose()
    }

    /// A function; `None` if there is no such function.
    pub fn function(&self, name: &str) -> Result<Option<Function>, SchemaError> {
        self.functions.get(name).map(|range| decode::function(self.part(range))).transpose()
    }

    fn part(&self, range: &Range<usize>) -> &[u8] {
        self.raw.get(range.clone()).unwrap_or_default()
    }
}

impl std::fmt::Debug for Schemas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Schemas")
            .field("protocol", &self.protocol)
            .field("bytes", &self.raw.len())
            .finish_non_exhaustive()
    }
}

/// An entry of a map: key and value.
fn entry(message: &[u8]) -> Result<(Arc<str>, &[u8]), SchemaError> {
    let (mut name, mut value) = ("", &message[..0]);
    let mut reader = Reader::new(message);
    while let Some((number, field)) = reader.next()? {
        match number {
            1 => name = field.text()?,
            2 => value = field.bytes()?,
            _ => {}
        }
    }
    Ok((Arc::from(name), value))
}

/// An action's schema is nested one message deeper.
fn action(message: &[u8]) -> Result<&[u8], SchemaError> {
    let mut reader = Reader::new(message);
    while let Some((number, field)) = reader.next()? {
        if number == 1 {
            return field.bytes();
        }
    }
    Ok(&message[..0])
}

/// The position of a part in the whole.
fn within(whole: &[u8], part: &[u8]) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    if part.is_empty() { 0..0 } else { start..start + part.len() }
}
