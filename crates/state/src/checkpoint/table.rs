//! The state during a run: every entry's text, and the data that ordering needs. Needs no key.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;

use crate::checkpoint::alias;
use crate::checkpoint::entry::write_entry;
use crate::checkpoint::integrity::{Violation, verify};
use crate::checkpoint::node::{Names, Node};
use crate::checkpoint::order::canonical;
use crate::checkpoint::property::Secrets;
use crate::checkpoint::{self, Checkpoint, Deployment, Document};
use crate::{EntryKey, OperationId, Snapshot};

/// A record of the journal with its resources as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TextRecord {
    pub(crate) end: Vec<OperationId>,
    pub(crate) remove: Vec<EntryKey>,
    pub(crate) put: Vec<(EntryKey, Arc<str>)>,
    pub(crate) begin: Vec<(OperationId, String, Arc<str>)>,
}

/// An entry.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) text: Arc<str>,
    pub(crate) node: Node,
}

/// A pending operation.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) kind: String,
    pub(crate) text: Arc<str>,
    pub(crate) node: Node,
}

/// All entries and operations, under the journal's keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// Boxed, because a node of the tree has room for eleven, and half of it stays empty when entries are appended.
    pub(crate) entries: BTreeMap<EntryKey, Box<Entry>>,
    pub(crate) operations: BTreeMap<OperationId, Operation>,
    pub(crate) secrets_provider: Option<String>,
    pub(crate) manifest: Option<String>,
    pub(crate) rest: BTreeMap<String, String>,
    pub(crate) names: Names,
}

/// A checkpoint, ready to be written.
pub(crate) struct Rendered {
    pub(crate) text: String,
    /// The entries in the file's order.
    pub(crate) entries: Vec<EntryKey>,
    /// The operations in the file's order.
    pub(crate) operations: Vec<OperationId>,
}

impl Table {
    /// The state of a checkpoint, numbered in its order.
    pub(crate) fn from_checkpoint(checkpoint: Checkpoint, file: &str) -> Result<Self, Diagnostic> {
        let deployment = checkpoint.deployment.unwrap_or_default();
        let mut table = Self {
            secrets_provider: deployment.secrets_provider,
            manifest: deployment.manifest,
            rest: deployment.rest,
            ..Self::default()
        };
        for (key, text) in (0..).map(EntryKey).zip(deployment.resources) {
            let node = table.node(&text).map_err(|_| checkpoint::not_an_entry(file))?;
            table.entries.insert(key, Box::new(Entry { text, node }));
        }
        for (id, (kind, text)) in (0..).map(OperationId).zip(deployment.operations) {
            let node = table.node(&text).map_err(|_| checkpoint::not_an_entry(file))?;
            table.operations.insert(id, Operation { kind, text, node });
        }
        verify(table.entries.values().map(|entry| &entry.node)).map_err(|violation| violation.on_read(file))?;
        Ok(table)
    }

    /// Parses an entry's names, storing each once.
    fn node(&mut self, text: &str) -> Result<Node, serde_json::Error> {
        let mut node = Node::parse(text)?;
        self.names.share(&mut node);
        Ok(node)
    }

    /// Applies a record: `end`, `remove`, `put`, `begin`. Texts that are not entries are left out; the writer makes none.
    pub(crate) fn apply(&mut self, record: TextRecord) {
        for id in record.end {
            self.operations.remove(&id);
        }
        for key in record.remove {
            self.entries.remove(&key);
        }
        for (key, text) in record.put {
            if let Ok(node) = self.node(&text) {
                self.entries.insert(key, Box::new(Entry { text, node }));
            }
        }
        for (id, kind, text) in record.begin {
            if let Ok(node) = self.node(&text) {
                self.operations.insert(id, Operation { kind, text, node });
            }
        }
    }

    /// Renumbers entries and operations from 0 in the given order.
    pub(crate) fn renumbered(&self, entries: &[EntryKey], operations: &[OperationId]) -> Self {
        let entry = |key| self.entries.get(key).cloned();
        let operation = |id| self.operations.get(id).cloned();
        Self {
            entries: (0..).map(EntryKey).zip(entries.iter().filter_map(entry)).collect(),
            operations: (0..).map(OperationId).zip(operations.iter().filter_map(operation)).collect(),
            secrets_provider: self.secrets_provider.clone(),
            manifest: self.manifest.clone(),
            rest: self.rest.clone(),
            names: self.names.clone(),
        }
    }

    /// Rewrites every entry with its secrets encrypted by another key. `snapshot` is this state, decoded.
    pub(crate) fn reencode(&mut self, snapshot: &Snapshot, crypter: &dyn Crypter) -> Result<(), Diagnostic> {
        let seal = Secrets::Sealed(crypter);
        for (entry, resource) in self.entries.values_mut().zip(&snapshot.resources) {
            entry.text = write_entry(resource, seal)?.into();
        }
        for (operation, pending) in self.operations.values_mut().zip(&snapshot.pending) {
            operation.text = write_entry(&pending.resource, seal)?.into();
        }
        Ok(())
    }

    /// The deployment in the order of the numbers, for decoding.
    pub(crate) fn deployment(&self) -> Deployment {
        Deployment {
            secrets_provider: self.secrets_provider.clone(),
            manifest: self.manifest.clone(),
            resources: self.entries.values().map(|entry| entry.text.clone()).collect(),
            operations: self.operations.values().map(|each| (each.kind.clone(), each.text.clone())).collect(),
            rest: self.rest.clone(),
        }
    }

    /// The checkpoint file for this state in canonical order, or the rule that it would violate.
    pub(crate) fn render(&mut self, stack: &str, time: Timestamp) -> Result<Rendered, Violation> {
        alias::settle(self);
        let keys: Vec<EntryKey> = self.entries.keys().copied().collect();
        let values: Vec<&Entry> = self.entries.values().map(Box::as_ref).collect();
        let nodes: Vec<&Node> = values.iter().map(|entry| &entry.node).collect();
        let order = canonical(&nodes);
        verify(order.iter().filter_map(|index| nodes.get(*index).copied()))?;
        let mut features: BTreeSet<&str> = nodes.iter().flat_map(|node| node.features()).collect();
        if self.rest.contains_key("snippets") {
            features.insert("snippets-prototype");
        }
        let features: Vec<&str> = features.into_iter().collect();
        let deployment = Deployment {
            secrets_provider: self.secrets_provider.clone(),
            manifest: self.manifest.clone(),
            resources: order.iter().filter_map(|index| values.get(*index)).map(|entry| entry.text.clone()).collect(),
            operations: self.operations.values().map(|each| (each.kind.clone(), each.text.clone())).collect(),
            rest: self.rest.clone(),
        };
        Ok(Rendered {
            text: checkpoint::write(Document::Checkpoint, stack, Some(time), &features, &deployment),
            entries: order.iter().filter_map(|index| keys.get(*index).copied()).collect(),
            operations: self.operations.keys().copied().collect(),
        })
    }
}
