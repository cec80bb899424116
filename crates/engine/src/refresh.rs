//! Reading what exists and bringing the state to it.

use std::collections::HashSet;
use std::sync::Arc;

use futures::stream::{FuturesUnordered, StreamExt};
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{PlanRequest, ReadRequest, ReadResult, RegisterError, ResourceIdentity, Verdict};
use outrigger_state::{EntryKey, OperationId, OperationKind, Record, Resource};
use outrigger_value::Urn;

use crate::deployment::{Deployment, diagnose};
use crate::providers::Instance;
use crate::register::Registration;
use crate::steps::{state_of, timeout};
use crate::{Step, StepOp, StepResult, changes};

/// What to do with creations that an earlier run left unfinished.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PendingCreates {
    /// Keep them, and say so.
    #[default]
    Keep,
    /// Forget them.
    Clear,
    /// Adopt them, by the id that the user found out; others are kept.
    Import(Vec<(Urn, String)>),
}

impl Deployment {
    /// Reads every managed resource that is targeted.
    pub(crate) async fn refresh_all(&self) {
        let entries: Vec<(EntryKey, Arc<Resource>)> = self
            .decide()
            .table
            .iter()
            .filter(|(_, resource)| self.options.targets.is_empty() || self.options.targets.contains(&resource.urn))
            .map(|(key, resource)| (key, resource.clone()))
            .collect();
        let mut running: FuturesUnordered<_> = entries
            .into_iter()
            .map(|(key, old)| async move { (key, old.clone(), self.refresh_entry(key, &old).await) })
            .collect();
        let mut gone = Vec::new();
        while let Some((key, old, result)) = running.next().await {
            if let Ok(false) = result {
                gone.push((key, old));
            }
        }
        gone.sort_by_key(|(key, _)| *key);
        self.forget_all(gone).await;
    }

    /// Takes what no longer exists out of the state, in one step: entries that referred to it are mended with it.
    async fn forget_all(&self, gone: Vec<(EntryKey, Arc<Resource>)>) {
        let Some((_, first)) = gone.first() else { return };
        let urn = first.urn.clone();
        let mut record = Record::default();
        {
            let mut decisions = self.decide();
            // Children move to the nearest parent that is still there: parents come first, so going backwards a child is moved
            // before its own removal and then again with its new parent's.
            for (key, _) in &gone {
                decisions.table.remove(*key);
                record.remove.push(*key);
            }
            // A name that another half of a replacement still has is not gone: references may mean that one.
            let names: HashSet<Urn> = decisions.table.iter().map(|(_, resource)| resource.urn.clone()).collect();
            for (_, old) in gone.iter().rev() {
                if !names.contains(&old.urn) {
                    record.put.extend(decisions.table.drop_references(&old.urn, old.parent.as_ref()));
                }
            }
            record.put.retain(|(key, _)| decisions.table.get(*key).is_some());
        }
        // The error has been reported; the state in memory is not used any further then.
        let _reported = self.append(&urn, record).await;
    }

    /// Reads one entry; `Ok(false)` if it is gone.
    async fn refresh_entry(&self, key: EntryKey, old: &Arc<Resource>) -> Result<bool, RegisterError> {
        let Some(reference) =
            old.provider.as_ref().filter(|_| old.custom && !old.is_provider() && !old.pending_replacement)
        else {
            return Ok(true);
        };
        let instance = self.provider(reference, &old.urn).await?;
        let step = self.started(Step {
            op: StepOp::Refresh,
            urn: old.urn.clone(),
            old: Some(old.clone()),
            new: None,
            diff: None,
        });
        match self.refreshed(&instance, old).await {
            Ok(None) => {
                self.ended(&step, None, StepResult::Done, StepOp::Delete);
                Ok(false)
            }
            Ok(Some((new, result_op))) => {
                if new != *old {
                    self.decide().table.put(key, new.clone());
                    self.append(&old.urn, Record { put: vec![(key, new.clone())], ..Record::default() }).await?;
                }
                self.ended(&step, Some(new), StepResult::Done, result_op);
                Ok(true)
            }
            Err(reason) => {
                self.ended(&step, Some(old.clone()), StepResult::Failed, StepOp::Refresh);
                Err(reason)
            }
        }
    }

