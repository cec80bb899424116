//! The event stream of `--json-events`: one JSON object a line. `docs/json-events.md` describes it for its readers.
//!
//! Secrets are masked here as everywhere; texts of plugins and diagnostics go through the same redaction as on the screen.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use outrigger_diagnostic::{Diagnostic, Severity};
use outrigger_engine::{Ending, Event, RunResult, Step, StepResult};
use outrigger_provider::LogLevel;
use outrigger_state::Resource;
use serde_json::{Map, Value as Json, json};

use crate::difference::{ChangeKind, changes};
use crate::json::{Secrets, properties_to_json, to_json};
use crate::redaction::Redaction;

/// The version of the stream's form. It grows when a reader of the old form would misunderstand the new one.
const VERSION: u64 = 1;

/// Numbers the events of a command, through preview and update.
#[derive(Debug, Default)]
pub struct EventStream {
    next: AtomicU64,
}

impl EventStream {
    /// One line, without its end. `phase` is `preview`, `update`, `refresh` or `destroy`.
    pub fn line(&self, phase: &str, kind: &str, body: Json) -> String {
        let sequence = self.next.fetch_add(1, Ordering::Relaxed);
        let mut object = Map::from_iter([
            ("version".to_owned(), VERSION.into()),
            ("sequence".to_owned(), sequence.into()),
            ("time".to_owned(), Timestamp::now().to_string().into()),
            ("phase".to_owned(), phase.into()),
            ("type".to_owned(), kind.into()),
        ]);
        if let Json::Object(body) = body {
            object.extend(body);
        }
        Json::Object(object).to_string()
    }
}

/// The kind and the body of an engine's event. `took` is the length of a step that has ended.
pub fn event(event: &Event, redaction: &Redaction, secrets: Secrets, took: Option<Duration>) -> (&'static str, Json) {
    match event {
        Event::CallStarted { urn } => ("call-started", json!({"urn": urn.as_str()})),
        Event::NotStarted { urn } => ("not-started", json!({"urn": urn.as_str()})),
        Event::StepStarted(step) => ("step-started", step_body(step, secrets)),
        Event::StepEnded { step, result, result_op } => {
            let mut body = step_body(step, secrets);
            if let Json::Object(body) = &mut body {
                let result = match result {
                    StepResult::Done => "done",
                    StepResult::Failed => "failed",
                    StepResult::Unknown => "unknown",
                    StepResult::NotStarted => "not-started",
                };
                body.insert("result".to_owned(), result.into());
                body.insert("resultOp".to_owned(), result_op.as_str().into());
                if let Some(took) = took {
                    body.insert("durationMs".to_owned(), milliseconds(took));
                }
            }
            ("step-ended", body)
        }
        Event::Outputs { urn, old, new } => {
            let (old, new) = (properties_to_json(old, secrets), properties_to_json(new, secrets));
            ("outputs", json!({"urn": urn.as_str(), "old": old, "new": new}))
        }
        Event::Diagnostic { urn, diagnostic } => {
            let mut body = diagnostic_body(&redaction.hide_in(diagnostic));
            if let (Some(urn), Json::Object(body)) = (urn, &mut body) {
                body.insert("urn".to_owned(), urn.as_str().into());
            }
            ("diagnostic", body)
        }
        Event::Log { level, urn, message, ephemeral } => {
            let level = match level {
                LogLevel::Debug => "debug",
                LogLevel::Info => "info",
                LogLevel::Warning => "warning",
                LogLevel::Error => "error",
            };
            let urn = urn.as_ref().map(|urn| urn.as_str());
            let message = redaction.hide(message);
            ("log", json!({"level": level, "urn": urn, "message": message, "ephemeral": ephemeral}))
        }
    }
}

