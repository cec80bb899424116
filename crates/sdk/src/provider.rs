//! A package that is configured.

use std::sync::Arc;

use async_trait::async_trait;
use outrigger_provider::{
    Action, ApplyRequest, CallContext, CallError, CheckRequest, Checked, Diff, ErrorKind, ImportRequest, Imported,
    Invoke, Invoked, Outcome, PlanRequest, Planned, Provider, ReadRequest, ReadResult, ResourceIdentity,
    State as Stored, Verdict,
};
use outrigger_value::nearest;

use crate::context::{Context, Shared};
use crate::erased::{AnyResource, conceal};
use crate::plugin::{failure, invoke};
use crate::validation::{Completed, InputKind, complete};
use crate::{Changes, Error, Package, Preview, autoname};

/// A package, configured or not.
pub(crate) struct PackageProvider {
    package: Arc<Package>,
    shared: Shared,
    unconfigured: bool,
}

impl PackageProvider {
    pub(crate) fn new(package: Arc<Package>, shared: Shared, unconfigured: bool) -> Self {
        Self { package, shared, unconfigured }
    }

    fn context(&self, cx: &CallContext) -> Context {
        Context::new(cx, self.shared.clone())
    }

    fn error(&self, call: &str, error: Error) -> CallError {
        failure(&self.package, call, error)
    }

    fn resource(&self, call: &str, resource: &ResourceIdentity) -> Result<&Arc<dyn AnyResource>, CallError> {
        let token = resource.ty();
        self.package.resources.get(token).ok_or_else(|| {
            let near = nearest::closest(token, self.package.resources.keys().copied());
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            self.error(call, Error::new(format!("there is no resource type `{token}`{hint}")))
        })
    }

    /// Ends an order that failed: the author's error holds the state that is left.
    fn outcome(&self, call: &str, before: Stored, error: Error) -> Outcome {
        let Error { message, kind, partial, .. } = error;
        if let Some(partial) = partial {
            let id = partial.id.unwrap_or_else(|| before.id.clone());
            if !id.is_empty() {
                let reasons = vec![message];
                let outputs = conceal(partial.outputs, &before.inputs);
                let state = Stored { id, outputs, init_errors: reasons.clone(), ..before };
                return Outcome::Partial { state, reasons };
            }
        }
        let error = self.error(call, Error { kind, ..Error::new(message) });
        match error.kind {
            ErrorKind::Unknown => Outcome::Unknown { error, last: (!before.id.is_empty()).then_some(before) },
            _ => Outcome::NotDone(error),
        }
    }

    async fn carry_out(&self, cx: &Context, request: ApplyRequest) -> Result<Outcome, CallError> {
        let ApplyRequest { resource, action, prior, inputs, .. } = request;
        let known = self.resource(call(action), &resource)?;
        let (done, before) = match (action, prior) {
            (Action::Create, _) => {
                let fresh = Stored { inputs: inputs.clone(), ..Stored::default() };
                (known.create(cx, inputs).await, fresh)
            }
            (_, None) => {
                let message = format!("there is no state of {} to work on", resource.urn);
                return Err(self.error(call(action), Error::new(message)));
            }
            (Action::Update, Some(mut prior)) => {
                known.upgrade(&mut prior);
                (known.update(cx, prior.clone(), inputs).await, prior)
            }
            (Action::Delete, Some(mut prior)) => {
                known.upgrade(&mut prior);
                let done = known.delete(cx, prior.clone()).await;
                (done.map(|()| Stored::default()), prior)
            }
        };
        Ok(match done {
            Ok(state) => Outcome::Done(state),
            Err(error) => self.outcome(call(action), before, error),
        })
    }
}

/// Pulumi's word for an order.
fn call(action: Action) -> &'static str {
    match action {
        Action::Create => "Create",
        Action::Update => "Update",
        Action::Delete => "Delete",
    }
}

#[async_trait]
impl Provider for PackageProvider {
    fn label(&self) -> String {
        format!("{} {}", self.package.name, self.package.version)
    }

    fn takes_autonaming(&self) -> bool {
        self.package.takes_autonaming()
    }

    fn unconfigured(&self) -> bool {
        self.unconfigured
    }

