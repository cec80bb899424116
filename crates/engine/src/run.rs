//! The commands: up, refresh, destroy. Each is one run over one base snapshot.

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

/// Brings a stack to what a program says; with `options.preview`, only says what would happen.
pub async fn up(options: Options, services: Services, base: Snapshot, program: &dyn Program) -> RunResult {
    let mut deployment = Deployment::new(options, services, base);
    match Naming::read(&deployment.options, &deployment.run) {
        Ok(naming) => deployment.naming = naming,
        Err(diagnostic) => {
            Deployment::report(&deployment, None, diagnostic);
            return deployment.close().await;
        }
    }
    deployment.settle_pending().await;
    if deployment.options.refresh {
        deployment.refresh_all().await;
    }
    let deployment = deployment.rebased();
    deployment.providers.require(program.required_packages());
    let registered = deployment.register_resource(deployment.stack_goal()).await;
    if registered.is_ok() {
        let ended = program.run(&deployment).await;
        if ended.is_err() {
            deployment.mark_failed();
        }
    }
    // After a failure, what was not registered may only have waited for what failed.
    if deployment.may_start().is_ok() && !deployment.has_failed() {
        deployment.delete_leftovers().await;
    }
    deployment.finish_outputs().await;
    deployment.close().await
}

/// Brings the state to what exists.
pub async fn refresh(options: Options, services: Services, base: Snapshot) -> RunResult {
    let deployment = Deployment::new(options, services, base);
    deployment.settle_pending().await;
    if deployment.may_start().is_ok() {
        deployment.refresh_all().await;
    }
    deployment.close().await
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
    deployment.close().await
}

impl Deployment {
    pub(crate) fn stack_urn(&self) -> Urn {
        self.stack.clone()
    }

    fn stack_goal(&self) -> Goal {
        Goal { ty: self.stack.ty().to_owned(), name: self.stack.name().to_owned(), ..Goal::default() }
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

    /// Gives the plugins back and says how it ended.
    async fn close(self) -> RunResult {
        for plugin in self.providers.take_started() {
            self.services.plugins.release(plugin).await;
        }
        let ending = if self.has_failed() || self.is_blemished() {
            Ending::Failed
        } else if self.services.stop.is_cancelled() {
            Ending::Cancelled
        } else {
            Ending::Succeeded
        };
        let decisions = self.decide();
        let outputs = decisions.table.live(&self.stack).map(|(_, stack)| stack.outputs.clone()).unwrap_or_default();
        RunResult { ending, summary: decisions.summary.clone(), outputs }
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
        goal.parent.get_or_insert_with(|| self.stack.clone());
        let span = tracing::debug_span!("register", r#type = %goal.ty, name = %goal.name);
        self.register_resource(goal).instrument(span).await
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
        goal.parent.get_or_insert_with(|| self.stack.clone());
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
