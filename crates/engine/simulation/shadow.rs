//! The oracle's own copy of the state: the durable records, replayed by the journal's rules alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use outrigger_state::{EntryKey, OperationId, OperationKind, PendingOperation, Record, Resource, Snapshot};
use outrigger_value::Urn;

/// The durable state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shadow {
    pub(crate) entries: BTreeMap<EntryKey, Arc<Resource>>,
    pub(crate) operations: BTreeMap<OperationId, PendingOperation>,
}

impl Shadow {
    pub(crate) fn new(base: &Snapshot) -> Self {
        Self {
            entries: (0..).map(EntryKey).zip(base.resources.iter().cloned()).collect(),
            operations: (0..).map(OperationId).zip(base.pending.iter().cloned()).collect(),
        }
    }

    /// Applies a record.
    pub(crate) fn apply(&mut self, record: &Record) {
        for id in &record.end {
            self.operations.remove(id);
        }
        for key in &record.remove {
            self.entries.remove(key);
        }
        self.entries.extend(record.put.iter().cloned());
        self.operations.extend(record.begin.iter().cloned());
    }

    /// The entry of that name that is not awaiting deletion.
    pub(crate) fn live(&self, urn: &Urn) -> Option<&Arc<Resource>> {
        self.entries.values().find(|resource| resource.urn == *urn && !resource.delete)
    }

    /// The entry with that id.
    pub(crate) fn by_id(&self, id: &str) -> Option<&Arc<Resource>> {
        self.entries.values().find(|resource| resource.id.as_deref() == Some(id) && !resource.is_provider())
    }

    /// Whether this operation's intent is durable.
    pub(crate) fn intends(&self, kind: OperationKind, urn: &Urn) -> bool {
        self.operations.values().any(|operation| operation.kind == kind && operation.resource.urn == *urn)
    }

    /// Whether two states have the same content, in any order.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.difference(other).is_empty()
    }

    /// The differences between two states.
    pub(crate) fn difference(&self, other: &Self) -> String {
        let (one, other) = (self.under_new_names(), other.under_new_names());
        let mut unmatched: Vec<&Arc<Resource>> = other.entries.values().collect();
        let mut found = Vec::new();
        for entry in one.entries.values() {
            match unmatched.iter().position(|candidate| *candidate == entry) {
                Some(index) => drop(unmatched.remove(index)),
                None => found.push(format!("too much: {} {:?}", entry.urn, entry.id)),
            }
        }
        found.extend(unmatched.iter().map(|entry| format!("missing: {} {:?}", entry.urn, entry.id)));
        let mut operations: Vec<&PendingOperation> = other.operations.values().collect();
        for operation in one.operations.values() {
            match operations.iter().position(|candidate| alike(candidate, operation)) {
                Some(index) => drop(operations.remove(index)),
                None => found.push(format!("too much: {:?} {}", operation.kind, operation.resource.urn)),
            }
        }
        found.extend(operations.iter().map(|one| format!("missing: {:?} {}", one.kind, one.resource.urn)));
        found.join("; ")
    }

    /// The same state as a checkpoint has it: every renamed entry has its new name, and no reference has the old one.
    fn under_new_names(&self) -> Self {
        let names: BTreeMap<Urn, Urn> = self
            .entries
            .values()
            .flat_map(|entry| entry.aliases.iter().map(|alias| (alias.clone(), entry.urn.clone())))
            .collect();
        let fix = |resource: &Arc<Resource>| {
            let mut new = Resource::clone(resource);
            let swap = |urn: &mut Urn| {
                for _ in 0..names.len() {
                    match names.get(urn) {
                        Some(name) => *urn = name.clone(),
                        None => break,
                    }
                }
            };
            new.aliases.clear();
            std::iter::once(&mut new.urn).for_each(swap);
            new.parent.iter_mut().for_each(swap);
            new.dependencies.iter_mut().for_each(swap);
            new.property_dependencies.values_mut().flatten().for_each(swap);
            new.deleted_with.iter_mut().for_each(swap);
            new.replace_with.iter_mut().for_each(swap);
            new.provider.iter_mut().for_each(|provider| swap(&mut provider.urn));
            Arc::new(new)
        };
        let operation = |operation: &PendingOperation| PendingOperation {
            kind: operation.kind,
            resource: fix(&operation.resource),
        };
        Self {
            entries: self.entries.iter().map(|(key, entry)| (*key, fix(entry))).collect(),
            operations: self.operations.iter().map(|(id, one)| (*id, operation(one))).collect(),
        }
    }

    /// The state in an order that Pulumi accepts, or the rule that it breaks in every order.
    pub(crate) fn ordered(&self) -> Result<Snapshot, String> {
        let mut live = BTreeSet::new();
        for resource in self.entries.values() {
            if !resource.delete && !live.insert(&resource.urn) {
                return Err(format!("two live entries are named {}", resource.urn));
            }
            if !resource.custom && resource.id.is_some() {
                return Err(format!("component {} has an id", resource.urn));
            }
            if resource.custom && !resource.pending_replacement && resource.id.as_deref().unwrap_or_default().is_empty()
            {
                return Err(format!("{} has no id", resource.urn));
            }
        }
        let mut left: Vec<&Arc<Resource>> = self.entries.values().collect();
        // Live entries first, because a reference by name means them.
        left.sort_by_key(|resource| resource.delete);
        let mut placed = BTreeSet::new();
        let mut providers = BTreeSet::new();
        let mut resources = Vec::new();
        while !left.is_empty() {
            let ready = left.iter().position(|resource| {
                resource.references().all(|urn| placed.contains(urn))
                    && (resource.pending_replacement
                        || resource.provider.as_ref().is_none_or(|provider| {
                            providers.contains(&(provider.urn.clone(), Some(provider.id.clone())))
                        }))
            });
            let Some(ready) = ready else {
                let stuck = left.iter().map(|resource| explain(resource, &left)).collect::<Vec<_>>().join("; ");
                return Err(format!("no order of the entries is sound: {stuck}"));
            };
            let resource = left.remove(ready);
            placed.insert(resource.urn.clone());
            if resource.is_provider() {
                providers.insert((resource.urn.clone(), resource.id.clone()));
            }
            resources.push(resource.clone());
        }
        Ok(Snapshot { resources, pending: self.operations.values().cloned().collect(), ..Snapshot::default() })
    }
}

/// Whether two operations are the same apart from their names, which may be old ones.
fn alike(one: &PendingOperation, other: &PendingOperation) -> bool {
    let essence = |operation: &PendingOperation| {
        let resource = &operation.resource;
        (operation.kind, resource.ty().to_owned(), resource.id.clone(), resource.inputs.clone())
    };
    essence(one) == essence(other)
}

fn explain(resource: &Resource, left: &[&Arc<Resource>]) -> String {
    let missing: Vec<&str> = resource
        .references()
        .chain(resource.provider.as_ref().map(|provider| &provider.urn))
        .filter(|urn| !left.iter().any(|other| other.urn == **urn))
        .map(Urn::as_str)
        .collect();
    format!("{} (delete: {}) refers to {missing:?} or to what waits with it", resource.urn, resource.delete)
}
