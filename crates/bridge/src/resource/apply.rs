//! Carrying out a change. Everything that exists afterwards is kept in the outcome, whatever else the answer contains.

use std::ops::ControlFlow;

use outrigger_provider::{Action, ApplyRequest, CallContext, CallError, ErrorKind, Outcome, State};
use outrigger_terraform::cty::Value as Cty;
use outrigger_terraform::{Applied, ApplyQuestion, Stored, consistency, replacement, write_only};
use outrigger_value::{PropertyMap, Urn};

use crate::diagnostics;
use crate::naming::resources::{Id, MISSING_ID};
use crate::package::{Package, Subject};
use crate::resource::Ready;
use crate::resource::ignore_changes::settled;
use crate::resource::plans::Plan;
use crate::resource::timeouts::{self, Operation};
use crate::values::secrets;

impl Package {
    pub(crate) async fn apply(&self, cx: &CallContext, request: ApplyRequest) -> Outcome {
        let (call, step) = match request.action {
            Action::Create => ("Create", Operation::Create),
            Action::Update => ("Update", Operation::Update),
            Action::Delete => ("Delete", Operation::Delete),
        };
        let subject = match self.subject(call, request.resource.ty()) {
            Ok(subject) => subject,
            Err(error) => return Outcome::NotDone(error),
        };
        let urn = &request.resource.urn;
        let mut ready = match self.ready(cx, call, urn, &subject, &request).await {
            Ok(ready) => ready,
            // Planning changes nothing, even if it fails.
            Err(error) => return Outcome::NotDone(error),
        };
        let ending = Ending { package: self, cx, call, urn, subject: &subject, request: &request };
        if request.action == Action::Update && ready.changes_nothing() {
            ready = match self.looked_at(&ending, &ready).await {
                Ok(ControlFlow::Continue(ready)) => ready,
                Ok(ControlFlow::Break(outcome)) => return outcome,
                Err(error) => return Outcome::NotDone(error),
            };
        }
        self.plans.forget(urn, request.action);
        let limited = request.timeout.map(|limit| ready.limited(&subject.handle.schema.block, step, limit));
        let order = limited.as_ref().unwrap_or(&ready);
        let question = ApplyQuestion {
            prior: &order.prior.state,
            planned: &order.planned,
            config: &order.config,
            planned_private: &order.private,
            planned_identity: &order.identity,
        };
        let answer = match self.client(cx).await {
            // The provider was asked to stop while the change was planned: nothing would stop a call made now.
            Ok(_) if self.process.is_stopped() => {
                return Outcome::NotDone(self.error(call, "the call was not made: the provider is stopping"));
            }
            Ok(client) => self.process.stoppable(cx, client.apply(cx, &subject.handle, &question)).await,
            Err(error) => return Outcome::NotDone(error),
        };
        match answer {
            Err(error) if error.leaves_doubt() => Outcome::Unknown { error, last: request.prior.clone() },
            Err(error) => Outcome::NotDone(error),
            Ok(mut applied) => {
                if let Some(limited) = &limited {
                    let [ordered, own] = [limited, &ready].map(|change| expected(change, request.action));
                    timeouts::out_of_value(&mut applied.stored.state, ordered, own);
                }
                ending.of(&ready, applied)
            }
        }
    }

    /// Terraform applies no plan that changes nothing, and many providers cannot: they have no update at all. But Pulumi's engine orders an
    /// update of a resource that was only partly created, even if the program has not changed. The resource may by now be in the planned state,
    /// so it is read first; if it is not, the difference is planned and has to be applied.
    async fn looked_at(&self, ending: &Ending<'_>, ready: &Ready) -> Result<ControlFlow<Outcome, Ready>, CallError> {
        let Ending { cx, call, urn, subject, .. } = *ending;
        let Some(found) = self.found(cx, urn, subject, &ready.prior, None).await? else {
            let message = "it is missing; a refresh removes it from the state, and the next update recreates it";
            return Err(self.error(call, message));
        };
        if found.state == ready.prior.state {
            return Ok(ControlFlow::Break(ending.state(found, Vec::new())));
        }
        // Properties in `ignoreChanges` keep the values that were just read.
        let ignored = &ending.request.ignore_changes;
        let config = self.config_of_change(call, subject, &found, &ending.request.inputs, ignored)?;
        // This comparison is new, so the provider's warnings about it are too.
        let plan = self.planned(cx, "Diff", urn, subject, found, config).await?;
        let Plan { ready, replacing, .. } = settled(&subject.resource.object, plan, ignored);
        let block = &subject.handle.schema.block;
        let replacing = replacement::effective(block, &ready.prior.state, &ready.found_again(), &replacing)
            .map_err(|nowhere| self.error(call, nowhere.to_string()))?;
        if !replacing.is_empty() {
            let reason = "it has drifted in a way that forces its replacement: the next update recreates it";
            return Ok(ControlFlow::Break(ending.state(ready.prior.clone(), vec![reason.to_owned()])));
        }
        Ok(match ready.changes_nothing() {
            true => ControlFlow::Break(ending.state(ready.prior.clone(), Vec::new())),
            false => ControlFlow::Continue(Ready::clone(&ready)),
        })
    }

