//! The steps that change the world: the intent becomes durable, the call is made, the result becomes durable, the caller gets the answer.

use std::sync::Arc;
use std::time::Duration;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{
    Action, ApplyRequest, CallError, Diff, ErrorKind, Outcome, PlanRequest, Planned, RegisterError, Registered,
    ResourceIdentity, State,
};
use outrigger_state::{EntryKey, OperationId, OperationKind, PendingOperation, Record, Resource};
use outrigger_value::Urn;
use tracing::Instrument as _;

use crate::deployment::Deployment;
use crate::operations::ended;
use crate::providers::Instance;
use crate::register::{Registration, failed, place};
use crate::{Step, StepOp, StepResult, changes};

/// The old resource that a creation replaces.
pub(crate) enum Replacing {
    /// None: it is new.
    Nothing,
    /// One that is deleted at the end.
    Pending { key: EntryKey, old: Arc<Resource>, diff: Option<Arc<Diff>> },
    /// One that was deleted already; the new entry replaces its entry.
    Deleted { key: EntryKey, old: Arc<Resource>, diff: Option<Arc<Diff>> },
}

/// How the call of a step ended.
pub(crate) enum Applied {
    Done(State),
    Partial(State, Vec<String>),
}

impl Deployment {
    /// An unchanged resource: the state changes only if the goal's own data did.
    pub(crate) async fn same(
        &self,
        registration: Registration,
        key: EntryKey,
        old: &Arc<Resource>,
        diff: Option<Diff>,
    ) -> Result<Registered, RegisterError> {
        let mut new = registration.new;
        new.id.clone_from(&old.id);
        new.extra.clone_from(&old.extra);
        new.created.clone_from(&old.created);
        new.modified.clone_from(&old.modified);
        changes::seal(&mut new);
        let step = Step {
            op: StepOp::Same,
            urn: new.urn.clone(),
            old: Some(old.clone()),
            new: None,
            diff: diff.map(Arc::new),
        };
        let step = self.started(step);
        let mut record = Record { put: self.decide().rename(&registration.begun), ..Record::default() };
        // A new place in the program alone is not worth a write.
        let position = std::mem::replace(&mut new.source_position, old.source_position.clone());
        let new = if **old == new {
            // Events keep it for the whole run: a copy of each resource would double the memory of a large state.
            Arc::clone(old)
        } else {
            new.source_position = position;
            let new = Arc::new(new);
            self.decide().table.put(key, new.clone());
            record.put.push((key, new.clone()));
            new
        };
        self.append(&new.urn, record).await?;
        self.ended(&step, Some(new.clone()), StepResult::Done, StepOp::Same);
        Ok(self.answer(&new))
    }

