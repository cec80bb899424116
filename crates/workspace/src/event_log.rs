//! A phase as `pulumi` writes it, for tools that read Pulumi's output: the log of `--event-log` and the lines of `up --json`, one JSON object a line,
//! and the document of `preview --json`.
//!
//! Names and shapes of the fields are Pulumi's. Secrets are masked as `pulumi` masks them, whatever `--show-secrets` is. As with `pulumi`, each phase
//! overwrites the file: after `up` it holds the update and not the preview before it. A refresh has no events for components and providers, since
//! they are not read; `pulumi` logs them as unchanged.

mod digest;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use outrigger_diagnostic::{Diagnostic, Severity};
use outrigger_engine::{Ending, Event, RunResult, Step, StepOp, StepResult};
use outrigger_provider::{DiffKind, LogLevel};
use outrigger_secrets::Crypter;
use outrigger_state::{Resource, properties_to_json};
use outrigger_value::{PropertyMap, Urn};
use serde_json::{Value as Json, json};

use crate::recorder::{is_half, is_internal};
use crate::redaction::{HIDDEN, Redaction};
use crate::run::Mood;
use digest::Digest;

/// The log of one phase.
pub struct EventLog {
    out: Box<dyn Write + Send>,
    form: Form,
    shown: String,
    sequence: u64,
    mood: Mood,
    /// Components, whose outputs come later than their steps.
    components: HashMap<Urn, Arc<Step>>,
    /// Replacements whose new half is not there yet. The engine reports one at its beginning, `pulumi` when it is done.
    replacing: HashMap<Urn, Arc<Step>>,
    /// Steps that wait for their turn: `pulumi` names them when they begin.
    queued: HashMap<Urn, Vec<Arc<Step>>>,
    /// Resources whose old half was deleted.
    deleted: HashSet<Urn>,
    broken: Option<Diagnostic>,
}

/// How a phase is written.
enum Form {
    /// Every event, one a line.
    Log,
    /// The events that users see, one a line.
    Lines,
    /// One object at the end.
    Document(Digest),
}

impl EventLog {
    /// Begins the log of a phase. `config` are its configuration's texts; secret ones are masked already.
    pub fn create(path: &Path, mood: Mood, config: &BTreeMap<String, String>) -> Result<Self, Diagnostic> {
        let shown = path.display().to_string();
        if path.components().any(|part| part.as_os_str() == "tcp:") {
            return Err(Diagnostic::error("event-log", format!("events cannot be sent to `{shown}`"))
                .detail("`pulumi` can send its events to a server; this build writes them only to a file.")
                .hint("Set `--event-log` to the path of a file."));
        }
        let file = File::create(path).map_err(|error| {
            Diagnostic::error("event-log", format!("the event log `{shown}` cannot be written"))
                .detail(error.to_string())
                .hint("Set `--event-log` to the path of a file in a writable directory.")
        })?;
        Ok(Self::begin(Box::new(BufWriter::new(file)), Form::Log, shown, mood, config))
    }

    /// Begins the output of `--json` for a phase: one document for a preview, with unchanged resources if `sames` is set, otherwise one event a line.
    pub fn printed(out: Box<dyn Write + Send>, mood: Mood, sames: bool, config: &BTreeMap<String, String>) -> Self {
        let form = match mood {
            Mood::Planned => Form::Document(Digest::new(sames)),
            Mood::Done => Form::Lines,
        };
        Self::begin(out, form, "standard output".to_owned(), mood, config)
    }

    fn begin(
        out: Box<dyn Write + Send>,
        form: Form,
        shown: String,
        mood: Mood,
        config: &BTreeMap<String, String>,
    ) -> Self {
        let mut log = Self {
            out,
            form,
            shown,
            sequence: 0,
            mood,
            components: HashMap::new(),
            replacing: HashMap::new(),
            queued: HashMap::new(),
            deleted: HashSet::new(),
            broken: None,
        };
        log.line("preludeEvent", json!({"config": config}));
        log
    }

