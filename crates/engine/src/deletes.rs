//! Deletions: one by one for replacements, and in reverse order of dependency at the end.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::stream::{FuturesUnordered, StreamExt};
use outrigger_diagnostic::{Diagnostic, Severity};
use outrigger_provider::{Action, CallError, ErrorKind, Goal, RegisterError, State};
use outrigger_state::{EntryKey, OperationId, OperationKind, Record, Resource};
use outrigger_value::{ProviderReference, Urn};

use crate::decisions::{Leftover, Milestone};
use crate::deletion_order::{DeletionOrder, Departure, is_called};
use crate::deployment::Deployment;
use crate::operations::ended;
use crate::replace::protected;
use crate::steps::{Applied, Failure, came_of, state_of};
use crate::{Event, Step, StepOp, StepResult, changes};

/// Entries that are deleted with another, each with its own step.
type Passengers = Vec<(EntryKey, Arc<Resource>, StepOp)>;

impl Deployment {
    /// Deletes a resource that will be recreated; its entry stays, marked, until the new one exists. An entry that awaits deletion anyway
    /// is removed.
    pub(crate) async fn delete_to_replace(&self, key: EntryKey, old: &Arc<Resource>) -> Result<(), RegisterError> {
        if !old.pending_replacement {
            self.delete_entry(key, old, StepOp::DeleteReplaced, Passengers::new(), old.delete).await?;
        }
        self.reached(Milestone::Gone(key));
        Ok(())
    }

    /// Deletes, or forgets, one entry. `remove` takes it out of the state; otherwise it stays, marked as pending replacement.
    /// Passengers are deleted with it: no call is made for them, and they leave the state in the same record.
    async fn delete_entry(
        &self,
        key: EntryKey,
        old: &Arc<Resource>,
        op: StepOp,
        passengers: Passengers,
        remove: bool,
    ) -> Result<(), RegisterError> {
        let op = match op {
            StepOp::Delete if old.external => StepOp::Discard,
            StepOp::DeleteReplaced if old.external => StepOp::DiscardReplaced,
            other => other,
        };
        let urn = &old.urn;
        self.may_start()?;
        let step = self.started(Step { op, urn: urn.clone(), old: Some(old.clone()), new: None, diff: None });
        if op == StepOp::Delete && old.protect {
            self.blemish(urn, protected(urn, "delete"));
            self.ended(&step, Some(old.clone()), StepResult::Failed, op);
            return Err(RegisterError::Failed);
        }
        let mut record = Record::default();
        if is_called(old, op) && !self.options.preview {
            record = self.call_delete(&step, key, old).await?;
        }
        {
            let mut decisions = self.decide();
            if remove {
                decisions.table.remove(key);
                record.remove.push(key);
            } else if let Some(current) = decisions.table.get(key).cloned() {
                let marked = Arc::new(Resource { pending_replacement: true, ..Resource::clone(&current) });
                decisions.table.put(key, marked.clone());
                record.put.push((key, marked));
            }
            for (key, ..) in &passengers {
                decisions.table.remove(*key);
                record.remove.push(*key);
            }
        }
        self.append(urn, record).await?;
        self.ended(&step, None, StepResult::Done, op);
        for (_, old, op) in passengers {
            let step = Step { op, urn: old.urn.clone(), old: Some(old), new: None, diff: None };
            let step = self.started(step);
            self.ended(&step, None, StepResult::Done, op);
        }
        Ok(())
    }

    /// Asks the provider to delete, and returns the record that ends the operation.
    async fn call_delete(&self, step: &Step, key: EntryKey, old: &Arc<Resource>) -> Result<Record, RegisterError> {
        let urn = &old.urn;
        let Some(reference) = &old.provider else {
            let diagnostic =
                Diagnostic::error("engine-no-provider", format!("`{}` has no provider in the state", urn.name()))
                    .hint("`outrigger stack export` shows the state.");
            self.ended(step, Some(old.clone()), StepResult::Failed, step.op);
            return Err(self.fail(urn, diagnostic));
        };
        let instance = match self.provider(reference, urn).await {
            Ok(instance) => instance,
            Err(reason) => {
                self.ended(step, Some(old.clone()), came_of(&reason), step.op);
                return Err(reason);
            }
        };
        let prior = Some(state_of(old));
        let outcome = self.carry_out(OperationKind::Deleting, Action::Delete, old.clone(), prior, &instance).await;
        match outcome {
            Ok((Applied::Done(_), operation)) => Ok(ended(operation)),
            Ok((Applied::Partial(state, reasons), operation)) => {
                self.keep_undeleted(urn, key, state, operation).await?;
                let error = CallError::new(instance.provider.label(), "Delete", ErrorKind::NotDone, reasons.join("\n"));
                Err(self.step_failed(step, Failure::Call(error), "delete", &Goal::default()))
            }
            Err(failure) => Err(self.step_failed(step, failure, "delete", &Goal::default())),
        }
    }