    pub(crate) async fn create(
        &self,
        registration: Registration,
        instance: &Instance,
        replacing: Replacing,
    ) -> Result<Registered, RegisterError> {
        let Registration { goal, begun, new } = registration;
        let urn = begun.urn.clone();
        let (op, old, diff) = match &replacing {
            Replacing::Nothing => (StepOp::Create, None, None),
            Replacing::Pending { old, diff, .. } | Replacing::Deleted { old, diff, .. } => {
                (StepOp::CreateReplacement, Some(old.clone()), diff.clone())
            }
        };
        let intended = Arc::new(new);
        let step = self.started(Step { op, urn: urn.clone(), old, new: Some(intended.clone()), diff });
        let applied = if self.options.preview {
            self.predict_create(&intended, instance).await.map(|state| (Applied::Done(state), None))
        } else {
            self.carry_out(OperationKind::Creating, Action::Create, intended.clone(), None, instance)
                .await
                .map(|(applied, operation)| (applied, Some(operation)))
        };
        let (state, reasons, operation) = match applied {
            Ok((Applied::Done(state), operation)) => (state, None, operation),
            Ok((Applied::Partial(state, reasons), operation)) => (state, Some(reasons), operation),
            Err(failure) => return Err(self.step_failed(&step, failure, "create", &goal)),
        };
        let mut new = Resource::clone(&intended);
        let now = self.now();
        new.id = Some(state.id);
        new.outputs = state.outputs;
        new.refresh_before_update = state.refresh_before_update;
        new.init_errors = reasons.clone().unwrap_or_default();
        new.created = Some(now.clone());
        new.modified = Some(now);
        changes::seal(&mut new);
        let new = Arc::new(new);
        let mut record = ended(operation);
        {
            let mut decisions = self.decide();
            record.put.extend(decisions.rename(&begun));
            let key = match &replacing {
                // A key of its own, so that recovery onto another program's checkpoint sees a creation and not a change.
                Replacing::Deleted { key, .. } => {
                    decisions.table.remove(*key);
                    record.remove.push(*key);
                    decisions.table.new_entry()
                }
                Replacing::Pending { key, .. } => {
                    record.put.extend(decisions.mark_old(*key, &begun));
                    decisions.table.new_entry()
                }
                Replacing::Nothing => decisions.table.new_entry(),
            };
            decisions.table.put(key, new.clone());
            record.put.push((key, new.clone()));
        }
        self.append(&urn, record).await?;
        if let Some(reasons) = reasons {
            self.ended(&step, Some(new), StepResult::Failed, op);
            return Err(self.fail(&urn, place(not_ready(&reasons, &step), &goal)));
        }
        self.ended(&step, Some(new.clone()), StepResult::Done, op);
        Ok(self.answer(&new))
    }

    /// The outputs of a creation in a preview.
    async fn predict_create(&self, new: &Resource, instance: &Instance) -> Result<State, Failure> {
        let request = PlanRequest {
            resource: ResourceIdentity::new(new.urn.clone()),
            prior: None,
            inputs: Some(new.inputs.clone()),
            ignore_changes: Vec::new(),
            predict: true,
            timeout: timeout(new.custom_timeouts.create),
        };
        let permit = self.look().await.map_err(Failure::Reported)?;
        let planned = instance.provider.plan(&self.context, request).await.map_err(Failure::Call)?;
        drop(permit);
        Ok(State { outputs: planned.predicted.unwrap_or_default(), ..State::default() })
    }

    pub(crate) async fn update(
        &self,
        registration: Registration,
        instance: &Instance,
        key: EntryKey,
        old: Arc<Resource>,
        planned: Planned,
    ) -> Result<Registered, RegisterError> {
        let Registration { goal, begun, new } = registration;
        let urn = begun.urn.clone();
        let diff = Some(Arc::new(planned.diff));
        let intended = Arc::new(Resource { id: old.id.clone(), extra: old.extra.clone(), ..new });
        let step = self.started(Step {
            op: StepOp::Update,
            urn: urn.clone(),
            old: Some(old.clone()),
            new: Some(intended.clone()),
            diff,
        });
        let applied = if self.options.preview {
            let outputs = planned.predicted.unwrap_or_default();
            Ok((Applied::Done(State { id: old.id.clone().unwrap_or_default(), outputs, ..State::default() }), None))
        } else {
            let prior = Some(state_of(&old));
            self.carry_out(OperationKind::Updating, Action::Update, intended.clone(), prior, instance)
                .await
                .map(|(applied, operation)| (applied, Some(operation)))
        };
        let (state, reasons, operation) = match applied {
            Ok((Applied::Done(state), operation)) => (state, None, operation),
            Ok((Applied::Partial(state, reasons), operation)) => (state, Some(reasons), operation),
            Err(failure) => return Err(self.step_failed(&step, failure, "update", &goal)),
        };
        let mut new = Resource::clone(&intended);
        new.outputs = state.outputs;
        new.refresh_before_update = state.refresh_before_update;
        new.modified = Some(self.now());
        if let Some(reasons) = &reasons {
            // Half done: the new outputs with the old inputs, so that the next run sees the difference again.
            new.inputs.clone_from(&old.inputs);
            new.init_errors.clone_from(reasons);
        }
        changes::seal(&mut new);
        let new = Arc::new(new);
        let mut record = ended(operation);
        {
            let mut decisions = self.decide();
            record.put.extend(decisions.rename(&begun));
            decisions.table.put(key, new.clone());
            record.put.push((key, new.clone()));
        }
        self.append(&urn, record).await?;
        if let Some(reasons) = reasons {
            self.ended(&step, Some(new), StepResult::Failed, StepOp::Update);
            return Err(self.fail(&urn, place(not_ready(&reasons, &step), &goal)));
        }
        self.ended(&step, Some(new.clone()), StepResult::Done, StepOp::Update);
        Ok(self.answer(&new))
    }

