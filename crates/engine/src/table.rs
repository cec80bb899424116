//! The entries of the state during a run, by key and by name.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use outrigger_state::{EntryKey, OperationId, Resource, Snapshot};
use outrigger_value::Urn;

/// Changed entries, in the form that the journal takes.
pub(crate) type Puts = Vec<(EntryKey, Arc<Resource>)>;

/// Invariant: `live` names, for each URN, the one entry that is not awaiting deletion.
pub(crate) struct Table {
    entries: BTreeMap<EntryKey, Arc<Resource>>,
    live: HashMap<Urn, EntryKey>,
    /// The entries of the base that refer to a name, or await deletion under it; computed at the first rename or removal.
    referrers: Option<HashMap<Urn, Vec<EntryKey>>>,
    next_entry: u64,
    next_operation: u64,
}

impl Table {
    pub(crate) fn new(base: &Snapshot) -> Self {
        let entries: BTreeMap<_, _> = (0..).map(EntryKey).zip(base.resources.iter().cloned()).collect();
        let live = entries.iter().filter(|(_, r)| !r.delete).map(|(key, r)| (r.urn.clone(), *key)).collect();
        Self {
            next_entry: entries.len() as u64,
            next_operation: base.pending.len() as u64,
            entries,
            live,
            referrers: None,
        }
    }

    pub(crate) fn new_entry(&mut self) -> EntryKey {
        self.next_entry += 1;
        EntryKey(self.next_entry - 1)
    }

    pub(crate) fn new_operation(&mut self) -> OperationId {
        self.next_operation += 1;
        OperationId(self.next_operation - 1)
    }

    pub(crate) fn get(&self, key: EntryKey) -> Option<&Arc<Resource>> {
        self.entries.get(&key)
    }

    /// The entry of that name that is not awaiting deletion.
    pub(crate) fn live(&self, urn: &Urn) -> Option<(EntryKey, &Arc<Resource>)> {
        let key = *self.live.get(urn)?;
        Some((key, self.entries.get(&key)?))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (EntryKey, &Arc<Resource>)> {
        self.entries.iter().map(|(key, resource)| (*key, resource))
    }

    pub(crate) fn put(&mut self, key: EntryKey, resource: Arc<Resource>) {
        if let Some(old) = self.entries.get(&key)
            && self.live.get(&old.urn) == Some(&key)
        {
            self.live.remove(&old.urn);
        }
        if !resource.delete {
            self.live.insert(resource.urn.clone(), key);
        }
        self.entries.insert(key, resource);
    }

    pub(crate) fn remove(&mut self, key: EntryKey) {
        if let Some(old) = self.entries.remove(&key)
            && self.live.get(&old.urn) == Some(&key)
        {
            self.live.remove(&old.urn);
        }
    }

    fn referrers(&mut self, urn: &Urn) -> Vec<EntryKey> {
        let index = self.referrers.get_or_insert_with(|| {
            let mut index: HashMap<Urn, Vec<EntryKey>> = HashMap::new();
            for (key, resource) in &self.entries {
                let provider = resource.provider.as_ref().map(|provider| &provider.urn);
                let own = resource.delete.then_some(&resource.urn);
                for name in resource.references().chain(provider).chain(own) {
                    let keys = index.entry(name.clone()).or_default();
                    if keys.last() != Some(key) {
                        keys.push(*key);
                    }
                }
            }
            index
        });
        index.get(urn).cloned().unwrap_or_default()
    }

    /// Redirects every reference from `from` to `to`, and returns the changed entries. Entries made in this run refer to the new name
    /// already, so the index of the base is enough. Old halves get the new name too: a provider is referred to by name and id, and may be
    /// one of them.
    pub(crate) fn rename_references(&mut self, from: &Urn, to: &Urn) -> Puts {
        let mut puts = Puts::new();
        for key in self.referrers(from) {
            let Some(old) = self.entries.get(&key) else { continue };
            let mut new = Resource::clone(old);
            let swap = |urn: &mut Urn| {
                if urn == from {
                    *urn = to.clone();
                }
            };
            if new.delete {
                swap(&mut new.urn);
            }
            new.parent.iter_mut().for_each(swap);
            new.dependencies.iter_mut().for_each(swap);
            new.property_dependencies.values_mut().flatten().for_each(swap);
            new.deleted_with.iter_mut().for_each(swap);
            new.replace_with.iter_mut().for_each(swap);
            if let Some(provider) = &mut new.provider {
                swap(&mut provider.urn);
            }
            if new != **old {
                let new = Arc::new(new);
                self.put(key, new.clone());
                puts.push((key, new));
            }
        }
        if let Some(index) = &mut self.referrers
            && let Some(keys) = index.remove(from)
        {
            index.entry(to.clone()).or_default().extend(keys);
        }
        puts
    }

    /// Removes a name that no longer exists from everything that refers to it; children move to `parent`, the removed entry's own.
    pub(crate) fn drop_references(&mut self, gone: &Urn, parent: Option<&Urn>) -> Puts {
        let mut puts = Puts::new();
        for key in self.referrers(gone) {
            let Some(old) = self.entries.get(&key) else { continue };
            let mut new = Resource::clone(old);
            if new.parent.as_ref() == Some(gone) {
                new.parent = parent.cloned();
            }
            new.dependencies.retain(|urn| urn != gone);
            for urns in new.property_dependencies.values_mut() {
                urns.retain(|urn| urn != gone);
            }
            if new.deleted_with.as_ref() == Some(gone) {
                new.deleted_with = None;
            }
            new.replace_with.retain(|urn| urn != gone);
            if new != **old {
                let new = Arc::new(new);
                self.put(key, new.clone());
                puts.push((key, new));
            }
        }
        puts
    }
}
