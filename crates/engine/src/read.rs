//! Resources that are read but not managed, imported ones, and function calls.

use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{
    Goal, ImportRequest, Invoke, InvokeGoal, ReadGoal, ReadRequest, ReadResult, RegisterError, Registered,
    ResourceIdentity, Source, State,
};
use outrigger_state::{OperationKind, PendingOperation, Record, Resource};
use outrigger_value::{PropertyMap, ProviderReference, Urn, Value};
use tracing::Instrument as _;

use crate::decisions::Milestone;
use crate::deployment::{Deployment, diagnose};
use crate::operations::ended;
use crate::providers::Instance;
use crate::register::{Registration, package_or, place};
use crate::steps::{came_of, timeout};
use crate::{Step, StepOp, StepResult, changes};

/// The function that every language SDK calls to resolve a resource reference.
const GET_RESOURCE: &str = "pulumi:pulumi:getResource";

impl Deployment {
    /// Reads a resource that someone else manages.
    pub(crate) async fn read_resource(&self, goal: ReadGoal) -> Result<Registered, RegisterError> {
        self.may_start()?;
        let as_goal = Goal {
            ty: goal.ty.clone(),
            name: goal.name.clone(),
            custom: true,
            parent: goal.parent.clone(),
            source: goal.source.clone(),
            ..Goal::default()
        };
        let preliminary =
            Urn::new(&self.options.stack, &self.options.project, goal.parent.as_ref(), &goal.ty, &goal.name);
        let (reference, instance) =
            self.instance_for(goal.provider.clone(), goal.package.as_ref(), &goal.ty, &preliminary).await?;
        let mut begun =
            self.decide().begin(&as_goal).map_err(|diagnostic| self.fail(&preliminary, place(diagnostic, &as_goal)))?;
        let urn = begun.urn.clone();
        self.decide().settle(&urn);
        if let Some((key, _)) = begun.old {
            let condemned = self.decide().is_condemned(key);
            if condemned {
                self.wait_for(Milestone::Gone(key)).await?;
            }
            begun.old = self.decide().table.get(key).map(|old| (key, old.clone()));
        }
        let id = match goal.id.as_ref().map(Value::bare) {
            Some(Value::String(id)) if !id.is_empty() => Some(id.clone()),
            Some(Value::Unknown) if self.options.preview => None,
            _ => {
                let diagnostic =
                    Diagnostic::error("engine-read-id", format!("`{}` cannot be read without an id", goal.name))
                        .hint("Set `get.id` to a value that is known.");
                return Err(self.fail(&urn, place(diagnostic, &as_goal)));
            }
        };
        let old = begun.old.as_ref().map(|(_, old)| old.clone());
        let relinquished = old.as_ref().is_some_and(|old| !old.external && !old.pending_replacement && old.id != id);
        let op = if relinquished { StepOp::ReadReplacement } else { StepOp::Read };
        let mut new = Resource {
            id: id.clone(),
            inputs: goal.properties.clone(),
            parent: goal.parent.clone(),
            provider: Some(reference),
            dependencies: goal.dependencies.clone(),
            external: true,
            additional_secret_outputs: goal.additional_secret_outputs.clone(),
            aliases: begun.alias.iter().cloned().collect(),
            created: old.as_ref().and_then(|old| old.created.clone()),
            modified: old.as_ref().and_then(|old| old.modified.clone()),
            ..Resource::new(urn.clone(), true)
        };
        self.refuse_skipped(&new, &as_goal)?;
        let step =
            self.started(Step { op, urn: urn.clone(), old: old.clone(), new: Some(Arc::new(new.clone())), diff: None });
        if let Some(id) = id {
            let state =
                State { id: id.clone(), inputs: goal.properties.clone(), outputs: goal.properties, ..State::default() };
            match self.read_state(&instance, &urn, state, 0.0).await {
                Ok(ReadResult::Found { state, .. }) => {
                    new.id = Some(if state.id.is_empty() { id } else { state.id });
                    new.outputs = state.outputs;
                    new.init_errors = state.init_errors;
                }
                Ok(ReadResult::Gone) => {
                    self.ended(&step, old, StepResult::Failed, op);
                    let diagnostic = Diagnostic::error(
                        "engine-read-missing",
                        format!("`{}` ({}) does not exist", goal.name, goal.ty),
                    )
                    .detail(format!("no resource has the id `{id}`"));
                    return Err(self.fail(&urn, place(diagnostic, &as_goal)));
                }
                Err(reason) => {
                    self.ended(&step, old, came_of(&reason), op);
                    return Err(reason);
                }
            }
        }
        changes::seal(&mut new);
        if old.as_ref().is_some_and(|old| old.inputs != new.inputs || old.outputs != new.outputs) {
            new.modified = Some(self.now());
        }
        let new = Arc::new(new);
        let mut record = Record::default();
        {
            let mut decisions = self.decide();
            record.put.extend(decisions.rename(&begun));
            let key = match &begun.old {
                Some((key, _)) if relinquished => {
                    record.put.extend(decisions.mark_old(*key, &begun));
                    decisions.table.new_entry()
                }
                Some((key, _)) => *key,
                None => decisions.table.new_entry(),
            };
            if decisions.table.get(key) != Some(&new) {
                decisions.table.put(key, new.clone());
                record.put.push((key, new.clone()));
            }
        }
        self.append(&urn, record).await?;
        self.ended(&step, Some(new.clone()), StepResult::Done, op);
        Ok(self.answer(&new))
    }