    /// Keeps a resource that could not be deleted, in the state that the provider reports.
    async fn keep_undeleted(
        &self,
        urn: &Urn,
        key: EntryKey,
        state: State,
        operation: OperationId,
    ) -> Result<(), RegisterError> {
        let mut record = ended(operation);
        {
            let mut decisions = self.decide();
            if let Some(current) = decisions.table.get(key).cloned() {
                let mut kept = Resource { outputs: state.outputs, ..Resource::clone(&current) };
                changes::seal(&mut kept);
                let kept = Arc::new(kept);
                decisions.table.put(key, kept.clone());
                record.put.push((key, kept));
            }
        }
        self.append(urn, record).await
    }

    /// Whether the resources that the program did not register may be deleted. A program that registers none at all is more often a
    /// mistake than intended, such as a file that a generator left empty.
    pub(crate) fn may_delete_leftovers(&self) -> bool {
        if !self.options.keep_last || !self.options.targets.is_empty() {
            return true;
        }
        let doomed = {
            let decisions = self.decide();
            let doomed = decisions.leftovers(self.base.resources.len() as u64);
            let keys: HashSet<EntryKey> = doomed.iter().map(|(key, ..)| *key).collect();
            let is_real = |resource: &Resource| !resource.urn.is_stack() && !resource.is_provider();
            if decisions.table.iter().any(|(key, resource)| !keys.contains(&key) && is_real(resource)) {
                return true;
            }
            doomed.iter().filter(|(.., old, _)| is_real(old)).count()
        };
        if doomed == 0 {
            return true;
        }
        self.deletes_all.store(true, Ordering::Relaxed);
        let resources = if doomed == 1 { "1 resource".to_owned() } else { format!("{doomed} resources") };
        let summary = format!("this update deletes every resource of stack `{}`", self.options.stack);
        let (mut diagnostic, preview) = (Diagnostic::error("delete-all", summary), self.options.preview);
        if preview {
            diagnostic.severity = Severity::Warning;
        }
        let diagnostic = diagnostic
            .detail(format!("The program registers no resource; the state has {resources}."))
            .hint("Check that the program is complete. To delete everything on purpose, pass `--delete-all`.");
        self.report(None, diagnostic);
        preview
    }

    /// Deletes the resources that the program did not register, each one after everything that depends on it.
    pub(crate) async fn delete_leftovers(&self) {
        let leftovers = self.decide().leftovers(self.base.resources.len() as u64);
        let Some(condemned) = self.targeted_leftovers(leftovers) else { return };
        let mut order = DeletionOrder::new(&self.graph, &condemned);
        let mut items: HashMap<EntryKey, (Arc<Resource>, Leftover)> =
            condemned.iter().map(|(key, old, fate)| (*key, (old.clone(), *fate))).collect();
        let mut running = FuturesUnordered::new();
        let start = |key: EntryKey, (old, fate): (Arc<Resource>, Leftover), passengers: Passengers| async move {
            let deleted = self.delete_entry(key, &old, fate.op(), passengers, true).await;
            (key, old.urn.clone(), deleted)
        };
        let mut ready = order.first();
        loop {
            for Departure { key, passengers } in std::mem::take(&mut ready) {
                let passengers = passengers
                    .into_iter()
                    .filter_map(|key| items.remove(&key).map(|(old, fate)| (key, old, fate.op())))
                    .collect();
                if let Some(item) = items.remove(&key) {
                    running.push(start(key, item, passengers));
                }
            }
            let Some((key, urn, result)) = running.next().await else { break };
            match result {
                Ok(()) => ready = order.gone(key),
                // A failed deletion keeps everything that it depends on.
                Err(RegisterError::Skipped) => self.services.events.emit(Event::NotStarted { urn }),
                Err(_) => {}
            }
        }
        let mut left: Vec<Urn> = items.into_values().map(|(old, _)| old.urn.clone()).collect();
        left.sort();
        left.into_iter().for_each(|urn| self.services.events.emit(Event::NotStarted { urn }));
    }

