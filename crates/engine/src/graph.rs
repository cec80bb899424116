//! Who depends on whom in the state that the run began with.
//!
//! The base snapshot is ordered: an entry comes after everything that it refers to. So an edge always points to an earlier
//! entry, and the graph has no cycles, whatever the program does now.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use outrigger_state::{EntryKey, Resource};
use outrigger_value::Urn;

pub(crate) struct Graph {
    resources: Vec<Arc<Resource>>,
    by_urn: HashMap<Urn, Vec<usize>>,
    children: HashMap<Urn, Vec<usize>>,
}

impl Graph {
    pub(crate) fn new(resources: &[Arc<Resource>]) -> Self {
        let mut by_urn: HashMap<Urn, Vec<usize>> = HashMap::new();
        let mut children: HashMap<Urn, Vec<usize>> = HashMap::new();
        for (index, resource) in resources.iter().enumerate() {
            by_urn.entry(resource.urn.clone()).or_default().push(index);
            if let Some(parent) = &resource.parent {
                children.entry(parent.clone()).or_default().push(index);
            }
        }
        Self { resources: resources.to_vec(), by_urn, children }
    }

    /// The entries that must still be there while `key` is: provider, parent, dependencies, and the children of a component that
    /// it depends on. Later entries first, so that equal states are deleted in equal order.
    pub(crate) fn dependencies(&self, key: EntryKey) -> Vec<EntryKey> {
        let Some(resource) = self.resources.get(key.0 as usize) else { return Vec::new() };
        let own = key.0 as usize;
        let mut found = BTreeSet::new();
        let earlier = |urn: &Urn| self.by_urn.get(urn).into_iter().flatten().copied().filter(move |index| *index < own);
        for urn in resource.references() {
            let is_parent_only = resource.parent.as_ref() == Some(urn) && !resource.dependencies.contains(urn);
            for index in earlier(urn) {
                found.insert(index);
                // A dependency on a component is one on everything inside it.
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

    /// Old halves of replacements that stand after `key` and have a name that it refers to. It may have been made with one of
    /// them: a run that ended between the replacement and the dependents' updates leaves that behind, and the state says names
    /// only.
    pub(crate) fn possible_dependencies(&self, key: EntryKey) -> Vec<EntryKey> {
        let own = key.0 as usize;
        let Some(resource) = self.resources.get(own) else { return Vec::new() };
        let later = resource.references().filter_map(|urn| self.by_urn.get(urn)).flatten();
        let old = |index: &&usize| **index > own && self.resources.get(**index).is_some_and(|other| other.delete);
        later.filter(old).map(|index| EntryKey(*index as u64)).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The entry of that name, if there is only one.
    pub(crate) fn only(&self, urn: &Urn) -> Option<EntryKey> {
        match self.by_urn.get(urn)?.as_slice() {
            [index] => Some(EntryKey(*index as u64)),
            _ => None,
        }
    }

    /// Everything that depends on `root`, directly or not, in the base's order. Children count only when asked for, and what
    /// `ignore` names does not count.
    pub(crate) fn dependents(
        &self,
        root: EntryKey,
        include_children: bool,
        ignore: impl Fn(EntryKey, &Urn) -> bool,
    ) -> Vec<(EntryKey, Arc<Resource>)> {
        let root = root.0 as usize;
        let Some(resource) = self.resources.get(root) else { return Vec::new() };
        let mut set = HashSet::from([resource.urn.clone()]);
        let mut found = Vec::new();
        for (index, candidate) in self.resources.iter().enumerate().skip(root + 1) {
            if ignore(EntryKey(index as u64), &candidate.urn) {
                continue;
            }
            let depends = candidate.dependencies.iter().any(|urn| set.contains(urn))
                || candidate.property_dependencies.values().flatten().any(|urn| set.contains(urn))
                || candidate.deleted_with.iter().chain(&candidate.replace_with).any(|urn| set.contains(urn))
                || candidate.provider.as_ref().is_some_and(|provider| set.contains(&provider.urn))
                || include_children && candidate.parent.as_ref().is_some_and(|parent| set.contains(parent));
            if depends {
                set.insert(candidate.urn.clone());
                found.push((EntryKey(index as u64), candidate.clone()));
            }
        }
        found
    }
}