    /// The kept plan, or a new one, with everything that applying it needs.
    async fn ready(
        &self,
        cx: &CallContext,
        call: &str,
        urn: &Urn,
        subject: &Subject,
        request: &ApplyRequest,
    ) -> Result<Ready, CallError> {
        // Fetched before the change: without the schemas, an identity in the answer could not be kept.
        self.identities(cx).await?;
        let mut ready = self.plan_of(cx, call, urn, subject, request).await?;
        // A state that Pulumi's bridge wrote has no identity, and providers that have them fail an update without one.
        if request.action == Action::Update && self.lacks_identity(subject, &ready.identity) {
            let answer = self.client(cx).await?.read(cx, &subject.handle, &ready.prior).await?;
            self.heed(cx, call, Some(urn), Some(&subject.resource.object), &answer.reports)?;
            ready.identity = answer.stored.identity;
        }
        Ok(ready)
    }

    async fn plan_of(
        &self,
        cx: &CallContext,
        call: &str,
        urn: &Urn,
        subject: &Subject,
        request: &ApplyRequest,
    ) -> Result<Ready, CallError> {
        match (&request.prior, request.action) {
            (Some(prior), Action::Delete) => {
                let stored = self.current(cx, call, urn, subject, prior).await?;
                self.planned_deletion(cx, urn, subject, stored).await
            }
            (Some(prior), Action::Update) => {
                let stored = self.upgraded(cx, call, urn, subject, prior).await?;
                let config = self.config_of_change(call, subject, &stored, &request.inputs, &request.ignore_changes)?;
                let plan = self.planned(cx, call, urn, subject, stored, config).await?;
                let plan = settled(&subject.resource.object, plan, &request.ignore_changes);
                Ok(Ready::clone(&plan.ready))
            }
            _ => {
                let config = self.config(call, subject, &request.inputs)?;
                let plan = self.planned(cx, call, urn, subject, Stored::NOTHING, config).await?;
                Ok(Ready::clone(&plan.ready))
            }
        }
    }

    /// The id of a resource, from its outputs; `None` if it should have one and does not.
    pub(crate) fn id(&self, subject: &Subject, outputs: &PropertyMap) -> Option<String> {
        let property = match &subject.resource.id {
            Id::Missing => return Some(MISSING_ID.to_owned()),
            Id::Attribute => "id",
            Id::Property(name) => name,
        };
        outputs.get(property).and_then(|id| id.bare().as_str()).filter(|id| !id.is_empty()).map(str::to_owned)
    }
}

/// Turns an answer into an outcome.
struct Ending<'a> {
    package: &'a Package,
    cx: &'a CallContext,
    call: &'a str,
    urn: &'a Urn,
    subject: &'a Subject,
    request: &'a ApplyRequest,
}

