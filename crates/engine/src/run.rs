//! The commands: up, refresh, destroy. Each is one run over one base snapshot.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{
    CallResponse, Goal, InvokeGoal, MethodGoal, Monitor, Program, ReadGoal, RegisterError, Registered, RunInfo,
};
use outrigger_state::{Record, Resource, Snapshot};
use outrigger_value::{PropertyMap, Urn};
use tracing::Instrument as _;

use crate::autonaming::Naming;
use crate::deployment::Deployment;
use crate::{Ending, Event, Options, RunResult, Services};

/// Updates a stack to match a program; with `options.preview`, only reports the changes.
pub async fn up(options: Options, services: Services, base: Snapshot, program: &dyn Program) -> RunResult {
    let mut deployment = Deployment::new(options, services, base);
    match Naming::read(&deployment.options, &deployment.run) {
        Ok(naming) => deployment.naming = naming,
        Err(diagnostic) => {
            Deployment::report(&deployment, None, diagnostic);
            return deployment.close();
        }
    }
    deployment.settle_pending().await;
    if deployment.options.refresh {
        deployment.refresh_all().await;
    }
    let deployment = deployment.rebased();
    deployment.providers.require(program.required_packages());
    if deployment.may_start().is_ok() && program.run(&deployment).await.is_err() {
        deployment.mark_failed();
    }
    // After a failure, unregistered resources may only have waited for the one that failed. A program that registered nothing keeps its
    // stack.
    let complete = !deployment.has_failed() && deployment.root(Goal::root(&deployment.stack)).await.is_ok();
    if complete && deployment.may_start().is_ok() && deployment.may_delete_leftovers() {
        deployment.delete_leftovers().await;
    }
    deployment.finish_outputs().await;
    deployment.close()
}

/// Updates the state to match the resources as they are.
pub async fn refresh(options: Options, services: Services, base: Snapshot) -> RunResult {
    let deployment = Deployment::new(options, services, base);
    deployment.settle_pending().await;
    if deployment.may_start().is_ok() {
        deployment.refresh_all().await;
    }
    deployment.close()
}

/// Deletes everything.
pub async fn destroy(options: Options, services: Services, base: Snapshot) -> RunResult {
    let deployment = Deployment::new(options, services, base);
    deployment.settle_pending().await;
    if deployment.options.refresh {
        deployment.refresh_all().await;
    }
    let deployment = deployment.rebased();
    if deployment.may_start().is_ok() {
        deployment.delete_leftovers().await;
    }
    deployment.close()
}

impl Deployment {
    pub(crate) fn stack_urn(&self) -> Urn {
        self.stack.clone()
    }

    /// Registers the root stack once: a second registration gets the answer of the first.
    async fn root(&self, goal: Goal) -> &Result<Registered, RegisterError> {
        self.root.get_or_init(|| Box::pin(self.register_resource(goal))).await
    }

    /// Registers a resource, and reports it if it is skipped before it has a step.
    pub(crate) async fn register_or_skip(&self, goal: Goal) -> Result<Registered, RegisterError> {
        let urn = Urn::new(&self.options.stack, &self.options.project, goal.parent.as_ref(), &goal.ty, &goal.name);
        let answer = self.register_resource(goal).await;
        if matches!(answer, Err(RegisterError::Skipped)) {
            self.services.events.emit(Event::NotStarted { urn });
        }
        answer
    }

    /// The parent of a registered resource: the root stack, unless the program names another.
    async fn parent(&self, named: Option<Urn>) -> Result<Option<Urn>, RegisterError> {
        if named.is_some() {
            return Ok(named);
        }
        self.root(Goal::root(&self.stack)).await.as_ref().map(|stack| Some(stack.urn.clone())).map_err(Clone::clone)
    }