    /// Asks the provider for a resource's current state.
    pub(crate) async fn read_state(
        &self,
        instance: &Instance,
        urn: &Urn,
        state: State,
        limit: f64,
    ) -> Result<ReadResult, RegisterError> {
        let request = ReadRequest { resource: ResourceIdentity::new(urn.clone()), state, timeout: timeout(limit) };
        let permit = self.permit().await?;
        self.calling(urn);
        let span = tracing::info_span!("read", %urn);
        let result = instance.provider.read(&self.context, request).instrument(span).await;
        drop(permit);
        result.map_err(|error| self.fail(urn, diagnose(error, "read", urn)))
    }

    /// The provider for a goal that is not a resource.
    async fn instance_for(
        &self,
        explicit: Option<ProviderReference>,
        package: Option<&outrigger_provider::PluginDescriptor>,
        token: &str,
        user: &Urn,
    ) -> Result<(ProviderReference, Instance), RegisterError> {
        let reference = match explicit {
            Some(reference) => reference,
            None => self.default_provider(package_or(package, token), user).await?,
        };
        let instance = self.provider(&reference, user).await?;
        Ok((reference, instance))
    }

    /// Calls a function; `None` if its provider is not configured yet.
    pub(crate) async fn invoke_function(&self, goal: InvokeGoal) -> Result<Option<PropertyMap>, RegisterError> {
        self.may_start()?;
        let stack = self.stack_urn();
        let (_, instance) =
            self.instance_for(goal.provider.clone(), goal.package.as_ref(), &goal.token, &stack).await?;
        // The package has a provider like any other, but only the run knows the answer.
        if goal.token == GET_RESOURCE {
            return self.get_resource(&goal).map(Some);
        }
        if instance.provider.unconfigured() {
            return Ok(None);
        }
        let request = Invoke { token: goal.token.clone(), arguments: goal.arguments, preview: self.options.preview };
        let permit = self.permit().await?;
        let span = tracing::info_span!("invoke", token = %goal.token);
        let invoked = instance.provider.invoke(&self.context, request).instrument(span).await;
        drop(permit);
        let at = |diagnostic: Diagnostic, argument: Source| match argument.as_ref().or(goal.source.as_ref()) {
            Some(source) => diagnostic.at(source.clone()),
            None => diagnostic,
        };
        let summary = format!("could not call `{}`", goal.token);
        let invoked = invoked.map_err(|error| {
            let mut diagnostic = diagnose(error, "call", &stack);
            diagnostic.summary.clone_from(&summary);
            self.fail(&stack, at(diagnostic, None))
        })?;
        if !invoked.failures.is_empty() {
            let reasons: Vec<String> = invoked
                .failures
                .iter()
                .map(|failure| match failure.property.as_str() {
                    "" => failure.reason.clone(),
                    property => format!("{property}: {}", failure.reason),
                })
                .collect();
            let diagnostic = Diagnostic::error("provider-invoke", summary).detail(reasons.join("\n"));
            let argument = invoked.failures.iter().find_map(|failure| goal.places.of(&failure.path()?));
            return Err(self.fail(&stack, at(diagnostic, argument)));
        }
        Ok(Some(invoked.result))
    }