    /// Makes the intent durable, then calls. The operation stays open until the caller records its result with [`ended`]; without a known
    /// result it stays open for good.
    pub(crate) async fn carry_out(
        &self,
        kind: OperationKind,
        action: Action,
        resource: Arc<Resource>,
        prior: Option<State>,
        instance: &Instance,
    ) -> Result<(Applied, OperationId), Failure> {
        let urn = resource.urn.clone();
        self.may_start().map_err(Failure::Reported)?;
        let timeouts = resource.custom_timeouts;
        let limit = match action {
            Action::Create => timeouts.create,
            Action::Update => timeouts.update,
            Action::Delete => timeouts.delete,
        };
        let request = ApplyRequest {
            resource: ResourceIdentity::new(urn.clone()),
            action,
            prior,
            inputs: if action == Action::Delete { Default::default() } else { resource.inputs.clone() },
            ignore_changes: resource.ignore_changes.clone(),
            timeout: timeout(limit),
        };
        let turn = self.turn().await.map_err(Failure::Reported)?;
        let operation = self.begin_operation(PendingOperation { kind, resource }).await.map_err(Failure::NotBegun)?;
        // The intent is durable: from here on the call is made whatever else fails, unless the user asked to stop.
        let permit = self.permit_for(&urn, operation).await.map_err(Failure::Reported)?;
        let span = tracing::info_span!("apply", %urn, ?action);
        let outcome = instance.provider.apply(&self.context, request).instrument(span).await;
        drop((permit, turn));
        match outcome {
            Outcome::Done(state) => Ok((Applied::Done(state), operation)),
            Outcome::Partial { state, reasons } => Ok((Applied::Partial(state, reasons), operation)),
            Outcome::NotDone(error) => Err(self.give_up(&urn, operation, error).await),
            Outcome::Unknown { error, .. } if answered(&error) => Err(self.give_up(&urn, operation, error).await),
            // It was created and its id came back, but the rest of the answer cannot be read: the known part is kept.
            Outcome::Unknown { error, last: Some(state) }
                if error.kind == ErrorKind::Garbage && action == Action::Create && !state.id.is_empty() =>
            {
                Ok((Applied::Partial(state, vec![error.message]), operation))
            }
            Outcome::Unknown { error, .. } => Err(Failure::Unknown(error)),
            Outcome::Pending(_) => {
                let (label, call) = (instance.provider.label(), format!("{action:?}"));
                let message = "the operation is still under way, and Outrigger cannot wait for it yet";
                Err(Failure::Unknown(CallError::new(label, call, ErrorKind::Unknown, message)))
            }
        }
    }

    async fn give_up(&self, urn: &Urn, operation: OperationId, error: CallError) -> Failure {
        match self.append(urn, ended(operation)).await {
            Ok(()) => Failure::Call(error),
            Err(reason) => Failure::Reported(reason),
        }
    }

    /// Reports a failed step, and its consequence for the resource.
    pub(crate) fn step_failed(
        &self,
        step: &Step,
        failure: Failure,
        doing: &str,
        goal: &outrigger_provider::Goal,
    ) -> RegisterError {
        let (error, result) = match failure {
            Failure::Reported(reason) => {
                self.ended(step, step.old.clone(), came_of(&reason), step.op);
                return reason;
            }
            Failure::NotBegun(reason) => {
                self.ended(step, step.old.clone(), StepResult::NotStarted, step.op);
                return reason;
            }
            Failure::Call(error) => (error, StepResult::Failed),
            Failure::Unknown(error) => (error, StepResult::Unknown),
        };
        let mut diagnostic = failed(error, doing, &step.urn, goal);
        if result == StepResult::Unknown {
            diagnostic = diagnostic
                .note("the result is not known; the operation is stored in the state as a pending operation")
                .hint("Check the resource itself, then run `outrigger refresh`.");
        }
        let reason = self.fail(&step.urn, diagnostic);
        self.ended(step, step.old.clone(), result, step.op);
        reason
    }

