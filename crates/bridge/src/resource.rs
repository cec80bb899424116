//! Checking and planning a resource.

pub(crate) mod apply;
pub(crate) mod autoname;
pub(crate) mod difference;
pub(crate) mod identity;
pub(crate) mod ignore_changes;
pub(crate) mod plans;
pub(crate) mod read;
pub(crate) mod timeouts;
pub(crate) mod upgrade_cache;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use outrigger_provider::{
    CallContext, CallError, CheckFailure, CheckRequest, Checked, Diff, LogLevel, NoLog, PlanRequest, Planned, Verdict,
};
use outrigger_terraform::cty::{Value as Cty, ordered};
use outrigger_terraform::schema::Block;
use outrigger_terraform::{PlanAnswer, PlanQuestion, Report, Stored, consistency, propose, replacement};
use outrigger_value::{PropertyMap, Urn, Value};

use crate::diagnostics;
use crate::package::{Package, Subject};
use crate::resource::plans::Plan;
use crate::values::encode::{self, Misfit};
use crate::values::stored_state::rounded;
use crate::values::{decode, secrets, unknown_properties};

/// The property whose value the bridge makes up if none is given.
const NAME: &str = "name";

/// A provider may defer an answer only if the client allows it, and this client never does.
pub(crate) const DEFERRED: &str = "the provider deferred its answer, although the host does not allow deferred answers";

/// A change that was planned and can be carried out.
#[derive(Clone, Debug)]
pub(crate) struct Ready {
    /// The existing resource.
    pub(crate) prior: Stored,
    pub(crate) config: Cty,
    pub(crate) planned: Cty,
    pub(crate) private: Bytes,
    pub(crate) identity: Bytes,
    pub(crate) legacy: bool,
}

impl Package {
    pub(crate) async fn check(&self, cx: &CallContext, request: CheckRequest) -> Result<Checked, CallError> {
        const CALL: &str = "Check";
        let urn = &request.resource.urn;
        let subject = self.subject(CALL, request.resource.ty())?;
        let object = &subject.resource.object;
        let mut inputs = request.news;
        let mut failures = Vec::new();
        let autonamed = subject.resource.autonamed && !inputs.contains_key(NAME);
        if autonamed {
            let before =
                request.olds.as_ref().and_then(|olds| olds.get(NAME)).filter(|name| name.bare().as_str().is_some());
            match before {
                Some(name) => drop(inputs.insert(NAME.to_owned(), name.clone())),
                None => match autoname::name(urn.name(), &request.random_seed, request.autonaming.as_ref()) {
                    Ok(name) => drop(inputs.insert(NAME.to_owned(), Value::String(name))),
                    // Where a name must be given, the provider says so itself.
                    Err(reason) => cx.log.log(LogLevel::Debug, Some(urn), &reason, false),
                },
            }
        }
        match encode::object(object, &inputs) {
            Err(misfit) => failures.push(unfitting(&misfit)),
            Ok(config) => {
                let client = self.client(cx).await?;
                let mut reports = client.validate_resource(cx, &subject.handle, &config).await?;
                if autonamed && diagnostics::conflicts(&reports, NAME) {
                    // Another property determines the name, in part or as a whole.
                    inputs.remove(NAME);
                    let config = self.config(CALL, &subject, &inputs)?;
                    reports = client.validate_resource(cx, &subject.handle, &config).await?;
                }
                failures = diagnostics::failures(object, diagnostics::Checked::Resource(urn), &mut reports);
                self.heed(cx, CALL, Some(urn), Some(object), &reports)?;
            }
        }
        failures.extend(unknown_properties::properties(&subject.resource.token, object, &inputs));
        Ok(Checked { inputs: secrets::marked(object, inputs), failures })
    }

