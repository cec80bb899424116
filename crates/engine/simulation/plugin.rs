//! Fake plugins: their answers are random, and always consistent with the fake cloud.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{
    Action, ApplyRequest, CallContext, CallError, CheckRequest, Checked, Configure, Diff, DiffConfig, ErrorKind,
    ImportRequest, Imported, Invoke, Invoked, Outcome, PlanRequest, Planned, Plugin, PluginDescriptor, PluginInfo,
    Plugins, Provider, ReadRequest, ReadResult, State, Ticket, Verdict,
};
use outrigger_schema::Package;
use outrigger_state::OperationKind;
use outrigger_value::{PropertyMap, Urn, Value};

use super::cloud::in_clear;
use super::world::{CANARY, Inner, World};

/// The source of fake plugins.
pub(crate) struct FakePlugins(pub(crate) Arc<World>);

#[async_trait]
impl Plugins for FakePlugins {
    async fn load(&self, _: &CallContext, descriptor: &PluginDescriptor) -> Result<Arc<dyn Plugin>, Diagnostic> {
        self.0.schedule.pauses(1).await;
        Ok(Arc::new(FakePlugin { world: self.0.clone(), name: descriptor.name.clone() }))
    }

    async fn schema(&self, _: &CallContext, _: &PluginDescriptor) -> Result<Arc<Package>, Diagnostic> {
        Err(Diagnostic::error("simulation-schema", "a fake plugin has no schema"))
    }
}

struct FakePlugin {
    world: Arc<World>,
    name: String,
}

#[async_trait]
impl Plugin for FakePlugin {
    fn label(&self) -> String {
        self.name.clone()
    }

    async fn info(&self, _: &CallContext) -> Result<PluginInfo, CallError> {
        Ok(PluginInfo::default())
    }

    async fn diff_config(&self, _: &CallContext, request: DiffConfig) -> Result<Diff, CallError> {
        self.world.schedule.pauses(1).await;
        // Another region is another provider: everything in it is replaced.
        let moved = request.old_inputs.get("region") != request.news.get("region");
        Ok(Diff {
            changed: Some(in_clear(&request.old_inputs) != in_clear(&request.news)),
            replace_keys: if moved { vec!["region".to_owned()] } else { Vec::new() },
            ..Diff::default()
        })
    }

    async fn configure(&self, _: &CallContext, _: Configure) -> Result<Arc<dyn Provider>, CallError> {
        self.world.schedule.pauses(1).await;
        Ok(Arc::new(FakeProvider { world: self.world.clone(), name: self.name.clone(), dead: AtomicBool::new(false) }))
    }
}

struct FakeProvider {
    world: Arc<World>,
    name: String,
    dead: AtomicBool,
}

impl FakeProvider {
    fn error(&self, call: &str, kind: ErrorKind) -> CallError {
        CallError::new(&self.name, call, kind, "simulated")
    }

    /// A call that changes nothing: it may be refused, and a dead plugin does not answer.
    async fn look(&self, call: &str) -> Result<(), CallError> {
        self.world.schedule.pauses(2).await;
        if self.dead.load(Ordering::Relaxed) {
            return Err(self.error(call, ErrorKind::Crashed));
        }
        let chance = self.world.lock().trouble.refuses / 2;
        if self.world.percent(chance) { Err(self.error(call, ErrorKind::NotDone)) } else { Ok(()) }
    }

    /// The reason why a call goes unanswered, if it does.
    fn silence(&self, cx: &CallContext) -> Option<ErrorKind> {
        if self.dead.load(Ordering::Relaxed) {
            return Some(ErrorKind::Crashed);
        }
        if cx.cancel.is_cancelled() {
            return Some(ErrorKind::Cancelled);
        }
        let chance = self.world.lock().trouble.silent;
        if !self.world.percent(chance) {
            return None;
        }
        let kinds = [ErrorKind::Crashed, ErrorKind::TimedOut, ErrorKind::Garbage];
        let kind = self.world.lock().random.pick(&kinds).copied().unwrap_or(ErrorKind::Crashed);
        if kind == ErrorKind::Crashed {
            self.dead.store(true, Ordering::Relaxed);
        }
        Some(kind)
    }
}

#[async_trait]
impl Provider for FakeProvider {
    fn label(&self) -> String {
        self.name.clone()
    }

    async fn check(&self, _: &CallContext, request: CheckRequest) -> Result<Checked, CallError> {
        self.look("Check").await?;
        Ok(Checked { inputs: request.news, failures: Vec::new() })
    }

