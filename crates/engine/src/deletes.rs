//! Deletions: one by one for replacements, and in reverse order of dependency at the end.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures::stream::{FuturesUnordered, StreamExt};
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{Action, PlanToken};
use outrigger_state::{EntryKey, OperationKind, Record, Resource};
use outrigger_value::Urn;

use crate::decisions::Leftover;
use crate::deployment::Deployment;
use crate::replace::protected;
use crate::steps::{Applied, state_of};
use crate::{Goal, RegisterError, Step, StepOp, StepResult};

impl Deployment {
    /// Deletes a resource that will be made anew; its entry stays, marked, until the new one is there. One that waits for
    /// deletion anyway simply goes.
    pub(crate) async fn delete_to_replace(&self, key: EntryKey, old: &Arc<Resource>) -> Result<(), RegisterError> {
        if !old.pending_replacement {
            self.delete_entry(key, old, StepOp::DeleteReplaced, false, old.delete).await?;
        }
        self.open_gate(&old.urn);
        Ok(())
    }

    /// Lets whoever waits for the deletion of that resource go on.
    pub(crate) fn open_gate(&self, urn: &Urn) {
        let current = self.decide().current_name(urn).clone();
        self.gate(&current).close();
    }

    /// Waits until the deletion of a condemned resource has ended.
    pub(crate) async fn deleted(&self, urn: &Urn) -> Result<(), RegisterError> {
        if self.decide().is_condemned(urn) {
            // Closing is the signal: an acquire on a closed semaphore returns at once.
            let gate = self.gate(urn);
            let _closed = gate.acquire().await;
        }
        self.may_start()
    }

    /// Deletes, or forgets, one entry. `remove` takes it out of the state; otherwise it stays, marked as pending replacement.
    async fn delete_entry(
        &self,
        key: EntryKey,
        old: &Arc<Resource>,
        op: StepOp,
        deleted_with: bool,
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
        let calls = old.custom
            && !old.is_provider()
            && !old.external
            && !old.retain_on_delete
            && !deleted_with
            && !matches!(op, StepOp::RemovePendingReplace)
            && !self.options.preview;
        let mut record = Record::default();
        if calls {
            let Some(reference) = &old.provider else {
                let diagnostic =
                    Diagnostic::error("engine-no-provider", format!("`{}` has no provider in the state", urn.name()))
                        .hint("`outrigger stack export` shows the state");
                self.ended(&step, Some(old.clone()), StepResult::Failed, op);
                return Err(self.fail(urn, diagnostic));
            };
            let instance = match self.provider(reference, urn).await {
                Ok(instance) => instance,
                Err(reason) => {
                    self.ended(&step, Some(old.clone()), StepResult::Failed, op);
                    return Err(reason);
                }
            };
            let prior = Some(state_of(old));
            let outcome = self
                .carry_out(OperationKind::Deleting, Action::Delete, old.clone(), prior, &instance, PlanToken::default())
                .await;
            match outcome {
                Ok(Applied::Done(_) | Applied::Partial(..)) => {}
                Err(failure) => return Err(self.step_failed(&step, failure, "delete", &Goal::default())),
            }
            record = self.end_operation(urn);
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
        }
        self.append(urn, record).await?;
        self.ended(&step, None, StepResult::Done, op);
        Ok(())
    }

    /// Deletes what the program did not ask for. An entry goes when everything that depends on it is gone.
    pub(crate) async fn delete_leftovers(&self) {
        let leftovers = self.decide().leftovers(self.base.resources.len() as u64);
        let Some(condemned) = self.targeted_leftovers(leftovers) else { return };
        let deleting: HashSet<Urn> = condemned.iter().map(|(_, old, _)| old.urn.clone()).collect();
        let mut waiting: HashMap<EntryKey, usize> = condemned.iter().map(|(key, ..)| (*key, 0)).collect();
        let mut dependencies: HashMap<EntryKey, Vec<EntryKey>> = HashMap::new();
        for (key, ..) in &condemned {
            let own: Vec<EntryKey> = self
                .graph
                .dependencies(*key)
                .into_iter()
                .filter(|dependency| waiting.contains_key(dependency))
                .collect();
            for dependency in &own {
                *waiting.entry(*dependency).or_default() += 1;
            }
            dependencies.insert(*key, own);
        }
        let mut items: HashMap<EntryKey, (Arc<Resource>, Leftover)> =
            condemned.iter().map(|(key, old, fate)| (*key, (old.clone(), *fate))).collect();
        let mut running = FuturesUnordered::new();
        let start = |key: EntryKey, (old, fate): (Arc<Resource>, Leftover)| {
            let op = match fate {
                Leftover::Delete => StepOp::Delete,
                Leftover::DeleteReplaced => StepOp::DeleteReplaced,
                Leftover::RemovePendingReplace => StepOp::RemovePendingReplace,
            };
            let with = old.deleted_with.as_ref().is_some_and(|partner| deleting.contains(partner));
            async move { (key, self.delete_entry(key, &old, op, with, true).await) }
        };
        // Later entries first: a stable order for equal answers.
        for (key, ..) in condemned.iter().rev().filter(|(key, ..)| waiting.get(key) == Some(&0)) {
            if let Some(item) = items.remove(key) {
                running.push(start(*key, item));
            }
        }
        while let Some((key, result)) = running.next().await {
            // What a failed deletion depends on stays.
            if result.is_err() {
                continue;
            }
            for dependency in dependencies.remove(&key).unwrap_or_default() {
                let Some(count) = waiting.get_mut(&dependency) else { continue };
                *count -= 1;
                if *count == 0
                    && let Some(item) = items.remove(&dependency)
                {
                    running.push(start(dependency, item));
                }
            }
        }
    }

    /// With `--target`, only what was named goes; if something else would have to go with it, nothing does.
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
            allowed.extend(self.graph.dependents(key, true, |_| false).into_iter().map(|(key, _)| key));
        }
        let chosen: Vec<_> = leftovers.into_iter().filter(|(key, ..)| allowed.contains(key)).collect();
        let unnamed: Vec<_> = chosen.iter().filter(|(_, old, _)| !self.options.targets.contains(&old.urn)).collect();
        for (_, old, _) in &unnamed {
            let diagnostic = Diagnostic::error(
                "engine-untargeted-delete",
                format!("`{}` would be deleted but was not named by --target", old.urn.name()),
            )
            .detail("it depends on a resource that is to be deleted")
            .hint(format!("add --target '{}'", old.urn));
            self.blemish(&old.urn, diagnostic);
        }
        (unnamed.is_empty() || self.options.preview).then_some(chosen)
    }
}