/// The body of the last event of a phase.
pub fn ended(result: &RunResult, secrets: Secrets, took: Duration) -> Json {
    let ending = match result.ending {
        Ending::Succeeded => "succeeded",
        Ending::Failed => "failed",
        Ending::Cancelled => "cancelled",
    };
    let counts = result.summary.counts.iter().map(|(op, count)| (op.as_str().to_owned(), (*count).into()));
    json!({
        "ending": ending,
        "changes": Json::Object(counts.collect()),
        "failed": result.summary.failed,
        "notStarted": result.summary.not_started,
        "changed": result.changed,
        "outputs": properties_to_json(&result.outputs, secrets),
        "durationMs": milliseconds(took),
    })
}

/// A diagnostic.
pub fn diagnostic_body(diagnostic: &Diagnostic) -> Json {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    };
    let position = |at: outrigger_diagnostic::Position| json!({"line": at.line, "column": at.column});
    let place = diagnostic
        .place
        .as_ref()
        .map(|place| json!({"file": &*place.file, "start": position(place.start), "end": position(place.end)}));
    json!({
        "severity": severity,
        "code": diagnostic.code,
        "summary": diagnostic.summary,
        "detail": diagnostic.detail,
        "place": place,
        "hints": diagnostic.hints,
        "notes": diagnostic.notes,
    })
}

fn step_body(step: &Step, secrets: Secrets) -> Json {
    let resource = |resource: &Resource| {
        json!({
            "id": resource.id,
            "inputs": properties_to_json(&resource.inputs, secrets),
            "outputs": properties_to_json(&resource.outputs, secrets),
            "parent": resource.parent.as_ref().map(|parent| parent.as_str()),
            "provider": resource.provider.as_ref().map(ToString::to_string),
            "protect": resource.protect,
        })
    };
    let diff = changes(step).into_iter().map(|change| {
        let kind = match change.kind {
            ChangeKind::Add => "add",
            ChangeKind::Delete => "delete",
            ChangeKind::Update => "update",
        };
        json!({
            "path": change.path,
            "kind": kind,
            "replaces": change.replaces,
            "old": change.old.as_ref().map(|value| to_json(value, secrets)),
            "new": change.new.as_ref().map(|value| to_json(value, secrets)),
        })
    });
    json!({
        "op": step.op.as_str(),
        "urn": step.urn.as_str(),
        "resourceType": step.urn.ty(),
        "name": step.urn.name(),
        "old": step.old.as_deref().map(resource),
        "new": step.new.as_deref().map(resource),
        "diff": diff.collect::<Vec<_>>(),
    })
}

fn milliseconds(duration: Duration) -> Json {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use outrigger_engine::StepOp;
    use outrigger_value::{Urn, Value};
    use std::sync::Arc;

    #[test]
    fn a_step_is_one_object_without_secrets() {
        let urn = Urn::new("dev", "shop", None, "a:b:C", "x");
        let mut resource = Resource::new(urn.clone(), true);
        resource.inputs.insert("password".to_owned(), Value::secret("canary".into()));
        let step = Step { op: StepOp::Create, urn, old: None, new: Some(Arc::new(resource)), diff: None };
        let stream = EventStream::default();
        let redaction = Redaction::default();
        let (kind, body) = event(&Event::StepStarted(Arc::new(step)), &redaction, Secrets::Hidden, None);
        let line = stream.line("update", kind, body);
        let parsed: Json = serde_json::from_str(&line).unwrap();
        assert_eq!(parsed["version"], 1);
        assert_eq!(parsed["type"], "step-started");
        assert_eq!(parsed["new"]["inputs"]["password"], "[secret]");
        assert_eq!(parsed["diff"][0]["path"], "password");
        assert!(!line.contains("canary") && !line.contains('\n'));
        let next: Json = serde_json::from_str(&stream.line("update", "run-ended", Json::Null)).unwrap();
        assert_eq!(next["sequence"], 1);
    }

    #[test]
    fn texts_are_redacted() {
        let redaction = Redaction::default();
        redaction.learn("canary");
        let log = Event::Log { level: LogLevel::Info, urn: None, message: "got canary".to_owned(), ephemeral: false };
        let (_, body) = event(&log, &redaction, Secrets::Hidden, None);
        assert_eq!(body["message"], "got [secret]");
    }
}
