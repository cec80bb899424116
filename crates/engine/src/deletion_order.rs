//! The order in which entries are deleted: each one after everything that depends on it.
//!
//! A resource that exists only within another (`deletedWith`) needs no call: it goes with its carrier, as a passenger, and leaves the
//! state in the same record. Pulumi forgets the passenger first and deletes the carrier afterwards; if that fails or the run dies in
//! between, the passenger exists and no stack knows of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use outrigger_state::{EntryKey, Resource};

use crate::StepOp;
use crate::decisions::Leftover;
use crate::graph::Graph;

/// A deletion whose turn has come.
pub(crate) struct Departure {
    pub(crate) key: EntryKey,
    /// Entries that are deleted with it.
    pub(crate) passengers: Vec<EntryKey>,
}

/// Decides which deletions may start. Pure: the caller reports finished deletions and gets those that may go next.
pub(crate) struct DeletionOrder {
    /// How many entries must be gone, or be passengers of the same one, before an entry's turn comes.
    waiting: BTreeMap<EntryKey, usize>,
    dependencies: BTreeMap<EntryKey, Vec<EntryKey>>,
    /// Passengers and their carriers.
    with: BTreeMap<EntryKey, EntryKey>,
    /// Passengers whose turn has come, by carrier.
    aboard: BTreeMap<EntryKey, Vec<EntryKey>>,
}

impl DeletionOrder {
    pub(crate) fn new(graph: &Graph, condemned: &[(EntryKey, Arc<Resource>, Leftover)]) -> Self {
        let mut waiting: BTreeMap<EntryKey, usize> = condemned.iter().map(|(key, ..)| (*key, 0)).collect();
        let mut dependencies: BTreeMap<EntryKey, Vec<EntryKey>> = BTreeMap::new();
        for (key, ..) in condemned {
            let own: Vec<EntryKey> =
                graph.dependencies(*key).into_iter().filter(|dependency| waiting.contains_key(dependency)).collect();
            for dependency in &own {
                *waiting.entry(*dependency).or_default() += 1;
            }
            dependencies.insert(*key, own);
        }
        // Old generations may have needed each other the other way round: a possible dependency yields to a certain one.
        for (key, ..) in condemned {
            for possible in graph.possible_dependencies(*key) {
                if waiting.contains_key(&possible) && !reaches(possible, *key, &dependencies) {
                    *waiting.entry(possible).or_default() += 1;
                    dependencies.entry(*key).or_default().push(possible);
                }
            }
        }
        let with = passengers(graph, condemned, &dependencies);
        Self { waiting, dependencies, with, aboard: BTreeMap::new() }
    }

    /// The deletions that can start at once, later entries first: a stable order for equal states.
    pub(crate) fn first(&mut self) -> Vec<Departure> {
        let free = self.waiting.iter().filter(|(_, count)| **count == 0).map(|(key, _)| *key).rev().collect();
        self.turns(free)
    }

    /// Records that an entry and its passengers are gone, and returns the deletions that can start now.
    pub(crate) fn gone(&mut self, key: EntryKey) -> Vec<Departure> {
        let mut free = Vec::new();
        let passengers = self.with.iter().filter(|(_, carrier)| **carrier == key).map(|(passenger, _)| *passenger);
        for gone in std::iter::once(key).chain(passengers.collect::<Vec<_>>()) {
            for dependency in self.dependencies.remove(&gone).unwrap_or_default() {
                self.release(dependency, &mut free);
            }
        }
        self.turns(free)
    }

    fn release(&mut self, dependency: EntryKey, free: &mut Vec<EntryKey>) {
        if let Some(count) = self.waiting.get_mut(&dependency) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                free.push(dependency);
            }
        }
    }

    /// A passenger whose turn has come goes aboard, which unblocks its carrier and fellow passengers; any other entry departs.
    fn turns(&mut self, mut free: Vec<EntryKey>) -> Vec<Departure> {
        free.reverse();
        let mut departures = Vec::new();
        while let Some(key) = free.pop() {
            let Some(carrier) = self.with.get(&key).copied() else {
                let passengers = self.aboard.remove(&key).unwrap_or_default();
                departures.push(Departure { key, passengers });
                continue;
            };
            self.aboard.entry(carrier).or_default().push(key);
            let own = self.dependencies.remove(&key).unwrap_or_default();
            let (fellows, others): (Vec<_>, Vec<_>) =
                own.into_iter().partition(|other| *other == carrier || self.with.get(other) == Some(&carrier));
            self.dependencies.insert(key, others);
            for fellow in fellows {
                self.release(fellow, &mut free);
            }
        }
        departures
    }
}

