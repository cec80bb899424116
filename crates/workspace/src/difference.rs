//! The changes of a resource, property by property: for the event stream, and as a short list. [`super::detail`] shows them in full.

use outrigger_engine::{Step, StepOp};
use outrigger_provider::DiffKind;
use outrigger_state::Resource;
use outrigger_value::diff::{Change as Structural, properties};
use outrigger_value::{PropertyMap, PropertyPath, Value};

/// How a property changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It appears.
    Add,
    /// It disappears.
    Delete,
    /// It changes.
    Update,
}

/// One property that changes.
#[derive(Clone, Debug)]
pub struct Change {
    /// Where.
    pub path: String,
    /// How.
    pub kind: ChangeKind,
    /// Whether the change forces a replacement.
    pub replaces: bool,
    /// The old value.
    pub old: Option<Value>,
    /// The new value.
    pub new: Option<Value>,
}

/// The changes of a step: those that the provider reports, or else a comparison of the inputs.
pub fn changes(step: &Step) -> Vec<Change> {
    let (old, new) = (step.old.as_deref(), step.new.as_deref());
    let detailed = step.diff.as_ref().and_then(|diff| diff.detailed.as_ref());
    let mut found = match (old, new, detailed) {
        (Some(old), Some(new), Some(detailed)) if !detailed.is_empty() => detailed
            .iter()
            .map(|(path, diff)| {
                let kind = match diff.kind {
                    DiffKind::Add | DiffKind::AddReplace => ChangeKind::Add,
                    DiffKind::Delete | DiffKind::DeleteReplace => ChangeKind::Delete,
                    DiffKind::Update | DiffKind::UpdateReplace => ChangeKind::Update,
                };
                let from = if diff.input { &old.inputs } else { &old.outputs };
                change(path, kind, diff.kind.replaces(), from, &new.inputs)
            })
            .collect(),
        (Some(old), Some(new), _) => compared(step, old, new),
        (None, Some(new), _) => one_sided(&new.inputs, ChangeKind::Add),
        (Some(old), None, _) if step.op != StepOp::Same => one_sided(&old.inputs, ChangeKind::Delete),
        _ => Vec::new(),
    };
    // Internal keys of bridged providers and of the engine.
    found.retain(|change| !change.path.split(['.', '[']).any(|part| part.starts_with("__")));
    found
}

/// The changes that a refresh found, in the outputs.
pub fn drift(old: &Resource, new: &Resource) -> Vec<Change> {
    structural(&old.outputs, &new.outputs, &[])
}

/// Changes on one line: `~length, +prefix forces replacement`.
pub fn on_a_line(changes: &[Change]) -> String {
    let mut names: Vec<String> = Vec::new();
    for change in changes {
        let top = change.path.split(['.', '[']).next().unwrap_or_default();
        let forces = if change.replaces { " forces replacement" } else { "" };
        let name = format!("{}{top}{forces}", mark(change.kind));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

fn mark(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Add => "+",
        ChangeKind::Delete => "-",
        ChangeKind::Update => "~",
    }
}

fn change(path: &str, kind: ChangeKind, replaces: bool, old: &PropertyMap, new: &PropertyMap) -> Change {
    let at = |properties: &PropertyMap| {
        let value = path.parse::<PropertyPath>().ok()?.get(properties).cloned()?;
        // A value inside a secret is as secret as the whole.
        let within = path.split(['.', '[']).next().and_then(|top| properties.get(top));
        Some(if within.is_some_and(Value::contains_secret) { Value::secret(value) } else { value })
    };
    Change { path: path.to_owned(), kind, replaces, old: at(old), new: at(new) }
}

fn compared(step: &Step, old: &Resource, new: &Resource) -> Vec<Change> {
    let replacing = step.diff.as_ref().map(|diff| diff.replace_keys.clone()).unwrap_or_default();
    structural(&old.inputs, &new.inputs, &replacing)
}

fn structural(old: &PropertyMap, new: &PropertyMap, replacing: &[String]) -> Vec<Change> {
    let found = properties(old, new);
    let each = found.into_iter().map(|(path, kind)| {
        let path = path.to_string();
        let kind = match kind {
            Structural::Add => ChangeKind::Add,
            Structural::Delete => ChangeKind::Delete,
            Structural::Update => ChangeKind::Update,
        };
        let replaces = replacing.iter().any(|key| *key == path || path.split(['.', '[']).next() == Some(key.as_str()));
        change(&path, kind, replaces, old, new)
    });
    each.collect()
}

fn one_sided(inputs: &PropertyMap, kind: ChangeKind) -> Vec<Change> {
    let each = inputs.iter().map(|(key, value)| {
        let (old, new) = match kind {
            ChangeKind::Delete => (Some(value.clone()), None),
            _ => (None, Some(value.clone())),
        };
        Change { path: key.clone(), kind, replaces: false, old, new }
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use outrigger_value::Urn;
    use std::sync::Arc;

    fn resource(pairs: &[(&str, Value)]) -> Arc<Resource> {
        let urn = Urn::new("dev", "shop", None, "a:b:C", "x");
        let mut resource = Resource::new(urn, true);
        resource.inputs = pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        Arc::new(resource)
    }

    #[test]
    fn secrets_stay_hidden_in_differences() {
        let map = |text: &str| Value::secret(Value::Map(PropertyMap::from([("key".to_owned(), text.into())])));
        let old = resource(&[("length", 2.0.into()), ("secret", map("canary-1")), ("__defaults", Value::List(vec![]))]);
        let new = resource(&[("length", 3.0.into()), ("secret", map("canary-2")), ("tag", "t".into())]);
        let step = Step { op: StepOp::Update, urn: old.urn.clone(), old: Some(old), new: Some(new), diff: None };
        let changes = changes(&step);
        let hidden = Value::secret("canary-2".into());
        assert!(changes.iter().any(|change| change.path == "secret.key" && change.new == Some(hidden.clone())));
        assert_eq!(on_a_line(&changes), "~length, ~secret, +tag");
    }
}