    /// Writes the events that Pulumi would write for this one.
    pub fn write(&mut self, event: &Event, redaction: &Redaction) {
        match event {
            Event::StepStarted(step) if step.op == StepOp::Replace || self.mood == Mood::Planned => self.started(step),
            Event::StepStarted(step) => {
                self.queued.entry(step.urn.clone()).or_default().push(Arc::clone(step));
                return;
            }
            Event::StepEnded { step, result: StepResult::NotStarted, .. } => {
                self.queued.remove(&step.urn);
                return;
            }
            Event::CallStarted { urn } => return self.begun(urn),
            Event::StepEnded { step, .. } => self.begun(&step.urn),
            _ => {}
        }
        match event {
            Event::StepStarted(_) | Event::CallStarted { .. } => {}
            // Written with the new half, which has more data.
            Event::StepEnded { step, .. } if step.op == StepOp::Replace => {}
            Event::StepEnded { step, result: StepResult::Done, result_op } => {
                let custom = step.new.as_ref().or(step.old.as_ref()).is_some_and(|resource| resource.custom);
                if !custom {
                    self.components.insert(step.urn.clone(), Arc::clone(step));
                }
                // The outputs of a component come when the program sets them; a preview logs both, as `pulumi` does.
                let known = custom || matches!(step.op, StepOp::Refresh | StepOp::Delete);
                let states =
                    if is_new_half(step.op) && !self.is_deleted(step) { retired(step) } else { Step::clone(step) };
                if known || self.mood == Mood::Planned {
                    self.step("resOutputsEvent", step, *result_op, &states);
                }
                if is_new_half(step.op)
                    && let Some(whole) = self.replacing.remove(&step.urn)
                {
                    self.replaced(&whole, &states);
                }
            }
            Event::StepEnded { step, .. } => self.failed(step),
            Event::NotStarted { .. } => {}
            // They are no step of their own.
            Event::Outputs { .. } if matches!(self.form, Form::Document(_)) => {}
            Event::Outputs { urn, new, .. } => {
                let Some(step) = self.components.get(urn).cloned() else { return };
                let with = step.new.as_deref().map(|resource| {
                    let resource = Resource { outputs: new.clone(), ..resource.clone() };
                    Step { new: Some(Arc::new(resource)), ..Step::clone(&step) }
                });
                self.step("resOutputsEvent", &step, step.op, with.as_ref().unwrap_or(&step));
            }
            Event::Diagnostic { urn, diagnostic } => {
                let finding = redaction.hide_in(diagnostic);
                let severity = match finding.severity {
                    Severity::Error => "error",
                    Severity::Warning => "warning",
                    Severity::Info => "info",
                };
                let hints: String = finding.hints.iter().map(|hint| format!("\n{hint}")).collect();
                self.message(urn.as_ref(), severity, &format!("{finding}{hints}"), false);
            }
            Event::Log { level, urn, message, ephemeral } => {
                let severity = match level {
                    LogLevel::Debug => "debug",
                    LogLevel::Info => "info",
                    LogLevel::Warning => "warning",
                    LogLevel::Error => "error",
                };
                self.message(urn.as_ref(), severity, &redaction.hide(message), *ephemeral);
            }
        }
    }

    fn begun(&mut self, urn: &Urn) {
        self.queued.remove(urn).into_iter().flatten().for_each(|step| self.started(&step));
    }

    fn started(&mut self, step: &Arc<Step>) {
        match step.op {
            StepOp::Replace => {
                self.replacing.insert(step.urn.clone(), Arc::clone(step));
                return;
            }
            StepOp::DeleteReplaced => drop(self.deleted.insert(step.urn.clone())),
            // The old half is gone already: the replacement is named between the two.
            op if is_new_half(op) && self.is_deleted(step) => {
                if let Some(whole) = self.replacing.remove(&step.urn) {
                    let states = before(step);
                    let gone =
                        |old: Arc<Resource>| Arc::new(Resource { pending_replacement: true, ..Resource::clone(&old) });
                    self.replaced(&whole, &Step { old: states.old.map(gone), ..states });
                }
            }
            _ => {}
        }
        self.step("resourcePreEvent", step, step.op, &before(step));
    }

    /// Whether the old half of a replacement, which may have had another name, is deleted already.
    fn is_deleted(&self, step: &Step) -> bool {
        step.old.as_ref().is_some_and(|old| self.deleted.contains(&old.urn))
    }

    /// The step that stands for a whole replacement, with the states of one of its halves.
    fn replaced(&mut self, step: &Step, states: &Step) {
        self.step("resourcePreEvent", step, StepOp::Replace, states);
        self.step("resOutputsEvent", step, StepOp::Replace, states);
    }