    /// What an entry looks like now, and whether that is a change; `None` if it is gone.
    async fn refreshed(
        &self,
        instance: &Instance,
        old: &Arc<Resource>,
    ) -> Result<Option<(Arc<Resource>, StepOp)>, RegisterError> {
        let urn = &old.urn;
        let (state, inputs_known, unchanged) =
            match self.read_state(instance, urn, state_of(old), old.custom_timeouts.read).await? {
                ReadResult::Gone => return Ok(None),
                ReadResult::Found { state, inputs_known, unchanged } => (state, inputs_known, unchanged),
            };
        if !state.init_errors.is_empty() {
            let diagnostic = Diagnostic::warning(
                "resource-not-ready",
                format!("`{}` ({}) exists but is not ready", urn.name(), urn.ty()),
            )
            .detail(state.init_errors.join("\n"));
            self.report(Some(urn.clone()), diagnostic);
        }
        let mut new = Resource {
            id: Some(state.id),
            outputs: state.outputs,
            init_errors: state.init_errors,
            refresh_before_update: state.refresh_before_update,
            ..Resource::clone(old)
        };
        if inputs_known {
            new.inputs = state.inputs;
        }
        changes::seal(&mut new);
        if new.inputs == old.inputs && new.outputs == old.outputs && new.id == old.id {
            let new = if new == **old { old.clone() } else { Arc::new(new) };
            return Ok(Some((new, StepOp::Same)));
        }
        new.modified = Some(self.services.clock.now());
        let op = if unchanged {
            StepOp::Same
        } else if old.external {
            if old.outputs == new.outputs { StepOp::Same } else { StepOp::Update }
        } else {
            // Seen from the other side: what would the program's inputs change in what is there now?
            let request = PlanRequest {
                resource: ResourceIdentity::new(urn.clone()),
                prior: Some(state_of(&new)),
                inputs: Some(old.inputs.clone()),
                ignore_changes: old.ignore_changes.clone(),
                predict: false,
                timeout: None,
            };
            let permit = self.look().await?;
            let planned = instance.provider.plan(&self.bounded(), request).await;
            drop(permit);
            let planned = planned.map_err(|error| self.fail(urn, diagnose(error, "compare", urn)))?;
            if planned.verdict == Verdict::Same { StepOp::Same } else { StepOp::Update }
        };
        Ok(Some((Arc::new(new), op)))
    }

    /// Reads a resource whose provider asked for it before an update.
    pub(crate) async fn refresh_registered(
        &self,
        registration: &mut Registration,
        instance: &Instance,
    ) -> Result<(), RegisterError> {
        let Some((key, old)) = registration.begun.old.clone() else { return Ok(()) };
        match self.refreshed(instance, &old).await? {
            Some((new, _)) => {
                if new != old {
                    self.decide().table.put(key, new.clone());
                    self.append(&old.urn, Record { put: vec![(key, new.clone())], ..Record::default() }).await?;
                }
                registration.begun.old = Some((key, new));
            }
            None => {
                self.decide().table.remove(key);
                self.append(&old.urn, Record { remove: vec![key], ..Record::default() }).await?;
                registration.begun.old = None;
            }
        }
        Ok(())
    }

    /// Whether an earlier run was interrupted in a deletion, so that what the state has may be gone.
    pub(crate) fn has_pending_deletions(&self) -> bool {
        self.base.pending.iter().any(|pending| pending.kind == OperationKind::Deleting)
    }

    /// Takes out of the state what an interrupted run has deleted without hearing of it. Otherwise it would count as being there until
    /// somebody reads it.
    async fn forget_deleted(&self) {
        let pending = self.base.pending.iter().filter(|pending| pending.kind == OperationKind::Deleting);
        let pending: HashSet<_> =
            pending.map(|pending| (&pending.resource.urn, pending.resource.id.as_deref())).collect();
        let doubtful: Vec<(EntryKey, Arc<Resource>)> = {
            let decisions = self.decide();
            let entries = decisions.table.iter();
            let doubtful = entries.filter(|(_, entry)| pending.contains(&(&entry.urn, entry.id.as_deref())));
            doubtful.map(|(key, entry)| (key, entry.clone())).collect()
        };
        let looks = doubtful.into_iter().map(|(key, old)| async move { (key, old.clone(), self.is_gone(&old).await) });
        let mut looks: FuturesUnordered<_> = looks.collect();
        let mut gone = Vec::new();
        while let Some((key, old, is_gone)) = looks.next().await {
            if is_gone {
                let text = format!("`{}` was deleted by an earlier run that was interrupted", old.urn.name());
                self.info(&old.urn, "state-pending-delete", text);
                gone.push((key, old));
            }
        }
        gone.sort_by_key(|(key, _)| *key);
        self.forget_all(gone).await;
    }