    pub(crate) async fn plan(&self, cx: &CallContext, request: PlanRequest) -> Result<Planned, CallError> {
        let urn = &request.resource.urn;
        match (request.prior, request.inputs) {
            (prior, None) => {
                let verdict = if prior.is_some() { Verdict::Delete } else { Verdict::Same };
                Ok(Planned { verdict, diff: Diff::default(), predicted: None })
            }
            (None, Some(inputs)) => {
                const CALL: &str = "Create";
                let subject = self.subject(CALL, request.resource.ty())?;
                let config = self.config(CALL, &subject, &inputs)?;
                let ready = self.planned(cx, CALL, urn, &subject, Stored::NOTHING, config).await?.ready;
                let predicted = self.predicted(CALL, &subject, &ready.planned, &inputs)?;
                Ok(Planned { verdict: Verdict::Create, diff: Diff::default(), predicted: Some(predicted) })
            }
            (Some(prior), Some(inputs)) => {
                const CALL: &str = "Diff";
                let subject = self.subject(CALL, request.resource.ty())?;
                let stored = self.upgraded(cx, CALL, urn, &subject, &prior).await?;
                let config = self.config_of_change(CALL, &subject, &stored, &inputs, &request.ignore_changes)?;
                let plan = self.planned(cx, CALL, urn, &subject, stored, config).await?;
                let Plan { ready, replacing, .. } =
                    ignore_changes::settled(&subject.resource.object, plan, &request.ignore_changes);
                let block = &subject.handle.schema.block;
                let planned = ready.found_again();
                let replacing = replacement::effective(block, &ready.prior.state, &planned, &replacing)
                    .map_err(|nowhere| self.error(CALL, nowhere.to_string()))?;
                let diff = difference::of(&subject.resource.object, &ready.prior.state, &planned, &replacing);
                // The path may be the resource as a whole, which is not a property.
                let verdict = match (replacing.is_empty(), diff.changed) {
                    (false, _) => Verdict::Replace,
                    (true, Some(false)) => Verdict::Same,
                    _ => Verdict::Update,
                };
                drop(planned);
                self.plans.judged(urn, &ready, verdict);
                let shown = if verdict == Verdict::Replace && request.predict {
                    // A replacement computes everything again: its prediction is a plan with no prior state, in which nothing can stay
                    // unchanged.
                    let config = self.config(CALL, &subject, &inputs)?;
                    self.planned(cx, CALL, urn, &subject, Stored::NOTHING, config).await?.ready
                } else {
                    ready
                };
                let predicted =
                    request.predict.then(|| self.predicted(CALL, &subject, &shown.planned, &inputs)).transpose()?;
                Ok(Planned { verdict, diff, predicted })
            }
        }
    }

    /// Inputs, encoded for the provider.
    pub(crate) fn config(&self, call: &str, subject: &Subject, inputs: &PropertyMap) -> Result<Cty, CallError> {
        encode::object(&subject.resource.object, inputs).map_err(|misfit| self.error(call, misfit.to_string()))
    }

    /// PlanResourceChange, unless a plan for the same question is kept.
    pub(crate) async fn planned(
        &self,
        cx: &CallContext,
        call: &str,
        urn: &Urn,
        subject: &Subject,
        prior: Stored,
        config: Cty,
    ) -> Result<Plan, CallError> {
        let block = &subject.handle.schema.block;
        let plan = match self.plans.get(urn, &prior, &config) {
            Some(plan) => plan,
            None => {
                let replacement = prior.state.is_null().then(|| self.plans.replacement(urn)).flatten();
                self.asked_plan(cx, call, subject, prior, config, replacement.as_ref()).await?
            }
        };
        let object = Some(&subject.resource.object);
        let told = &told_once(cx, call);
        self.heed(told, call, Some(urn), object, &plan.reports)?;
        self.hold(told, call, urn, &findings(block, &plan.ready), "planned")?;
        self.plans.keep(urn, &plan);
        Ok(plan)
    }

    /// `private` replaces the existing resource's private bytes in the request.
    async fn asked_plan(
        &self,
        cx: &CallContext,
        call: &str,
        subject: &Subject,
        prior: Stored,
        config: Cty,
        private: Option<&Bytes>,
    ) -> Result<Plan, CallError> {
        let block = &subject.handle.schema.block;
        let proposed = ordered(propose::proposed(block, &prior.state, &config), &subject.handle.ty);
        let question = PlanQuestion {
            prior: &prior.state,
            proposed: &proposed,
            config: &config,
            prior_private: private.unwrap_or(&prior.private),
            prior_identity: &prior.identity,
        };
        let answer = self.client(cx).await?.plan(cx, &subject.handle, &question).await?;
        let PlanAnswer { planned, requires_replace, private, identity, legacy, deferred, reports, .. } = answer;
        if deferred {
            return Err(self.error(call, DEFERRED));
        }
        // Applied, it would delete the existing resource.
        if planned.is_null() && !reports.iter().any(Report::is_error) {
            return Err(self.error(
                call,
                "the provider plans no values for a resource that should exist, which is a bug in the provider",
            ));
        }
        let ready = Arc::new(Ready { prior, config, planned, private, identity, legacy });
        Ok(Plan { ready, replacing: requires_replace.into(), reports: reports.into() })
    }