    /// The resource that a reference points to: one of this run, or one in the state.
    fn get_resource(&self, goal: &InvokeGoal) -> Result<PropertyMap, RegisterError> {
        let name = goal.arguments.get("urn").map(Value::bare).and_then(Value::as_str).unwrap_or_default();
        let found =
            name.parse::<Urn>().ok().and_then(|urn| self.decide().table.live(&urn).map(|(_, found)| found.clone()));
        let Some(found) = found else {
            let diagnostic = Diagnostic::error("engine-unknown-resource", format!("there is no resource `{name}`"));
            let diagnostic = match &goal.source {
                Some(source) => diagnostic.at(source.clone()),
                None => diagnostic,
            };
            return Err(self.fail(&self.stack_urn(), diagnostic));
        };
        let id = self.answer(&found).id.unwrap_or_else(|| "".into());
        Ok(PropertyMap::from([
            ("urn".to_owned(), found.urn.as_str().into()),
            ("id".to_owned(), id),
            ("state".to_owned(), Value::Map(found.outputs.clone())),
        ]))
    }

    /// The id to import, if the goal names one and the old entry does not have it already.
    pub(crate) fn import_wanted(&self, registration: &Registration) -> Option<String> {
        let wanted = registration.goal.import_id.clone()?;
        match registration.old() {
            Some(old) if !old.external => {
                let known = old.import_id.as_ref().or(old.id.as_ref());
                (known != Some(&wanted)).then_some(wanted)
            }
            _ => Some(wanted),
        }
    }

    /// Imports an existing resource: it becomes the old entry that the program's inputs are then compared with.
    pub(crate) async fn import(
        &self,
        registration: &mut Registration,
        instance: &Instance,
        id: &str,
    ) -> Result<(), RegisterError> {
        let urn = registration.urn().clone();
        let previous = registration.begun.old.take();
        let op = if previous.is_some() { StepOp::ImportReplacement } else { StepOp::Import };
        let intended = Arc::new(Resource { id: Some(id.to_owned()), ..registration.new.clone() });
        let old = previous.as_ref().map(|(_, old)| old.clone());
        let turn = self.turn().await?;
        let step = self.started(Step { op, urn: urn.clone(), old, new: Some(intended.clone()), diff: None });
        let operation = if self.options.preview {
            None
        } else {
            let pending = PendingOperation { kind: OperationKind::Importing, resource: intended.clone() };
            Some(self.begin_operation(pending).await?)
        };
        let request = ImportRequest {
            resource: ResourceIdentity::new(urn.clone()),
            id: id.to_owned(),
            timeout: timeout(registration.goal.custom_timeouts.read),
        };
        let permit = (self.permit_for(&urn, operation).await)
            .inspect_err(|reason| self.ended(&step, None, came_of(reason), op))?;
        let span = tracing::info_span!("import", %urn);
        let imported = instance.provider.import(&self.context, request).instrument(span).await;
        drop((permit, turn));
        let state = match imported.map(|imported| imported.resources.into_iter().next()) {
            Ok(Some((_, state))) => state,
            result => {
                self.append(&urn, ended(operation)).await?;
                self.ended(&step, None, StepResult::Failed, op);
                let diagnostic = match result {
                    Err(error) => diagnose(error, "import", &urn),
                    Ok(_) => Diagnostic::error(
                        "engine-import-missing",
                        format!("`{}` ({}) cannot be imported", urn.name(), urn.ty()),
                    )
                    .detail(format!("no resource has the id `{id}`")),
                };
                return Err(self.fail(&urn, place(diagnostic, &registration.goal)));
            }
        };
        let now = self.now();
        let mut adopted = Resource {
            id: Some(state.id),
            inputs: state.inputs,
            outputs: state.outputs,
            created: Some(now.clone()),
            modified: Some(now),
            ..Resource::clone(&intended)
        };
        changes::seal(&mut adopted);
        let adopted = Arc::new(adopted);
        let mut record = ended(operation);
        let key = {
            let mut decisions = self.decide();
            record.put.extend(decisions.rename(&registration.begun));
            if let Some((old_key, _)) = previous {
                record.put.extend(decisions.mark_old(old_key, &registration.begun));
            }
            let key = decisions.table.new_entry();
            decisions.table.put(key, adopted.clone());
            record.put.push((key, adopted.clone()));
            key
        };
        self.append(&urn, record).await?;
        self.ended(&step, Some(adopted.clone()), StepResult::Done, op);
        registration.begun.old = Some((key, adopted));
        Ok(())
    }
}