    /// Whether a look shows that a resource does not exist. What cannot be looked at stays: a provider need not be able to read.
    async fn is_gone(&self, old: &Arc<Resource>) -> bool {
        let managed = old.custom && !old.is_provider() && !old.pending_replacement;
        let Some(reference) = old.provider.as_ref().filter(|_| managed) else { return false };
        let Ok(instance) = self.provider(reference, &old.urn).await else { return false };
        let request = ReadRequest {
            resource: ResourceIdentity::new(old.urn.clone()),
            state: state_of(old),
            timeout: timeout(old.custom_timeouts.read),
        };
        let Ok(_permit) = self.place().await else { return false };
        self.calling(&old.urn);
        match instance.provider.read(self.unbounded(), request).await {
            Ok(found) => matches!(found, ReadResult::Gone),
            Err(error) => {
                let summary = format!("an earlier run may have deleted `{}` ({})", old.urn.name(), old.urn.ty());
                let diagnostic = Diagnostic::warning("state-pending-delete", summary)
                    .detail(format!(
                        "it was interrupted before the provider answered, and now it cannot be read: {}",
                        error.message
                    ))
                    .hint("run `outrigger refresh` when it can be read again");
                self.report(Some(old.urn.clone()), diagnostic);
                false
            }
        }
    }

    /// Settles what an earlier run left unfinished. Updates and reads are simply over: the state says what there was, and the next plan
    /// what is to be done. A deletion may have happened, which a look shows; a creation may have made something that the state does not
    /// know.
    pub(crate) async fn settle_pending(&self) {
        // Before any of it is forgotten: whoever is interrupted here finds it again.
        if self.has_pending_deletions() && self.may_start().is_ok() {
            self.forget_deleted().await;
        }
        let mut record = Record::default();
        for (number, pending) in self.base.pending.iter().enumerate() {
            let id = OperationId(number as u64);
            let urn = &pending.resource.urn;
            if pending.kind != OperationKind::Creating {
                record.end.push(id);
                continue;
            }
            match &self.options.pending_creates {
                PendingCreates::Clear => record.end.push(id),
                PendingCreates::Import(found) if found.iter().any(|(name, _)| name == urn) => {
                    let chosen = found.iter().find(|(name, _)| name == urn).map(|(_, id)| id.clone());
                    self.import_pending(id, &pending.resource, chosen.unwrap_or_default()).await;
                }
                _ => {
                    let diagnostic = Diagnostic::warning(
                        "state-pending-create",
                        format!("an earlier run may have created `{}` ({})", urn.name(), urn.ty()),
                    )
                    .detail("it was interrupted before the provider answered, so the id is not known")
                    .hint(format!(
                        "if it exists: outrigger refresh --import-pending-creates '{urn}' --import-pending-creates ID"
                    ))
                    .hint("if it does not: outrigger refresh --clear-pending-creates");
                    self.report(Some(urn.clone()), diagnostic);
                }
            }
        }
        if let Some(pending) = self.base.pending.first() {
            let urn = pending.resource.urn.clone();
            let _reported = self.append(&urn, record).await;
        }
    }

    async fn import_pending(&self, operation: OperationId, intended: &Arc<Resource>, id: String) {
        let Some(reference) = &intended.provider else { return };
        let Ok(instance) = self.provider(reference, &intended.urn).await else { return };
        let mut state = state_of(intended);
        state.id.clone_from(&id);
        state.outputs.clear();
        match self.read_state(&instance, &intended.urn, state, intended.custom_timeouts.read).await {
            Ok(ReadResult::Found { state, inputs_known, .. }) => {
                let now = self.services.clock.now();
                let mut adopted = Resource {
                    id: Some(state.id),
                    outputs: state.outputs,
                    created: Some(now.clone()),
                    modified: Some(now),
                    ..Resource::clone(intended)
                };
                if inputs_known {
                    adopted.inputs = state.inputs;
                }
                let adopted = Arc::new(adopted);
                let mut record = Record { end: vec![operation], ..Record::default() };
                {
                    let mut decisions = self.decide();
                    // Another one of that name exists by now: the adopted one is the spare, and goes with the next update.
                    let delete = decisions.table.live(&adopted.urn).is_some();
                    let adopted = Arc::new(Resource { delete, ..Resource::clone(&adopted) });
                    let key = decisions.table.new_entry();
                    decisions.table.put(key, adopted.clone());
                    record.put.push((key, adopted));
                }
                let _reported = self.append(&intended.urn, record).await;
            }
            Ok(ReadResult::Gone) => {
                let diagnostic = Diagnostic::error(
                    "engine-import-missing",
                    format!("nothing of type {} has the id `{id}`", intended.ty()),
                )
                .hint("check the id; if the resource was never made, use --clear-pending-creates");
                self.blemish(&intended.urn, diagnostic);
            }
            Err(_reported) => {}
        }
    }
}