/// Whether deleting an entry calls its provider.
pub(crate) fn is_called(old: &Resource, op: StepOp) -> bool {
    old.custom && !old.is_provider() && !old.external && !old.retain_on_delete && op != StepOp::RemovePendingReplace
}

/// Assigns passengers to carriers: each to the end of its chain, which is really deleted.
///
/// The partner's name must belong to one entry only; with several, the carrier is ambiguous. A partner that is retained in the cloud takes
/// no passengers. And a passenger cannot wait for a carrier that itself waits for something that the passenger still needs; it is then
/// deleted by a call of its own.
fn passengers(
    graph: &Graph,
    condemned: &[(EntryKey, Arc<Resource>, Leftover)],
    dependencies: &BTreeMap<EntryKey, Vec<EntryKey>>,
) -> BTreeMap<EntryKey, EntryKey> {
    let deleted: BTreeSet<EntryKey> =
        condemned.iter().filter(|(_, old, fate)| is_called(old, fate.op())).map(|(key, ..)| *key).collect();
    let mut groups = Groups { with: BTreeMap::new(), members: BTreeMap::new(), dependencies };
    for (key, old, fate) in condemned {
        let partner = old.deleted_with.as_ref().and_then(|urn| graph.only(urn));
        let protected = old.protect && *fate == Leftover::Delete;
        if let Some(partner) = partner.filter(|partner| partner != key && deleted.contains(partner))
            && deleted.contains(key)
            && !protected
        {
            groups.join(*key, partner);
        }
    }
    groups.with
}

/// Entries that leave the state together: a carrier and its passengers.
struct Groups<'a> {
    with: BTreeMap<EntryKey, EntryKey>,
    members: BTreeMap<EntryKey, Vec<EntryKey>>,
    dependencies: &'a BTreeMap<EntryKey, Vec<EntryKey>>,
}

impl Groups<'_> {
    /// Adds a passenger to its partner's group, unless the group would then wait for itself.
    fn join(&mut self, passenger: EntryKey, partner: EntryKey) {
        let carrier = self.with.get(&partner).copied().unwrap_or(partner);
        let own = self.group(passenger);
        if own.contains(&carrier) {
            return;
        }
        let together: BTreeSet<EntryKey> = self.group(carrier).into_iter().chain(own.iter().copied()).collect();
        if self.waits_for_itself(&together) {
            return;
        }
        self.members.remove(&passenger);
        for member in own {
            self.with.insert(member, carrier);
        }
        self.members.insert(carrier, together.into_iter().collect());
    }

    fn group(&self, key: EntryKey) -> Vec<EntryKey> {
        let carrier = self.with.get(&key).unwrap_or(&key);
        self.members.get(carrier).cloned().unwrap_or_else(|| vec![key])
    }

    /// Whether a path of dependencies leads out of these entries over others and back in.
    fn waits_for_itself(&self, together: &BTreeSet<EntryKey>) -> bool {
        let next = |key: &EntryKey| self.dependencies.get(key).into_iter().flatten().copied();
        let mut open: Vec<EntryKey> = together.iter().flat_map(next).filter(|key| !together.contains(key)).collect();
        let mut seen = BTreeSet::new();
        while let Some(key) = open.pop() {
            if together.contains(&key) {
                return true;
            }
            if seen.insert(key) {
                open.extend(self.group(key).iter().flat_map(next));
            }
        }
        false
    }
}

fn reaches(from: EntryKey, to: EntryKey, dependencies: &BTreeMap<EntryKey, Vec<EntryKey>>) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(key) = open.pop() {
        if key == to {
            return true;
        }
        if seen.insert(key) {
            open.extend(dependencies.get(&key).into_iter().flatten());
        }
    }
    false
}