    /// Ends the log. Returns the error that kept it from being written, if any.
    pub fn end(&mut self, result: &RunResult, took: Duration) -> Option<Diagnostic> {
        let counts = result.summary.counts.iter().map(|(op, count)| (op.as_str().to_owned(), (*count).into()));
        let ending = match result.ending {
            Ending::Succeeded => "succeeded",
            Ending::Failed => "failed",
            Ending::Cancelled => "canceled",
        };
        self.line(
            "summaryEvent",
            json!({
                "maybeCorrupt": false,
                "durationSeconds": took.as_secs() + u64::from(took.subsec_nanos() > 0),
                "resourceChanges": Json::Object(counts.collect()),
                "PolicyPacks": {},
                "isPreview": self.mood == Mood::Planned,
                "result": ending,
            }),
        );
        self.line("cancelEvent", json!({}));
        let document = match &self.form {
            Form::Document(digest) => writeln!(self.out, "{}", digest.document(result, took)),
            Form::Log | Form::Lines => Ok(()),
        };
        if let Err(error) = document.and_then(|()| self.out.flush()) {
            self.fault(error.to_string());
        }
        self.broken.take()
    }

    fn message(&mut self, urn: Option<&Urn>, severity: &str, text: &str, ephemeral: bool) {
        let mut body = json!({"message": format!("{}\n", text.trim_end()), "color": "never", "severity": severity});
        if let Some(body) = body.as_object_mut() {
            if let Some(urn) = urn {
                body.insert("urn".to_owned(), urn.as_str().into());
            }
            if severity != "info" {
                body.insert("prefix".to_owned(), format!("{severity}: ").into());
            }
            if ephemeral {
                body.insert("ephemeral".to_owned(), true.into());
            }
        }
        self.line("diagnosticEvent", body);
    }

    fn failed(&mut self, step: &Step) {
        // Pulumi defines these numbers; for every failed step of a provider they are zero.
        let metadata = self.metadata(step, step.op, step);
        self.line("resOpFailedEvent", json!({"metadata": metadata, "status": 0, "steps": 0}));
    }

    /// `states` has the two sides, which are not always those of the step.
    fn step(&mut self, kind: &str, step: &Step, op: StepOp, states: &Step) {
        match &mut self.form {
            Form::Log => {}
            // It still counts in the sequence.
            _ if is_internal(step) => {
                self.sequence += 1;
                return;
            }
            Form::Lines => {}
            Form::Document(digest) => return digest.step(kind, step, op, states),
        }
        let mut body = json!({"metadata": self.metadata(step, op, states)});
        if let Some(body) = body.as_object_mut().filter(|_| self.mood == Mood::Planned) {
            body.insert("planning".to_owned(), true.into());
        }
        self.line(kind, body);
    }

    fn metadata(&mut self, step: &Step, op: StepOp, states: &Step) -> Json {
        let mut metadata = json!({
            "op": op.as_str(),
            "urn": step.urn.as_str(),
            "type": step.urn.ty(),
            "old": states.old.as_deref().map(|resource| self.state(resource)),
            "new": states.new.as_deref().map(|resource| self.state(resource)),
            "detailedDiff": detailed(step),
            "provider": provider(step),
        });
        let Some(fields) = metadata.as_object_mut() else { return metadata };
        if is_logical(step.op) {
            fields.insert("logical".to_owned(), true.into());
        }
        for (name, keys) in [("keys", replace_keys(step)), ("diffs", changed_keys(step))] {
            if !keys.is_empty() {
                fields.insert(name.to_owned(), keys.into());
            }
        }
        metadata
    }

    fn state(&mut self, resource: &Resource) -> Json {
        let mut state = json!({
            "type": resource.ty(),
            "urn": resource.urn.as_str(),
            "id": resource.id.clone().unwrap_or_default(),
            "parent": resource.parent.as_ref().map_or("", |parent| parent.as_str()),
            "inputs": self.properties(&resource.inputs),
            "outputs": self.properties(&resource.outputs),
            "provider": resource.provider.as_ref().map(ToString::to_string).unwrap_or_default(),
        });
        let Some(fields) = state.as_object_mut() else { return state };
        let flags = [
            ("custom", resource.custom),
            ("delete", resource.delete),
            ("protect", resource.protect),
            ("taint", resource.taint),
            ("external", resource.external),
            ("retainOnDelete", resource.retain_on_delete),
        ];
        for (name, _) in flags.iter().filter(|(_, set)| *set) {
            fields.insert((*name).to_owned(), true.into());
        }
        if !resource.init_errors.is_empty() {
            fields.insert("initErrors".to_owned(), resource.init_errors.clone().into());
        }
        state
    }