    async fn plan(&self, _: &CallContext, request: PlanRequest) -> Result<Planned, CallError> {
        self.look("Diff").await?;
        let planned = |verdict, diff, predicted| Planned { verdict, diff, predicted };
        let Some(inputs) = request.inputs else { return Ok(planned(Verdict::Delete, Diff::default(), None)) };
        let Some(prior) = request.prior else {
            return Ok(planned(Verdict::Create, Diff::default(), Some(inputs)));
        };
        let (old, new) = (in_clear(&prior.inputs), in_clear(&inputs));
        let ignored = |key: &String| request.ignore_changes.contains(key);
        let changed_keys: Vec<String> = old
            .keys()
            .chain(new.keys().filter(|key| !old.contains_key(*key)))
            .filter(|key| old.get(*key) != new.get(*key) && !ignored(key))
            .cloned()
            .collect();
        if changed_keys.is_empty() {
            return Ok(planned(Verdict::Same, Diff { changed: Some(false), ..Diff::default() }, None));
        }
        let solid = request.resource.ty().ends_with("Solid");
        let rigid = solid || request.resource.ty().ends_with("Fixed");
        let forces =
            |key: &&String| key.starts_with("hard") || key.as_str() == "within" || rigid && key.as_str() == "key";
        let replace_keys: Vec<String> = changed_keys.iter().filter(forces).cloned().collect();
        let verdict = if replace_keys.is_empty() { Verdict::Update } else { Verdict::Replace };
        let diff =
            Diff { changed: Some(true), changed_keys, replace_keys, delete_before_replace: solid, ..Diff::default() };
        Ok(planned(verdict, diff, Some(inputs)))
    }

    async fn apply(&self, cx: &CallContext, request: ApplyRequest) -> Outcome {
        let ApplyRequest { resource, action, prior, inputs, .. } = request;
        let id = prior.map(|prior| prior.id).unwrap_or_default();
        self.world.lock().witness(action, &resource.urn, &id);
        let call = match action {
            Action::Create => "Create",
            Action::Update => "Update",
            Action::Delete => "Delete",
        };
        self.world.schedule.pauses(2).await;
        let refuses = self.world.lock().trouble.refuses;
        if self.world.percent(refuses) {
            let kind = if self.world.percent(50) { ErrorKind::NotDone } else { ErrorKind::Unknown };
            let error = self.error(call, kind);
            // A provider may report the state of a resource that it could not delete.
            let undeleted = if action == Action::Delete { self.world.lock().state(&id) } else { None };
            return match (kind, undeleted) {
                (ErrorKind::NotDone, Some(state)) => {
                    Outcome::Partial { state, reasons: vec!["not deleted".to_owned()] }
                }
                (ErrorKind::NotDone, None) => Outcome::NotDone(error),
                _ => Outcome::Unknown { error, last: None },
            };
        }
        if let Some(kind) = self.silence(cx) {
            return Outcome::Unknown { error: self.error(call, kind), last: None };
        }
        let partial = action != Action::Delete && {
            let chance = self.world.lock().trouble.partial;
            self.world.percent(chance)
        };
        let done = self.world.lock().carry_out(action, &resource.urn, &id, &inputs, partial);
        let Some(id) = done else { return Outcome::NotDone(self.error(call, ErrorKind::NotDone)) };
        self.world.schedule.pauses(2).await;
        if let Some(kind) = self.silence(cx) {
            self.world.lock().doubt(action, &id);
            return Outcome::Unknown { error: self.error(call, kind), last: None };
        }
        let late = self.world.lock().trouble.pending;
        if self.world.percent(late) {
            self.world.lock().doubt(action, &id);
            return Outcome::Pending(Ticket { handle: id.into_bytes(), ask_again_after: None });
        }
        if action == Action::Delete {
            return Outcome::Done(State::default());
        }
        let state = self.world.lock().state(&id);
        match state {
            Some(state) if partial => Outcome::Partial { state, reasons: vec!["not ready".to_owned()] },
            Some(state) => Outcome::Done(state),
            None => Outcome::Unknown { error: self.error(call, ErrorKind::Garbage), last: None },
        }
    }

    async fn read(&self, _: &CallContext, request: ReadRequest) -> Result<ReadResult, CallError> {
        self.look("Read").await?;
        // A run reads each possibly deleted resource only once, and there are few: a refusal would otherwise hardly ever happen.
        let is_rare = {
            let world = self.world.lock();
            world.trouble.refuses > 0 && world.shadow.intends(OperationKind::Deleting, &request.resource.urn)
        };
        if is_rare && self.world.percent(30) {
            return Err(self.error("Read", ErrorKind::NotDone));
        }
        let mut world = self.world.lock();
        Ok(match world.state(&request.state.id) {
            Some(mut state) => {
                if let Some(object) = world.cloud.objects.get(&request.state.id)
                    && object.unready
                {
                    state.init_errors = vec!["not ready".to_owned()];
                }
                world.note(format!("read {} found", request.state.id));
                ReadResult::Found { state, inputs_known: true, unchanged: false }
            }
            None => {
                world.note(format!("read {} gone", request.state.id));
                ReadResult::Gone
            }
        })
    }