    /// Writes the stack's outputs: all of them after a success; after a failure, the new ones over the old ones.
    async fn finish_outputs(&self) {
        let outputs = self.stack_outputs.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut outputs) = outputs else { return };
        let found = self.decide().table.live(&self.stack).map(|(key, resource)| (key, resource.clone()));
        let Some((key, current)) = found else { return };
        if self.has_failed() || self.services.stop.is_cancelled() {
            let mut merged = current.outputs.clone();
            merged.append(&mut outputs);
            outputs = merged;
        }
        let event = Event::Outputs { urn: self.stack.clone(), old: current.outputs.clone(), new: outputs.clone() };
        if outputs != current.outputs {
            let new = Arc::new(Resource { outputs, ..Resource::clone(&current) });
            self.decide().table.put(key, new.clone());
            let record = Record { put: vec![(key, new)], ..Record::default() };
            if self.append(&self.stack, record).await.is_err() {
                return;
            }
        }
        self.services.events.emit(event);
    }

    /// Releases the plugins and returns the result.
    fn close(self) -> RunResult {
        let ending = if self.has_failed() || self.is_blemished() {
            Ending::Failed
        } else if self.services.stop.is_cancelled() {
            Ending::Cancelled
        } else {
            Ending::Succeeded
        };
        let decisions = self.decide();
        let outputs = decisions.table.live(&self.stack).map(|(_, stack)| stack.outputs.clone()).unwrap_or_default();
        let deletes_all = self.deletes_all.load(Ordering::Relaxed);
        let changed = self.changed.load(Ordering::Relaxed);
        RunResult { ending, summary: decisions.summary.clone(), outputs, deletes_all, changed }
    }
}

#[async_trait]
impl Monitor for Deployment {
    fn stack(&self) -> &Urn {
        &self.stack
    }

    fn run(&self) -> &RunInfo {
        &self.run
    }

    async fn register(&self, mut goal: Goal) -> Result<Registered, RegisterError> {
        if goal.parent.is_none() && goal.ty == self.stack.ty() && goal.name == self.stack.name() {
            return self.root(goal).await.clone();
        }
        goal.parent = self.parent(goal.parent).await?;
        let span = tracing::debug_span!("register", r#type = %goal.ty, name = %goal.name);
        self.register_or_skip(goal).instrument(span).await
    }

    fn not_registered(&self, ty: &str, name: &str, parent: Option<&Urn>) {
        let urn = Urn::new(&self.options.stack, &self.options.project, parent.or(Some(&self.stack)), ty, name);
        self.services.events.emit(Event::NotStarted { urn });
    }

    async fn register_outputs(&self, urn: &Urn, mut outputs: PropertyMap) -> Result<(), RegisterError> {
        self.services.inputs.prepare(&mut outputs).map_err(|diagnostic| self.fail(urn, diagnostic))?;
        if *urn == self.stack {
            *self.stack_outputs.lock().unwrap_or_else(PoisonError::into_inner) = Some(outputs);
            return Ok(());
        }
        let found = self.decide().table.live(urn).map(|(key, resource)| (key, resource.clone()));
        let Some((key, current)) = found else {
            if self.decide().skipped_among(std::iter::once(urn)).is_some() {
                return Ok(());
            }
            let diagnostic = Diagnostic::error(
                "engine-unknown-outputs",
                format!("outputs were set for {urn}, which is not registered"),
            );
            return Err(self.fail(urn, diagnostic));
        };
        let event = Event::Outputs { urn: urn.clone(), old: current.outputs.clone(), new: outputs.clone() };
        if outputs != current.outputs {
            let new = Arc::new(Resource { outputs, ..Resource::clone(&current) });
            self.decide().table.put(key, new.clone());
            self.append(urn, Record { put: vec![(key, new)], ..Record::default() }).await?;
        }
        self.services.events.emit(event);
        Ok(())
    }

    async fn read(&self, mut goal: ReadGoal) -> Result<Registered, RegisterError> {
        goal.parent = self.parent(goal.parent).await?;
        self.read_resource(goal).await
    }

    async fn invoke(&self, goal: InvokeGoal) -> Result<Option<PropertyMap>, RegisterError> {
        self.invoke_function(goal).await
    }

    async fn call(&self, goal: MethodGoal) -> Result<CallResponse, RegisterError> {
        self.call_method(goal).await
    }

    fn report(&self, diagnostic: Diagnostic) {
        Deployment::report(self, None, diagnostic);
    }
}