    fn properties(&mut self, properties: &PropertyMap) -> Json {
        let text = properties_to_json(properties, &Blinding);
        // Both steps can only fail for a value that cannot be written at all, and then the state cannot be written either.
        text.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Json::Null)
    }

    fn line(&mut self, kind: &str, body: Json) {
        if let Form::Document(digest) = &mut self.form {
            return digest.event(kind, body);
        }
        if self.broken.is_some() {
            return;
        }
        let time = Timestamp::now().as_second();
        let written = writeln!(self.out, "{{\"sequence\":{},\"timestamp\":{time},\"{kind}\":{body}}}", self.sequence);
        self.sequence += 1;
        // A reader that follows the log sees each event when it happens.
        if let Err(error) = written.and_then(|()| self.out.flush()) {
            self.fault(error.to_string());
        }
    }

    fn fault(&mut self, reason: String) {
        let finding = Diagnostic::warning("event-log", format!("the event log `{}` is not complete", self.shown))
            .detail(reason)
            .hint("The run itself is not affected. Check that the log's disk has room.");
        self.broken.get_or_insert(finding);
    }
}

/// The step as it is before it is done: the new side has no id and no outputs yet.
fn before(step: &Step) -> Step {
    let bare = |resource: &Arc<Resource>| {
        Arc::new(Resource { id: None, outputs: PropertyMap::new(), ..Resource::clone(resource) })
    };
    match step.op {
        StepOp::Refresh => Step { new: step.new.clone().or_else(|| step.old.clone()), ..step.clone() },
        // An unchanged resource is not created again, so its step begins without a new side.
        StepOp::Same => Step { new: step.new.as_ref().or(step.old.as_ref()).map(bare), ..step.clone() },
        StepOp::Create => Step { new: step.new.as_ref().map(bare).map(unmade), ..step.clone() },
        // The id is how it is found.
        StepOp::Read => {
            let named =
                |new: &Arc<Resource>| Arc::new(Resource { outputs: PropertyMap::new(), ..Resource::clone(new) });
            Step { new: step.new.as_ref().map(named), ..step.clone() }
        }
        _ => Step { new: step.new.as_ref().map(bare), ..step.clone() },
    }
}

/// The resource without the times of its creation and last change.
fn unmade(resource: Arc<Resource>) -> Arc<Resource> {
    Arc::new(Resource { created: None, modified: None, ..Resource::clone(&resource) })
}

/// The step with its old side marked for deletion.
fn retired(step: &Step) -> Step {
    let old = step.old.as_ref().map(|old| Arc::new(Resource { delete: true, ..Resource::clone(old) }));
    Step { old, ..step.clone() }
}

/// Whether a step creates the new half of a replacement.
fn is_new_half(op: StepOp) -> bool {
    matches!(op, StepOp::CreateReplacement | StepOp::ReadReplacement | StepOp::ImportReplacement)
}

/// Whether a step is a whole change of the program's, and not a half of one.
fn is_logical(op: StepOp) -> bool {
    !is_half(op) && op != StepOp::Refresh
}

/// The reference of the provider that carries the step out.
fn provider(step: &Step) -> String {
    let resource = step.new.as_ref().or(step.old.as_ref());
    resource.and_then(|resource| resource.provider.as_ref()).map(ToString::to_string).unwrap_or_default()
}

/// The properties that force a replacement.
fn replace_keys(step: &Step) -> Vec<String> {
    let diff = step.diff.as_ref().filter(|_| step.op != StepOp::Update);
    diff.map(|diff| diff.replace_keys.clone()).unwrap_or_default()
}

/// The properties that differ.
fn changed_keys(step: &Step) -> Vec<String> {
    step.diff.as_ref().map(|diff| diff.changed_keys.clone()).unwrap_or_default()
}

fn detailed(step: &Step) -> Json {
    let Some(detailed) = step.diff.as_ref().and_then(|diff| diff.detailed.as_ref()) else { return Json::Null };
    let entry = |(path, change): (&String, &outrigger_provider::PropertyDiff)| {
        let kind = match change.kind {
            DiffKind::Add => "add",
            DiffKind::AddReplace => "add-replace",
            DiffKind::Delete => "delete",
            DiffKind::DeleteReplace => "delete-replace",
            DiffKind::Update => "update",
            DiffKind::UpdateReplace => "update-replace",
        };
        (path.clone(), json!({"diffKind": kind, "inputDiff": change.input}))
    };
    Json::Object(detailed.iter().map(entry).collect())
}

/// Replaces a key: masks every secret.
struct Blinding;

impl Crypter for Blinding {
    fn encrypt(&self, _: &str) -> Result<String, Diagnostic> {
        Ok(HIDDEN.to_owned())
    }

    fn decrypt(&self, _: &str) -> Result<String, Diagnostic> {
        Ok(HIDDEN.to_owned())
    }
}