impl Ending<'_> {
    fn of(&self, ready: &Ready, applied: Applied) -> Outcome {
        let Applied { stored, legacy, reports } = applied;
        let object = Some(&self.subject.resource.object);
        let mut reasons: Vec<String> =
            diagnostics::error(self.cx, Some(self.urn), object, &reports).into_iter().collect();
        let block = &self.subject.handle.schema.block;
        if self.request.action == Action::Delete {
            let stored = Stored { state: write_only::removed(block, stored.state), ..stored };
            return self.of_deletion(stored, reasons);
        }
        if stored.state.is_null() {
            return self.nothing(reasons);
        }
        let mut wrong = consistency::unknown_in(&stored.state);
        wrong.extend(consistency::write_only_in(block, &stored.state));
        reasons.extend(wrong.iter().map(|finding| format!("the provider answered something wrong: {finding}")));
        // After an error, a provider has seldom done exactly what it planned.
        if !legacy && !ready.legacy && reasons.is_empty() {
            let findings = consistency::of_result(block, &ready.planned, &stored.state);
            let held = self.package.hold(self.cx, self.call, self.urn, &findings, "did");
            reasons.extend(held.err().map(|error| error.message));
        }
        let state = write_only::removed(block, stored.state.unknown_as_null());
        self.state(Stored { state, ..stored }, reasons)
    }

    /// The state of the resource, and whether it is complete.
    fn state(&self, stored: Stored, mut reasons: Vec<String>) -> Outcome {
        let mut outputs = match self.package.outputs(self.subject, &stored) {
            Ok(outputs) => outputs,
            Err(unfit) => {
                reasons.push(format!("the answer cannot be understood: {unfit}"));
                if let Some(state) = self.known_by_id(&stored) {
                    return Outcome::Partial { state, reasons };
                }
                let error = self.error(ErrorKind::Garbage, reasons.join("\n"));
                return Outcome::Unknown { error, last: self.request.prior.clone() };
            }
        };
        secrets::annotate(&mut outputs, &self.request.inputs);
        let known = self.request.prior.as_ref().map(|prior| prior.id.clone());
        let Some(id) = self.package.id(self.subject, &outputs).or(known.filter(|id| !id.is_empty())) else {
            // There is a state, so a resource may exist, whatever else the answer contains.
            reasons.push("the provider returned a state without an id".to_owned());
            return Outcome::Unknown { error: self.error(ErrorKind::Garbage, reasons.join("\n")), last: None };
        };
        let state = State { id, inputs: self.request.inputs.clone(), outputs, ..State::default() };
        if reasons.is_empty() { Outcome::Done(state) } else { Outcome::Partial { state, reasons } }
    }

    /// A resource whose properties cannot be shown but whose id can. The rest is read before anything else happens to it.
    fn known_by_id(&self, stored: &Stored) -> Option<State> {
        let resource = &self.subject.resource;
        let attribute = match &resource.id {
            Id::Missing => return None,
            Id::Attribute => "id",
            Id::Property(name) => &resource.object.field(name)?.terraform,
        };
        let id = stored.state.get(attribute)?.as_str().filter(|id| !id.is_empty())?.to_owned();
        let inputs = self.request.inputs.clone();
        let state = State { id, inputs, refresh_before_update: true, ..State::default() };
        (self.request.action == Action::Create).then_some(state)
    }

    /// The provider returned no state.
    fn nothing(&self, reasons: Vec<String>) -> Outcome {
        if !reasons.is_empty() {
            return Outcome::NotDone(self.error(ErrorKind::NotDone, reasons.join("\n")));
        }
        // The resource may well have been created: the user has to check.
        let error = self.error(ErrorKind::Garbage, "the provider answered neither a state nor an error".to_owned());
        Outcome::Unknown { error, last: self.request.prior.clone() }
    }

    /// A resource that could not be deleted keeps its state, which the provider may have updated in its answer.
    fn of_deletion(&self, stored: Stored, mut reasons: Vec<String>) -> Outcome {
        if reasons.is_empty() {
            if stored.state.is_null() {
                return Outcome::Done(State::default());
            }
            reasons.push("the provider reported no error, but the resource still exists".to_owned());
        }
        match (&self.request.prior, self.package.outputs(self.subject, &stored)) {
            (Some(prior), Ok(outputs)) if !stored.state.is_null() && stored.state.is_wholly_known() => {
                let mut state = prior.clone();
                state.outputs = outputs;
                secrets::annotate(&mut state.outputs, &prior.inputs);
                Outcome::Partial { state, reasons }
            }
            _ => Outcome::NotDone(self.error(ErrorKind::NotDone, reasons.join("\n"))),
        }
    }

    fn error(&self, kind: ErrorKind, message: String) -> CallError {
        CallError::new(self.package.label(), self.call, kind, message)
    }
}

/// The provider's answer if it has nothing new to report: the plan, or the prior state of a resource that it could not delete.
fn expected(change: &Ready, action: Action) -> &Cty {
    match action {
        Action::Create | Action::Update => &change.planned,
        Action::Delete => &change.prior.state,
    }
}