    async fn import(&self, _: &CallContext, request: ImportRequest) -> Result<Imported, CallError> {
        self.look("Import").await?;
        let mut world = self.world.lock();
        if !world.shadow.intends(OperationKind::Importing, &request.resource.urn) {
            world.violated("intent", format!("{} was imported before the intent was durable", request.resource.urn));
        }
        let found = world.state(&request.id);
        Ok(Imported { resources: found.map(|state| (request.resource.ty().to_owned(), state)).into_iter().collect() })
    }

    async fn invoke(&self, _: &CallContext, request: Invoke) -> Result<Invoked, CallError> {
        self.look("Invoke").await?;
        Ok(Invoked { result: request.arguments, failures: Vec::new() })
    }
}

impl Inner {
    /// Checks what must hold when a call that changes the world arrives.
    fn witness(&mut self, action: Action, urn: &Urn, id: &str) {
        self.note(format!("{action:?} {urn} {id}"));
        if self.preview {
            self.violated("preview", format!("{action:?} of {urn} in a preview"));
        }
        let kind = match action {
            Action::Create => OperationKind::Creating,
            Action::Update => OperationKind::Updating,
            Action::Delete => OperationKind::Deleting,
        };
        if !self.shadow.intends(kind, urn) {
            self.violated("intent", format!("{action:?} of {urn} was called before the intent was durable"));
        }
        if action != Action::Create && self.cloud.foreign.contains(id) {
            self.violated("external", format!("{action:?} of {urn}, which someone else manages"));
        }
        if action == Action::Delete {
            self.witness_delete(urn, id);
        }
    }

    fn witness_delete(&mut self, urn: &Urn, id: &str) {
        let Some(entry) = self.shadow.by_id(id).cloned() else {
            return self.violated("delete", format!("{urn} ({id}) is not in the state"));
        };
        if entry.protect && !entry.delete && !self.unprotected.contains(urn) {
            self.violated("protect", format!("{urn} ({id}) is protected"));
        }
        if entry.retain_on_delete || entry.external {
            self.violated("retain", format!("{urn} ({id}) may not be deleted by us"));
        }
        if self.lenient_order {
            return;
        }
        // A resource deleted to be replaced takes only those dependents with it that must be replaced too.
        let replaced = self.program_runs;
        let needed: Vec<String> = self
            .cloud
            .objects
            .iter()
            .filter(|(other, object)| {
                object.needs(replaced).contains(id)
                    && self.shadow.by_id(other).is_some_and(|known| {
                        // A resource that exists only within it goes with it, if the program declares that.
                        let with = known.deleted_with.is_some() && self.cloud.is_within(other, id);
                        !known.retain_on_delete && !known.external && !with && !known.pending_replacement
                    })
            })
            .map(|(other, object)| format!("{} ({other})", object.urn))
            .collect();
        if !needed.is_empty() {
            self.violated("order", format!("{urn} ({id}) is deleted while {} needs it", needed.join(", ")));
        }
    }

    /// Changes the cloud; `None` if that is impossible.
    fn carry_out(
        &mut self,
        action: Action,
        urn: &Urn,
        id: &str,
        inputs: &PropertyMap,
        unready: bool,
    ) -> Option<String> {
        match action {
            Action::Create => {
                let id = self.cloud.create(urn, inputs, unready);
                self.note(format!("  made {id}"));
                Some(id)
            }
            Action::Update => {
                let object = self.cloud.objects.get_mut(id)?;
                object.inputs = in_clear(inputs);
                object.unready = unready;
                self.cloud.drifted.remove(id);
                Some(id.to_owned())
            }
            Action::Delete => {
                self.cloud.delete(id);
                Some(id.to_owned())
            }
        }
    }

    /// Records a call that did its work and went unanswered.
    fn doubt(&mut self, action: Action, id: &str) {
        match action {
            // The operation stays open, which accounts for the difference.
            Action::Create | Action::Delete => {}
            Action::Update => drop(self.cloud.drifted.insert(id.to_owned())),
        }
    }

    /// An object as its provider returns it. A provider marks the inputs that it received as secrets; marking outputs of the same name is
    /// the engine's duty.
    fn state(&self, id: &str) -> Option<State> {
        let object = self.cloud.objects.get(id)?;
        let mut outputs = object.inputs.clone();
        outputs.insert("token".to_owned(), format!("token-{id}").into());
        if object.inputs.contains_key("hide") {
            outputs.insert("hidden".to_owned(), CANARY.into());
        }
        let mut inputs = object.inputs.clone();
        if let Some(value) = inputs.get_mut("secret") {
            *value = Value::secret(value.clone());
        }
        Some(State { id: id.to_owned(), inputs, outputs, ..State::default() })
    }
}
