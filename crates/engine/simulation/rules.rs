//! The rules that must hold between the state, the cloud and the program after a run.

use std::collections::{BTreeMap, BTreeSet};

use outrigger_provider::Goal;
use outrigger_state::OperationKind;
use outrigger_value::Urn;

use super::cloud::in_clear;
use super::world::Inner;

impl Inner {
    /// The state and the cloud agree, or a record explains the difference.
    pub(crate) fn check_agreement(&mut self) {
        let mut found: Vec<String> = self
            .strays()
            .into_iter()
            .map(|(id, urn)| format!("{id} ({urn}) exists and the state does not know it"))
            .collect();
        for entry in self.shadow.entries.values() {
            let Some(id) = entry.id.as_ref().filter(|_| entry.custom && !entry.is_provider()) else { continue };
            let gone = !self.cloud.objects.contains_key(id);
            let excused = self.cloud.excused.contains(id) || entry.pending_replacement || self.is_being_deleted(id);
            if gone && !excused {
                found.push(format!("{id} ({}) is in the state and does not exist", entry.urn));
            }
        }
        for what in found {
            self.violated("agreement", what);
        }
    }

    /// Whether a deletion of it is pending, under any of its names.
    fn is_being_deleted(&self, id: &str) -> bool {
        let mut deletions =
            self.shadow.operations.values().filter(|operation| operation.kind == OperationKind::Deleting);
        deletions.any(|operation| operation.resource.id.as_deref() == Some(id))
    }

    /// Objects that are neither in the state, nor covered by an unfinished creation (one each), nor retained on purpose.
    fn strays(&self) -> Vec<(String, Urn)> {
        let mut creating: Vec<_> =
            self.shadow.operations.values().filter(|operation| operation.kind == OperationKind::Creating).collect();
        let mut strays = Vec::new();
        for (id, object) in &self.cloud.objects {
            let known = self.shadow.by_id(id).is_some_and(|entry| !entry.pending_replacement);
            if known || self.cloud.foreign.contains(id) || self.cloud.released.contains(id) {
                continue;
            }
            let cover = creating.iter().position(|operation| {
                operation.resource.urn == object.urn && in_clear(&operation.resource.inputs) == object.inputs
            });
            match cover {
                Some(index) => drop(creating.remove(index)),
                None => strays.push((id.clone(), object.urn.clone())),
            }
        }
        strays
    }

    /// After a complete refresh, no entry of the state is missing from the cloud.
    pub(crate) fn check_refreshed(&mut self) {
        let gone: Vec<String> = self
            .shadow
            .entries
            .values()
            .filter(|entry| entry.custom && !entry.is_provider() && !entry.pending_replacement)
            .filter(|entry| entry.id.as_ref().is_some_and(|id| !self.cloud.objects.contains_key(id)))
            .map(|entry| entry.urn.to_string())
            .collect();
        for urn in gone {
            self.violated("refresh", format!("{urn} was refreshed, does not exist, and is still in the state"));
        }
    }

    /// After a success, the state and the cloud match the program.
    pub(crate) fn check_goals(&mut self, goals: &BTreeMap<Urn, Goal>) {
        let mut found = Vec::new();
        for (urn, goal) in goals {
            let Some(entry) = self.shadow.live(urn) else {
                found.push(format!("{urn} was registered and is not in the state"));
                continue;
            };
            if entry.pending_replacement {
                found.push(format!("{urn} still waits to be replaced"));
            }
            let external = entry.external || goal.inputs.is_empty();
            let mut wanted = in_clear(&goal.inputs);
            let mut stored = in_clear(&entry.inputs);
            if !goal.ignore_changes.is_empty() {
                wanted.remove("size");
                stored.remove("size");
            }
            if entry.is_provider() {
                stored.remove("__internal");
                stored.remove("version");
            }
            if !external && wanted != stored {
                found.push(format!("{urn} has the inputs {stored:?} and not {wanted:?}"));
            }
            if !external && entry.dependencies != goal.dependencies {
                found.push(format!(
                    "{urn} has the dependencies {:?} and not {:?}",
                    entry.dependencies, goal.dependencies
                ));
            }
            let object = entry.id.as_ref().and_then(|id| self.cloud.objects.get(id));
            let drifted = entry.id.as_ref().is_some_and(|id| self.cloud.drifted.contains(id));
            if let Some(object) = object.filter(|_| !external && !drifted)
                && object.inputs != in_clear(&entry.inputs)
            {
                found.push(format!("{urn} is {:?} in the cloud", object.inputs));
            }
        }
        let used: BTreeSet<&Urn> =
            self.shadow.entries.values().filter_map(|entry| entry.provider.as_ref()).map(|p| &p.urn).collect();
        for entry in self.shadow.entries.values() {
            if entry.delete {
                found.push(format!("{} ({:?}) still waits for deletion", entry.urn, entry.id));
            } else if !goals.contains_key(&entry.urn) && !entry.urn.is_stack() && !used.contains(&entry.urn) {
                // A function call may have needed a default provider that nothing else uses.
                if !entry.is_provider() {
                    found.push(format!("{} was not registered and is in the state", entry.urn));
                }
            }
        }
        if !self.shadow.entries.values().any(|entry| entry.urn.is_stack()) {
            found.push("the root stack is not in the state".to_owned());
        }
        for what in found {
            self.violated("goals", what);
        }
    }

    /// After a destroy, only retained objects are left.
    pub(crate) fn check_empty(&mut self) {
        let entries: Vec<String> = self.shadow.entries.values().map(|entry| entry.urn.to_string()).collect();
        if !entries.is_empty() {
            self.violated("destroy", format!("the state still has {}", entries.join(", ")));
        }
        let objects: Vec<String> = self.strays().into_iter().map(|(id, _)| id).collect();
        if !objects.is_empty() {
            self.violated("destroy", format!("the cloud still has {}", objects.join(", ")));
        }
    }
}
