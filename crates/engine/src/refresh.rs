//! Reading resources and updating the state to match them.

use std::collections::HashSet;
use std::sync::Arc;

use futures::stream::{FuturesUnordered, StreamExt};
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{PlanRequest, ReadResult, RegisterError, ResourceIdentity, Verdict};
use outrigger_state::{EntryKey, Record, Resource};
use outrigger_value::Urn;

use crate::deployment::{Deployment, diagnose};
use crate::providers::Instance;
use crate::register::Registration;
use crate::steps::{came_of, state_of};
use crate::{Step, StepOp, StepResult, changes};

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

    /// Removes missing resources from the state in one record, which also repairs the entries that referred to them.
    pub(crate) async fn forget_all(&self, gone: Vec<(EntryKey, Arc<Resource>)>) {
        let Some((_, first)) = gone.first() else { return };
        let urn = first.urn.clone();
        let mut record = Record::default();
        {
            let mut decisions = self.decide();
            // Children move to the nearest parent that still exists: parents come first, so going backwards a child is moved before its own
            // removal and then again with its new parent's.
            for (key, _) in &gone {
                decisions.table.remove(*key);
                record.remove.push(*key);
            }
            // A name that the other half of a replacement still has is not gone: references may mean that one.
            let names: HashSet<Urn> = decisions.table.iter().map(|(_, resource)| resource.urn.clone()).collect();
            for (_, old) in gone.iter().rev() {
                if !names.contains(&old.urn) {
                    record.put.extend(decisions.table.drop_references(&old.urn, old.parent.as_ref()));
                }
            }
            record.put.retain(|(key, _)| decisions.table.get(*key).is_some());
        }
        // The error has been reported; the state in memory is not used further.
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
                self.ended(&step, Some(old.clone()), came_of(&reason), StepOp::Refresh);
                Err(reason)
            }
        }
    }

    /// An entry's current state, and whether it changed; `None` if the resource is missing.
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
        new.modified = Some(self.now());
        let op = if unchanged {
            StepOp::Same
        } else if old.external {
            if old.outputs == new.outputs { StepOp::Same } else { StepOp::Update }
        } else {
            // The other direction: what would the program's inputs change in the resource as it is now?
            let request = PlanRequest {
                resource: ResourceIdentity::new(urn.clone()),
                prior: Some(state_of(&new)),
                inputs: Some(old.inputs.clone()),
                ignore_changes: old.ignore_changes.clone(),
                predict: false,
                timeout: None,
            };
            let permit = self.look().await?;
            let planned = instance.provider.plan(&self.context, request).await;
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
}
