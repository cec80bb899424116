//! In which order entries are deleted: each when everything that depends on it is gone.
//!
//! What exists only within another (`deletedWith`) needs no call: it goes with that one, as its passenger, and leaves the state
//! in the same record. Pulumi forgets it first and deletes the other one after; if that fails or the run dies in between, it
//! exists and nobody knows of it any more.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use outrigger_state::{EntryKey, Resource};

use crate::StepOp;
use crate::decisions::Leftover;
use crate::graph::Graph;

/// A deletion whose turn has come.
pub(crate) struct Departure {
    pub(crate) key: EntryKey,
    /// What ceases to exist with it.
    pub(crate) passengers: Vec<EntryKey>,
}

/// Says whose turn it is. Pure: it is told what is gone, and answers what may go next.
pub(crate) struct DeletionOrder {
    /// How many entries must be gone, or be passengers of the same one, before an entry's turn comes.
    waiting: BTreeMap<EntryKey, usize>,
    dependencies: BTreeMap<EntryKey, Vec<EntryKey>>,
    /// Passengers, with what they go with.
    with: BTreeMap<EntryKey, EntryKey>,
    /// Passengers whose turn has come, by what they go with.
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
        // Old generations may have needed each other the other way round: a possible dependency gives way to a certain one.
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

    /// What may go at once. Later entries first: a stable order for equal states.
    pub(crate) fn first(&mut self) -> Vec<Departure> {
        let free = self.waiting.iter().filter(|(_, count)| **count == 0).map(|(key, _)| *key).rev().collect();
        self.turns(free)
    }

    /// An entry and its passengers are gone: what may go next.
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

    /// A passenger whose turn has come goes aboard, which lets its carrier and its fellow passengers go on; anything else leaves.
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

/// Whether deleting an entry asks its provider.
pub(crate) fn is_called(old: &Resource, op: StepOp) -> bool {
    old.custom && !old.is_provider() && !old.external && !old.retain_on_delete && op != StepOp::RemovePendingReplace
}

/// Who goes with whom: each passenger with the one at the end of its chain, which is really deleted.
///
/// Only the one entry of the partner's name counts: of several, nobody can tell which one it is in. A partner that is kept in
/// the cloud takes nothing with it. And a passenger cannot wait for a carrier that itself waits for something that the passenger
/// still needs; then it is deleted by a call of its own.
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
    /// Lets a passenger go with its partner, or with what that goes with, unless the group would then wait for itself.
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

    /// Whether a way leads out of these entries over others and back in.
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
