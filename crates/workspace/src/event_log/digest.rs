//! The document that `pulumi preview --json` prints: the result of a preview in one object.

use std::sync::Arc;
use std::time::Duration;

use outrigger_diagnostic::Diagnostic;
use outrigger_engine::{RunResult, Step, StepOp};
use outrigger_secrets::Crypter;
use outrigger_state::{Resource, indented, resource_to_json};
use outrigger_value::{PropertyMap, Urn, Value};
use serde_json::{Value as Json, json};

use super::{before, changed_keys, detailed, provider, replace_keys};
use crate::recorder::is_half;
use crate::redaction::HIDDEN;

/// The document so far.
#[derive(Default)]
pub(super) struct Digest {
    sames: bool,
    config: Json,
    steps: Vec<Listed>,
    diagnostics: Vec<Json>,
}

struct Listed {
    urn: Urn,
    op: StepOp,
    text: String,
}

impl Digest {
    /// An empty document. `sames`: whether resources that stay the same get into it.
    pub(super) fn new(sames: bool) -> Self {
        Self { sames, ..Self::default() }
    }

    /// Adds an event that is not a step to the document, if it belongs there.
    pub(super) fn event(&mut self, kind: &str, body: Json) {
        let text = |name: &str| body[name].as_str().unwrap_or_default();
        match kind {
            "preludeEvent" => self.config = body["config"].clone(),
            "diagnosticEvent" if body["ephemeral"].is_null() && body["severity"] != "debug" => {
                let message = format!("{}{}", text("prefix"), text("message"));
                let mut diagnostic = json!({"message": message, "severity": body["severity"]});
                if !text("urn").is_empty() {
                    diagnostic["urn"] = body["urn"].clone();
                }
                self.diagnostics.push(diagnostic);
            }
            _ => {}
        }
    }

    /// A step is listed when it begins. A refresh knows only at its end whether there is anything to do, and an unchanged resource has its new side
    /// only then.
    pub(super) fn step(&mut self, kind: &str, step: &Step, op: StepOp, states: &Step) {
        if !self.lists(step, op) {
            return;
        }
        let begins = kind == "resourcePreEvent";
        if begins != (step.op == StepOp::Same) {
            let same = before(step);
            let states = if begins { states } else { &same };
            self.steps.push(Listed { urn: step.urn.clone(), op, text: written(step, op, states) });
        } else if op == StepOp::Delete || (op == StepOp::Update && !detailed(step).is_null()) {
            let begun = self.steps.iter_mut().rfind(|listed| listed.urn == step.urn);
            if let Some(refresh) = begun.filter(|listed| listed.op == StepOp::Refresh) {
                refresh.text = written(step, op, states);
            }
        }
    }

    fn lists(&self, step: &Step, op: StepOp) -> bool {
        let protects = |resource: &Option<Arc<Resource>>| resource.as_ref().is_some_and(|resource| resource.protect);
        match op {
            _ if step.urn.is_stack() => true,
            // Of a step that has not ended the new side is missing.
            StepOp::Same => self.sames || protects(&step.old) != protects(&step.new),
            op => !is_half(op),
        }
    }

    /// The document, its fields in Pulumi's order.
    pub(super) fn document(&self, result: &RunResult, took: Duration) -> String {
        let steps: Vec<&str> = self.steps.iter().map(|listed| listed.text.as_str()).collect();
        let counts = result.summary.counts.iter().map(|(op, count)| (op.as_str().to_owned(), (*count).into()));
        let counts = Json::Object(counts.collect());
        let mut object = Object::default();
        object.filled("config", &self.config);
        if !steps.is_empty() {
            object.field("steps", &format!("[{}]", steps.join(",")));
        }
        object.filled("diagnostics", &Json::Array(self.diagnostics.clone()));
        object.field("duration", &took.as_nanos().to_string());
        object.filled("changeSummary", &counts);
        // Inside of strings only, as Go writes JSON.
        let escaped = object.end().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
        indented(&escaped)
    }
}

/// One step, its fields in Pulumi's order.
fn written(step: &Step, op: StepOp, states: &Step) -> String {
    let mut object = Object::default();
    object.field("op", &Json::from(op.as_str()).to_string());
    object.field("urn", &Json::from(step.urn.as_str()).to_string());
    object.filled("provider", &provider(step).into());
    for (name, resource) in [("oldState", &states.old), ("newState", &states.new)] {
        // A resource that cannot be written is left out, as `pulumi` does.
        if let Some(Ok(text)) = resource.as_deref().map(|resource| resource_to_json(&masked(resource), &NoSecrets)) {
            object.field(name, &text);
        }
    }
    object.filled("diffReasons", &changed_keys(step).into());
    object.filled("replaceReasons", &replace_keys(step).into());
    object.field("detailedDiff", &detailed(step).to_string());
    object.end()
}

/// The time that `pulumi` prints in place of all others.
const NO_TIME: &str = "0001-01-01T00:00:00Z";

/// The resource with a placeholder for each secret.
fn masked(resource: &Resource) -> Resource {
    let timeless = |time: &Option<String>| time.as_ref().map(|_| NO_TIME.to_owned());
    let all = |properties: &PropertyMap| -> PropertyMap {
        properties.iter().map(|(name, value)| (name.clone(), without_secrets(value))).collect()
    };
    Resource {
        inputs: all(&resource.inputs),
        outputs: all(&resource.outputs),
        replacement_trigger: resource.replacement_trigger.as_ref().map(without_secrets),
        created: timeless(&resource.created),
        modified: timeless(&resource.modified),
        ..resource.clone()
    }
}

fn without_secrets(value: &Value) -> Value {
    match value {
        Value::Secret(_) => HIDDEN.into(),
        Value::Output(output) if output.secret => HIDDEN.into(),
        Value::List(items) => Value::List(items.iter().map(without_secrets).collect()),
        Value::Map(map) => Value::Map(map.iter().map(|(name, value)| (name.clone(), without_secrets(value))).collect()),
        other => other.clone(),
    }
}

/// Replaces a key where no secret is left.
struct NoSecrets;

impl Crypter for NoSecrets {
    fn encrypt(&self, _: &str) -> Result<String, Diagnostic> {
        Ok(HIDDEN.to_owned())
    }

    fn decrypt(&self, _: &str) -> Result<String, Diagnostic> {
        Ok(HIDDEN.to_owned())
    }
}

/// A JSON object whose fields keep their order.
#[derive(Default)]
struct Object(String);

impl Object {
    fn field(&mut self, name: &str, json: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&format!("\"{name}\":{json}"));
    }

    /// A field that is left out if there is nothing in it.
    fn filled(&mut self, name: &str, json: &Json) {
        let empty = match json {
            Json::Array(items) => items.is_empty(),
            Json::Object(fields) => fields.is_empty(),
            Json::String(text) => text.is_empty(),
            other => other.is_null(),
        };
        if !empty {
            self.field(name, &json.to_string());
        }
    }

    fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}
