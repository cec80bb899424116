//! All changes of a resource: nested, with moved elements recognized, strings line by line, JSON in strings as structure.
//!
//! Secrets are `[secret]` unless the user asked for them.

mod align;
mod delta;
mod lines;
mod strings;

use std::collections::BTreeSet;

use outrigger_engine::{Step, StepOp};
use outrigger_provider::{DetailedDiff, DiffKind};
use outrigger_state::Resource;
use outrigger_value::{PathStep, PropertyMap, PropertyPath, Value};

use delta::{Delta, compare, is_internal, maps};
use lines::Lines;
use outrigger_workspace::json::Secrets;

/// Everything that a step changes, one property a line, indented. Empty if nothing changes.
pub(crate) fn in_full(step: &Step, secrets: Secrets) -> String {
    let (old, new) = (step.old.as_deref(), step.new.as_deref());
    let detailed = step.diff.as_ref().and_then(|diff| diff.detailed.as_ref()).filter(|detailed| !detailed.is_empty());
    let delta = match (old, new, detailed) {
        (Some(old), Some(new), _) if step.op == StepOp::Refresh => maps(&old.outputs, &new.outputs, secrets),
        (Some(old), Some(new), Some(detailed)) => announced(old, new, detailed, secrets),
        (Some(old), Some(new), None) => maps(&old.inputs, &new.inputs, secrets),
        (None, Some(new), _) => one_sided(&new.inputs, Delta::Add),
        (Some(old), None, _) if step.op != StepOp::Same => one_sided(&old.inputs, Delta::Delete),
        _ => Delta::Same,
    };
    let hidden = new.or(old).map(|resource| resource.hide_diff.as_slice()).unwrap_or_default();
    let lines = Lines { secrets, replacing: replacing(step), hidden: hidden.iter().filter_map(parsed).collect() };
    lines.render(&delta)
}

/// The paths whose changes force a replacement.
fn replacing(step: &Step) -> Vec<PropertyPath> {
    let Some(diff) = &step.diff else { return Vec::new() };
    let detailed = diff.detailed.iter().flatten().filter(|(_, change)| change.kind.replaces()).map(|(path, _)| path);
    let named: Vec<&String> = detailed.collect();
    let keys = diff.replace_keys.iter().filter(|_| named.is_empty());
    named.iter().copied().chain(keys).filter_map(parsed).collect()
}

fn parsed(path: impl AsRef<str>) -> Option<PropertyPath> {
    path.as_ref().parse().ok()
}

fn one_sided(properties: &PropertyMap, side: impl Fn(Value) -> Delta) -> Delta {
    let entries = properties.iter().filter(|(key, _)| !is_internal(key));
    Delta::Map(entries.map(|(key, value)| (key.clone(), side(value.clone()))).collect())
}

/// The changes that the provider announces. A list is compared as a whole: a provider compares its elements by index, and would call everything after
/// a new first element changed.
fn announced(old: &Resource, new: &Resource, detailed: &DetailedDiff, secrets: Secrets) -> Delta {
    let mut entries = Vec::new();
    let mut met = BTreeSet::new();
    for (text, change) in detailed {
        // A path that cannot be parsed is shown as it is written.
        let path = text.parse().unwrap_or_else(|_| PropertyPath(vec![PathStep::Key(text.clone())]));
        let keys: Vec<&String> = path.0.iter().map_while(key).collect();
        let whole = keys.len() == path.0.len();
        if keys.is_empty()
            || keys.iter().any(|key| is_internal(key))
            || !met.insert(keys.clone().into_iter().cloned().collect::<Vec<_>>())
        {
            continue;
        }
        let before = at(if change.input { &old.inputs } else { &old.outputs }, &keys);
        let after = at(&new.inputs, &keys);
        let delta = match (before, after, change.kind) {
            (Some(before), None, DiffKind::Update | DiffKind::UpdateReplace) if whole => {
                Delta::Update(before, Value::Unknown)
            }
            (Some(before), Some(after), _) => match compare(&before, &after, secrets) {
                Delta::Same => Delta::Announced(after),
                found => found,
            },
            (Some(before), None, _) => Delta::Delete(before),
            (None, Some(after), _) => Delta::Add(after),
            (None, None, _) => Delta::Announced(Value::Unknown),
        };
        insert(&mut entries, &keys, delta);
    }
    if entries.is_empty() { Delta::Same } else { Delta::Map(entries) }
}

fn key(step: &PathStep) -> Option<&String> {
    match step {
        PathStep::Key(key) => Some(key),
        PathStep::Index(_) | PathStep::Wildcard => None,
    }
}

/// The value under some keys; inside a secret everything is secret.
fn at(properties: &PropertyMap, keys: &[&String]) -> Option<Value> {
    let (first, rest) = keys.split_first()?;
    let mut value = properties.get(*first)?;
    let mut secret = matches!(value, Value::Secret(_));
    for key in rest {
        value = value.bare().as_map()?.get(*key)?;
        secret |= matches!(value, Value::Secret(_));
    }
    Some(if secret { Value::secret(value.clone()) } else { value.clone() })
}

/// Puts a difference into the tree, under its keys.
fn insert(entries: &mut Vec<(String, Delta)>, keys: &[&String], delta: Delta) {
    let Some((first, rest)) = keys.split_first() else { return };
    let at = match entries.iter().position(|(key, _)| key == *first) {
        Some(at) => at,
        None => {
            entries.push(((*first).clone(), Delta::Map(Vec::new())));
            entries.len() - 1
        }
    };
    match (&mut entries[at].1, rest.is_empty()) {
        (place, true) => *place = delta,
        (Delta::Map(inner), false) => insert(inner, rest, delta),
        // The whole value is shown already.
        (_, false) => {}
    }
}

#[cfg(test)]
mod tests;
