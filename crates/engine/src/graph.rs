//! The dependency graph of the state that the run began with.
//!
//! The base snapshot is ordered: an entry comes after everything that it refers to. So an edge always points to an earlier
//! entry, and the graph has no cycles, whatever the program does now.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use outrigger_state::{EntryKey, OperationKind, PendingOperation, Resource};
use outrigger_value::Urn;

pub(crate) struct Graph {
    resources: Vec<Arc<Resource>>,
    by_urn: HashMap<Urn, Vec<usize>>,
    children: HashMap<Urn, Vec<usize>>,
    /// The entries that refer to a name other than as its child.
    referrers: HashMap<Urn, Vec<usize>>,
    /// Dependencies that interrupted updates of unknown result would have added.
    half_updated: HashMap<Urn, Arc<Resource>>,
}

impl Graph {
    pub(crate) fn new(resources: &[Arc<Resource>], pending: &[PendingOperation]) -> Self {
        let mut by_urn: HashMap<Urn, Vec<usize>> = HashMap::new();
        let mut children: HashMap<Urn, Vec<usize>> = HashMap::new();
        let mut referrers: HashMap<Urn, Vec<usize>> = HashMap::new();
        for (index, resource) in resources.iter().enumerate() {
            by_urn.entry(resource.urn.clone()).or_default().push(index);
            if let Some(parent) = &resource.parent {
                children.entry(parent.clone()).or_default().push(index);
            }
            for urn in needed(resource).collect::<HashSet<_>>() {
                referrers.entry(urn.clone()).or_default().push(index);
            }
        }
        let updates = pending.iter().filter(|operation| operation.kind == OperationKind::Updating);
        let half_updated =
            updates.map(|operation| (operation.resource.urn.clone(), operation.resource.clone())).collect();
        Self { resources: resources.to_vec(), by_urn, children, referrers, half_updated }
    }

    /// The entries that must outlive `key`: provider, parent, dependencies, and the children of a component that it depends on.
    /// Later entries first, so that equal states are deleted in equal order.
    pub(crate) fn dependencies(&self, key: EntryKey) -> Vec<EntryKey> {
        let Some(resource) = self.resources.get(key.0 as usize) else { return Vec::new() };
        let own = key.0 as usize;
        let mut found = BTreeSet::new();
        let earlier = |urn: &Urn| self.by_urn.get(urn).into_iter().flatten().copied().filter(move |index| *index < own);
        for urn in resource.references() {
            let is_parent_only = resource.parent.as_ref() == Some(urn) && !resource.dependencies.contains(urn);
            for index in earlier(urn) {
                found.insert(index);
                // A dependency on a component is a dependency on everything inside it.
                if !is_parent_only && !self.resources[index].custom {
                    found.extend(self.children.get(urn).into_iter().flatten().copied().filter(|child| *child < own));
                }
            }
        }
        if let Some(provider) = &resource.provider {
            found.extend(
                earlier(&provider.urn)
                    .filter(|index| self.resources[*index].id.as_deref() == Some(provider.id.as_str())),
            );
        }
        found.into_iter().rev().map(|index| EntryKey(index as u64)).collect()
    }

    /// Entries that `key` may depend on although the base's order does not show it.
    ///
    /// First, later old halves of replacements whose name it refers to: a run that ended between the replacement and the dependents'
    /// updates leaves such entries behind, and the state refers by name only. Second, the dependencies that an interrupted update would
    /// have added: the update may have happened.
    pub(crate) fn possible_dependencies(&self, key: EntryKey) -> Vec<EntryKey> {
        let own = key.0 as usize;
        let Some(resource) = self.resources.get(own) else { return Vec::new() };
        let later = resource.references().filter_map(|urn| self.by_urn.get(urn)).flatten();
        let old = |index: &&usize| **index > own && self.resources.get(**index).is_some_and(|other| other.delete);
        let later = later.filter(old);
        let update = self.half_updated.get(&resource.urn).filter(|_| !resource.delete);
        let wanted =
            update.into_iter().flat_map(|update| needed(update)).filter_map(|urn| self.by_urn.get(urn)).flatten();
        let wanted = wanted.filter(|index| **index != own);
        later.chain(wanted).map(|index| EntryKey(*index as u64)).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The entry of that name, if there is only one.
    pub(crate) fn only(&self, urn: &Urn) -> Option<EntryKey> {
        match self.by_urn.get(urn)?.as_slice() {
            [index] => Some(EntryKey(*index as u64)),
            _ => None,
        }
    }

    /// Everything that depends on `root`, directly or not, in the base's order. Children count only on request, and entries that `ignore`
    /// names do not count.
    pub(crate) fn dependents(
        &self,
        root: EntryKey,
        include_children: bool,
        ignore: impl Fn(EntryKey, &Urn) -> bool,
    ) -> Vec<(EntryKey, Arc<Resource>)> {
        let mut found = Vec::new();
        let mut waiting = BTreeSet::new();
        // Later entries only: an entry that precedes the one it names must mean an earlier entry of that name.
        let follow = |waiting: &mut BTreeSet<usize>, index: usize| {
            let Some(resource) = self.resources.get(index) else { return };
            let children = self.children.get(&resource.urn).filter(|_| include_children);
            let users = self.referrers.get(&resource.urn).into_iter().chain(children).flatten();
            waiting.extend(users.copied().filter(|user| *user > index));
        };
        follow(&mut waiting, root.0 as usize);
        while let Some(index) = waiting.pop_first() {
            let (key, candidate) = (EntryKey(index as u64), &self.resources[index]);
            if !ignore(key, &candidate.urn) {
                follow(&mut waiting, index);
                found.push((key, candidate.clone()));
            }
        }
        found
    }
}

/// The names that an entry needs, other than its parent's.
fn needed(resource: &Resource) -> impl Iterator<Item = &Urn> {
    let properties = resource.property_dependencies.values().flatten();
    let options = resource.deleted_with.iter().chain(&resource.replace_with);
    let provider = resource.provider.iter().map(|provider| &provider.urn);
    resource.dependencies.iter().chain(properties).chain(options).chain(provider)
}