    /// With `--target`, deletes only targeted resources; if another would have to go with them, none is deleted.
    fn targeted_leftovers(
        &self,
        leftovers: Vec<(EntryKey, Arc<Resource>, Leftover)>,
    ) -> Option<Vec<(EntryKey, Arc<Resource>, Leftover)>> {
        if self.options.targets.is_empty() {
            return Some(leftovers);
        }
        let named: Vec<EntryKey> = leftovers
            .iter()
            .filter(|(_, old, _)| self.options.targets.contains(&old.urn))
            .map(|(key, ..)| *key)
            .collect();
        let mut allowed: HashSet<EntryKey> = named.iter().copied().collect();
        for key in named {
            allowed.extend(self.graph.dependents(key, true, |_, _| false).into_iter().map(|(key, _)| key));
        }
        let mut chosen: Vec<_> = leftovers.into_iter().filter(|(key, ..)| allowed.contains(key)).collect();
        // The old half of a replaced provider stays while an entry that stays still uses it.
        let used: HashSet<ProviderReference> = {
            let going: HashSet<EntryKey> = chosen.iter().map(|(key, ..)| *key).collect();
            let decisions = self.decide();
            let staying = decisions.table.iter().filter(|(key, _)| !going.contains(key));
            staying.filter_map(|(_, resource)| resource.provider.clone()).collect()
        };
        chosen.retain(|(_, old, _)| {
            let id = old.id.clone().unwrap_or_default();
            !(old.is_provider() && old.delete && used.contains(&ProviderReference { urn: old.urn.clone(), id }))
        });
        let unnamed: Vec<_> = chosen.iter().filter(|(_, old, _)| !self.options.targets.contains(&old.urn)).collect();
        for (index, (_, old, _)) in unnamed.iter().enumerate() {
            let mut diagnostic = Diagnostic::error(
                "engine-untargeted-delete",
                format!("`{}` would be deleted but was not named by --target", old.urn.name()),
            )
            .detail("it depends on a resource that is to be deleted");
            if index + 1 == unnamed.len() {
                diagnostic = diagnostic.hint(targets(unnamed.iter().map(|(_, old, _)| &old.urn)));
            }
            self.blemish(&old.urn, diagnostic);
        }
        let needed = self.needed_by_others(&chosen);
        for (index, (other, gone)) in needed.iter().enumerate() {
            let mut diagnostic = Diagnostic::error(
                "engine-untargeted-dependent",
                format!("`{}` would be deleted, but `{}` depends on it in the state", gone.name(), other.name()),
            )
            .detail(format!("{other} was not named by --target, so it stays as it is"));
            if index + 1 == needed.len() {
                diagnostic = diagnostic.hint(targets(needed.iter().map(|(other, _)| other)));
            }
            self.blemish(gone, diagnostic);
        }
        (unnamed.is_empty() && needed.is_empty() || self.options.preview).then_some(chosen)
    }

    /// Entries that stay and refer to a name that no entry will have: the state would be invalid.
    fn needed_by_others(&self, chosen: &[(EntryKey, Arc<Resource>, Leftover)]) -> Vec<(Urn, Urn)> {
        let going: HashSet<EntryKey> = chosen.iter().map(|(key, ..)| *key).collect();
        let decisions = self.decide();
        let staying: Vec<_> = decisions.table.iter().filter(|(key, _)| !going.contains(key)).collect();
        let kept: HashSet<&Urn> = staying.iter().map(|(_, resource)| &resource.urn).collect();
        let gone: HashSet<&Urn> = chosen.iter().map(|(_, old, _)| &old.urn).filter(|urn| !kept.contains(urn)).collect();
        let mut found = BTreeSet::new();
        for (_, resource) in staying {
            let provider = resource.provider.as_ref().map(|provider| &provider.urn);
            for urn in resource.references().chain(provider).filter(|urn| gone.contains(urn)) {
                found.insert((resource.urn.clone(), urn.clone()));
            }
        }
        found.into_iter().collect()
    }
}
/// The flags that name all that is missing, to be copied.
fn targets<'a>(missing: impl Iterator<Item = &'a Urn>) -> String {
    let missing: BTreeSet<&Urn> = missing.collect();
    let flags: Vec<String> = missing.iter().map(|urn| format!("--target '{urn}'")).collect();
    format!("Add `{}`.", flags.join(" "))
}