    /// Updates a component, which changes only the state.
    pub(crate) async fn update_component(
        &self,
        registration: Registration,
        key: EntryKey,
        old: Arc<Resource>,
    ) -> Result<Registered, RegisterError> {
        let Registration { begun, new, .. } = registration;
        let new = Arc::new(Resource { extra: old.extra.clone(), ..new });
        self.put_component(StepOp::Update, begun, Some(old), key, new).await
    }

    pub(crate) async fn create_component(&self, registration: Registration) -> Result<Registered, RegisterError> {
        let Registration { begun, mut new, .. } = registration;
        let now = self.now();
        new.created = Some(now.clone());
        new.modified = Some(now);
        let key = self.key_or_new(None);
        self.put_component(StepOp::Create, begun, None, key, Arc::new(new)).await
    }

    async fn put_component(
        &self,
        op: StepOp,
        begun: crate::decisions::Begun,
        old: Option<Arc<Resource>>,
        key: EntryKey,
        new: Arc<Resource>,
    ) -> Result<Registered, RegisterError> {
        let step = self.started(Step { op, urn: new.urn.clone(), old, new: Some(new.clone()), diff: None });
        let mut record = Record::default();
        {
            let mut decisions = self.decide();
            record.put.extend(decisions.rename(&begun));
            decisions.table.put(key, new.clone());
        }
        record.put.push((key, new.clone()));
        self.append(&new.urn, record).await?;
        self.ended(&step, Some(new.clone()), StepResult::Done, op);
        Ok(self.answer(&new))
    }
}

/// Why a step has no result.
pub(crate) enum Failure {
    /// The error has been reported.
    Reported(RegisterError),
    /// The intent could not be made durable, which has been reported; nothing was called.
    NotBegun(RegisterError),
    /// The provider refused; nothing is pending.
    Call(CallError),
    /// The result is not known; the operation stays pending.
    Unknown(CallError),
}

/// The result of a step that ended without one.
pub(crate) fn came_of(reason: &RegisterError) -> StepResult {
    if matches!(reason, RegisterError::Skipped) { StepResult::NotStarted } else { StepResult::Failed }
}

/// Whether the provider answered at all. Any answered error, even one that leaves doubt, ends the operation, as in Pulumi: nearly every
/// Go provider reports plain failures with the code for "unknown". A missing answer does not.
fn answered(error: &CallError) -> bool {
    matches!(error.kind, ErrorKind::Unsupported | ErrorKind::NotDone | ErrorKind::Unknown)
}

fn not_ready(reasons: &[String], step: &Step) -> Diagnostic {
    Diagnostic::error(
        "resource-not-ready",
        format!("`{}` ({}) exists but is not ready", step.urn.name(), step.urn.ty()),
    )
    .detail(reasons.join("\n"))
    .hint("Run `outrigger up` again to keep waiting for it.")
}

/// A resource as its provider knows it.
pub(crate) fn state_of(resource: &Resource) -> State {
    State {
        id: resource.id.clone().unwrap_or_default(),
        inputs: resource.inputs.clone(),
        outputs: resource.outputs.clone(),
        init_errors: resource.init_errors.clone(),
        refresh_before_update: resource.refresh_before_update,
    }
}

/// The user's timeout; zero means none.
pub(crate) fn timeout(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        assert_eq!(timeout(0.0), None);
        assert_eq!(timeout(90.0), Some(Duration::from_secs(90)));
        assert_eq!(timeout(f64::NAN), None);
    }
}
