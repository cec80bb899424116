//! Where two answers about one resource differ, in words.

use outrigger_value::diff::{self, equal};
use outrigger_value::{PathStep, PropertyMap, PropertyPath, Value};

/// How many differences are shown.
const SHOWN: usize = 5;

/// Whether a key is the bookkeeping of a plugin's library: `__meta`, `__defaults`.
pub(super) fn is_bookkeeping(key: &str) -> bool {
    key.starts_with("__")
}

/// Where two property maps differ. `before` and `after` describe them. Missing, null and the zero of a type are equal: many plugins are in Go, and
/// some of their libraries cannot distinguish them.
pub(super) fn differences((before, old): (&str, &PropertyMap), (after, new): (&str, &PropertyMap)) -> Option<String> {
    let absent = |value: Option<&Value>| value.is_none_or(|value| *value.bare() == Value::Null);
    let zero = |value: Option<&Value>| value.is_none_or(|value| is_zero(value.bare()));
    let same = |old, new| absent(old) && zero(new) || zero(old) && absent(new);
    let shown = |value: Option<&Value>| value.map_or("nothing".to_owned(), |value| format!("{value:?}"));
    let found = diff::properties(old, new).into_iter().filter(|(path, _)| {
        let internal = path.0.iter().any(|step| matches!(step, PathStep::Key(key) if is_bookkeeping(key)));
        !internal && !same(path.get(old), path.get(new))
    });
    let line =
        |path: PropertyPath| format!("`{path}`: {before} {}, {after} {}", shown(path.get(old)), shown(path.get(new)));
    listed(found.map(|(path, _)| line(path)).collect())
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => *number == 0.0,
        Value::String(text) => text.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(members) => members.is_empty(),
        _ => false,
    }
}

/// Where a prediction was wrong. Properties that it left out, or did not know, may be anything.
pub(super) fn surprises(predicted: &PropertyMap, actual: &PropertyMap) -> Option<String> {
    let mut found = Vec::new();
    members(&mut Vec::new(), predicted, actual, &mut found);
    listed(found)
}

fn members(at: &mut Vec<PathStep>, predicted: &PropertyMap, actual: &PropertyMap, found: &mut Vec<String>) {
    for (key, value) in predicted.iter().filter(|(key, _)| !is_bookkeeping(key)) {
        at.push(PathStep::Key(key.clone()));
        surprise(at, value, actual.get(key).unwrap_or(&Value::Null), found);
        at.pop();
    }
}

fn surprise(at: &mut Vec<PathStep>, predicted: &Value, actual: &Value, found: &mut Vec<String>) {
    match (predicted.bare(), actual.bare()) {
        (Value::Unknown, _) => {}
        (Value::Map(predicted), Value::Map(actual)) => members(at, predicted, actual, found),
        (Value::List(predicted), Value::List(actual)) if predicted.len() == actual.len() => {
            for (index, (predicted, actual)) in predicted.iter().zip(actual).enumerate() {
                at.push(PathStep::Index(index));
                surprise(at, predicted, actual, found);
                at.pop();
            }
        }
        (plain, other) if plain.contains_unknown() || equal(plain, other) => {}
        _ => found.push(format!("`{}`: predicted {predicted:?}, became {actual:?}", PropertyPath(at.clone()))),
    }
}

fn listed(mut lines: Vec<String>) -> Option<String> {
    let more = lines.len().saturating_sub(SHOWN);
    lines.truncate(SHOWN);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}