    /// Reports violated rules; in strict mode they fail the step.
    pub(crate) fn hold(
        &self,
        cx: &CallContext,
        call: &str,
        urn: &Urn,
        findings: &[consistency::Finding],
        did: &str,
    ) -> Result<(), CallError> {
        let texts: Vec<String> = findings
            .iter()
            .map(|finding| {
                format!("the provider {did} something inconsistent, which is a bug in the provider: {finding}")
            })
            .collect();
        if self.strict && !texts.is_empty() {
            return Err(self.error(call, texts.join("\n")));
        }
        for text in texts {
            cx.log.log(LogLevel::Warning, Some(urn), &text, false);
        }
        Ok(())
    }

    /// The outputs of a plan; secrets among the inputs stay secret.
    fn predicted(
        &self,
        call: &str,
        subject: &Subject,
        planned: &Cty,
        inputs: &PropertyMap,
    ) -> Result<PropertyMap, CallError> {
        let mut outputs = decode::object(&subject.resource.object, planned)
            .map_err(|unfit| self.error(call, format!("the plan cannot be understood: {unfit}")))?;
        secrets::annotate(&mut outputs, inputs);
        Ok(outputs)
    }

    /// The plan of a deletion, for the provider's private bytes. Only providers that want it are asked.
    pub(crate) async fn planned_deletion(
        &self,
        cx: &CallContext,
        urn: &Urn,
        subject: &Subject,
        prior: Stored,
    ) -> Result<Ready, CallError> {
        const CALL: &str = "Delete";
        let (private, identity, legacy) = if self.schemas().capabilities().plan_destroy {
            let question = PlanQuestion {
                prior: &prior.state,
                proposed: &Cty::Null,
                config: &Cty::Null,
                prior_private: &prior.private,
                prior_identity: &prior.identity,
            };
            let answer = self.client(cx).await?.plan(cx, &subject.handle, &question).await?;
            self.heed(cx, CALL, Some(urn), Some(&subject.resource.object), &answer.reports)?;
            if answer.deferred {
                return Err(self.error(CALL, DEFERRED));
            }
            if !answer.planned.is_null() {
                return Err(self.error(
                    CALL,
                    "the provider plans to keep a resource that is to be deleted, which is a bug in the provider",
                ));
            }
            (answer.private, answer.identity, answer.legacy)
        } else {
            // All framework-based providers want to be asked.
            (prior.private.clone(), prior.identity.clone(), true)
        };
        Ok(Ready { prior, config: Cty::Null, planned: Cty::Null, private, identity, legacy })
    }
}

/// An update is planned when it is compared, and again when it is applied: warnings about the plan are logged the first time only.
fn told_once(cx: &CallContext, call: &str) -> CallContext {
    if call == "Update" { CallContext { log: Arc::new(NoLog), ..cx.clone() } } else { cx.clone() }
}

/// The rules that a plan violates.
fn findings(block: &Block, ready: &Ready) -> Vec<consistency::Finding> {
    let mut findings = consistency::write_only_in(block, &ready.planned);
    if ready.legacy {
        return findings;
    }
    let broken = consistency::of_plan(block, &ready.prior.state, &ready.config, &ready.planned);
    if !broken.is_empty() {
        // Large numbers are sent with fewer digits, as Pulumi's bridge sends them, and come back changed.
        let [prior, config, planned] =
            [&ready.prior.state, &ready.config, &ready.planned].map(|value| rounded(value.clone()));
        findings.extend(consistency::of_plan(block, &prior, &config, &planned));
    }
    findings
}

impl Ready {
    /// The planned state as it will be restored from the state file. Stored numbers are doubles, and a plan that differs only in digits that a
    /// double cannot hold changes nothing.
    pub(crate) fn found_again(&self) -> Cow<'_, Cty> {
        if self.planned == self.prior.state {
            Cow::Borrowed(&self.planned)
        } else {
            Cow::Owned(rounded(self.planned.clone()))
        }
    }

    pub(crate) fn changes_nothing(&self) -> bool {
        *self.found_again() == self.prior.state
    }

    /// The change with the user's time limit for the step, if the resource supports one.
    pub(crate) fn limited(&self, block: &Block, step: timeouts::Operation, limit: Duration) -> Self {
        let mut limited = self.clone();
        if self.legacy || timeouts::is_of_old_kind(&self.private) {
            if let Some(private) = timeouts::with_limit(block, &self.private, step, limit) {
                limited.private = private;
            }
            return limited;
        }
        // A deletion has its limit in the prior state, everything else in configuration and plan.
        let values = if step == timeouts::Operation::Delete {
            vec![&mut limited.prior.state]
        } else {
            vec![&mut limited.config, &mut limited.planned]
        };
        for value in values {
            if let Some(changed) = timeouts::in_value(block, value, step, limit) {
                *value = changed;
            }
        }
        limited
    }
}

fn unfitting(misfit: &Misfit) -> CheckFailure {
    CheckFailure::new(misfit.path.to_string(), misfit.reason.clone())
}