    async fn check(&self, cx: &CallContext, request: CheckRequest) -> Result<Checked, CallError> {
        const CALL: &str = "Check";
        let CheckRequest { resource, olds, mut news, random_seed, autonaming, .. } = request;
        let known = self.resource(CALL, &resource)?;
        autoname::fill(known.taken(), &resource, olds.as_ref(), &mut news, &random_seed, autonaming.as_ref());
        let mut completed = complete(known.taken(), news, InputKind::Program, &*self.package.environment);
        if completed.is_settled() && !self.unconfigured {
            let cx = self.context(cx).about(resource, None);
            let checked = known.check(&cx, olds, completed, random_seed).await;
            completed = checked.map_err(|error| self.error(CALL, error))?;
        }
        let Completed { inputs, failures } = completed;
        Ok(Checked { inputs, failures })
    }

    async fn plan(&self, cx: &CallContext, request: PlanRequest) -> Result<Planned, CallError> {
        const CALL: &str = "Diff";
        let PlanRequest { resource, prior, inputs, ignore_changes, predict, timeout } = request;
        let known = self.resource(CALL, &resource)?;
        let cx = self.context(cx).about(resource, timeout);
        let planned = |verdict, diff, predicted| Planned { verdict, diff, predicted };
        let Some(inputs) = inputs else { return Ok(planned(Verdict::Delete, Diff::default(), None)) };
        let (verdict, diff, prior) = match prior {
            None => (Verdict::Create, Diff::default(), None),
            Some(mut prior) => {
                known.upgrade(&mut prior);
                let mut changes = Changes::between(known.taken(), &prior.inputs, &inputs, &ignore_changes);
                changes.delete_before_replace = known.deletes_before_replace();
                // An author's code may ask for the configuration.
                if !self.unconfigured {
                    let corrected = known.diff(&cx, &prior, &inputs, &mut changes).await;
                    corrected.map_err(|error| self.error(CALL, error))?;
                }
                let (verdict, diff) = changes.conclude(known.answered());
                (verdict, diff, Some(prior.outputs))
            }
        };
        let predicted = match (predict, verdict) {
            (false, _) => None,
            (true, Verdict::Same) => prior,
            (true, _) => {
                let before = prior.filter(|_| verdict == Verdict::Update);
                let mut preview = Preview::new((known.taken(), known.answered()), inputs, before);
                if !self.unconfigured {
                    let corrected = known.preview(&cx, &mut preview).await;
                    corrected.map_err(|error| self.error("Preview", error))?;
                }
                Some(preview.into_outputs())
            }
        };
        Ok(planned(verdict, diff, predicted))
    }

    async fn apply(&self, cx: &CallContext, request: ApplyRequest) -> Outcome {
        let cx = self.context(cx).about(request.resource.clone(), request.timeout);
        self.carry_out(&cx, request).await.unwrap_or_else(Outcome::NotDone)
    }

    async fn read(&self, cx: &CallContext, request: ReadRequest) -> Result<ReadResult, CallError> {
        const CALL: &str = "Read";
        let ReadRequest { resource, mut state, timeout } = request;
        let known = self.resource(CALL, &resource)?;
        let cx = self.context(cx).about(resource, timeout);
        known.upgrade(&mut state);
        match known.read(&cx, state.clone()).await {
            Ok(Some(found)) => Ok(ReadResult::Found { state: found, inputs_known: true, unchanged: false }),
            Ok(None) => Ok(ReadResult::Gone),
            Err(Error { message, partial: Some(partial), .. }) => {
                let outputs = conceal(partial.outputs, &state.inputs);
                let state = Stored { outputs, init_errors: vec![message], ..state };
                Ok(ReadResult::Found { state, inputs_known: false, unchanged: false })
            }
            Err(error) => Err(self.error(CALL, error)),
        }
    }

    async fn import(&self, cx: &CallContext, request: ImportRequest) -> Result<Imported, CallError> {
        const CALL: &str = "Read";
        let ImportRequest { resource, id, timeout } = request;
        let known = self.resource(CALL, &resource)?;
        let token = resource.ty().to_owned();
        let cx = self.context(cx).about(resource, timeout);
        let found = known.import(&cx, id).await.map_err(|error| self.error(CALL, error))?;
        Ok(Imported { resources: found.into_iter().map(|state| (token.clone(), state)).collect() })
    }

    async fn invoke(&self, cx: &CallContext, request: Invoke) -> Result<Invoked, CallError> {
        invoke(&self.package, self.context(cx), request).await
    }
}
