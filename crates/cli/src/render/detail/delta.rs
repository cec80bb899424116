//! The difference of two values, as a tree.

use outrigger_value::diff::equal;
use outrigger_value::{PropertyMap, Value};

use super::align::{Pair, align};
use super::strings;
use outrigger_workspace::json::Secrets;

/// A difference.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Delta {
    /// No difference.
    Same,
    /// It appears.
    Add(Value),
    /// It disappears.
    Delete(Value),
    /// It is another value.
    Update(Value, Value),
    /// The provider announces a change, and the values do not show it.
    Announced(Value),
    /// A map with changed entries; only those.
    Map(Vec<(String, Delta)>),
    /// A list with changed elements; only those.
    List(Vec<Element>),
    /// A string with changed lines.
    Lines(Vec<strings::LineChange>),
    /// A string with JSON that changed.
    Json(Box<Delta>),
    /// A string with the same JSON, written differently.
    Rewritten,
}

/// An element of a list that changed or moved.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Element {
    /// Its old position.
    pub(super) from: Option<usize>,
    /// Its new position.
    pub(super) to: Option<usize>,
    /// Its difference; `Same` for one that only moved.
    pub(super) delta: Delta,
    /// The element, to name one that only moved.
    pub(super) value: Value,
}

/// The difference of two values. Secrets are compared as a whole, unless secrets are shown.
pub(super) fn compare(old: &Value, new: &Value, secrets: Secrets) -> Delta {
    if secrets == Secrets::Hidden && (is_secret(old) || is_secret(new)) {
        let hidden = || Value::secret(Value::Null);
        return if equal(old, new) { Delta::Same } else { Delta::Update(hidden(), hidden()) };
    }
    match (old.bare(), new.bare()) {
        (Value::Map(old), Value::Map(new)) => maps(old, new, secrets),
        (Value::List(old), Value::List(new)) => lists(old, new, secrets),
        (Value::String(old), Value::String(new)) if old != new => strings::compare(old, new),
        (one, other) if equal(one, other) => Delta::Same,
        _ => Delta::Update(old.clone(), new.clone()),
    }
}

/// The difference of two maps. Internal keys of bridged providers are left out.
pub(super) fn maps(old: &PropertyMap, new: &PropertyMap, secrets: Secrets) -> Delta {
    let mut entries = Vec::new();
    for (key, before) in old.iter().filter(|(key, _)| !is_internal(key)) {
        let delta = match new.get(key) {
            Some(after) => compare(before, after, secrets),
            None => Delta::Delete(before.clone()),
        };
        if delta != Delta::Same {
            entries.push((key.clone(), delta));
        }
    }
    let added = new.iter().filter(|(key, _)| !old.contains_key(*key) && !is_internal(key));
    entries.extend(added.map(|(key, value)| (key.clone(), Delta::Add(value.clone()))));
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    if entries.is_empty() { Delta::Same } else { Delta::Map(entries) }
}

/// Bookkeeping of bridged providers and of the engine.
pub(super) fn is_internal(key: &str) -> bool {
    key.starts_with("__")
}

fn is_secret(value: &Value) -> bool {
    match value {
        Value::Secret(_) => true,
        Value::Output(output) => output.secret,
        _ => false,
    }
}

fn lists(old: &[Value], new: &[Value], secrets: Secrets) -> Delta {
    let pairs = align(old, new, equal);
    let mut gone: Vec<usize> = pairs.iter().filter(|pair| pair.new.is_none()).filter_map(|pair| pair.old).collect();
    let mut elements = Vec::new();
    let mut came: Vec<usize> = pairs.iter().filter(|pair| pair.old.is_none()).filter_map(|pair| pair.new).collect();
    // An equal element that is gone in one place and new in another has moved.
    came.retain(|to| {
        let Some(at) = gone.iter().position(|from| equal(&old[*from], &new[*to])) else { return true };
        let from = gone.remove(at);
        let value = new[*to].clone();
        elements.push(Element { from: Some(from), to: Some(*to), delta: Delta::Same, value });
        false
    });
    // Two elements with the same name, or in the same gap, are one that changed.
    came.retain(|to| {
        let named = gone.iter().position(|from| name(&old[*from]).is_some_and(|own| Some(own) == name(&new[*to])));
        let beside = || gone.iter().position(|from| alike(&old[*from], &new[*to]) && same_gap(&pairs, *from, *to));
        let Some(at) = named.or_else(beside) else { return true };
        let from = gone.remove(at);
        let delta = compare(&old[from], &new[*to], secrets);
        elements.push(Element { from: Some(from), to: Some(*to), delta, value: new[*to].clone() });
        false
    });
    let added =
        |to: usize| Element { from: None, to: Some(to), delta: Delta::Add(new[to].clone()), value: new[to].clone() };
    let deleted = |from: usize| Element {
        from: Some(from),
        to: None,
        delta: Delta::Delete(old[from].clone()),
        value: old[from].clone(),
    };
    elements.extend(came.into_iter().map(added));
    elements.extend(gone.into_iter().map(deleted));
    elements.sort_by_key(|element| (element.to.or(element.from), element.to.is_some()));
    if elements.is_empty() { Delta::Same } else { Delta::List(elements) }
}

/// The name of an object in a list, if it has one of the usual keys.
fn name(value: &Value) -> Option<&str> {
    let map = value.bare().as_map()?;
    ["name", "key", "id"].iter().find_map(|key| map.get(*key)?.bare().as_str())
}

/// Whether one can be seen as a change of the other.
fn alike(old: &Value, new: &Value) -> bool {
    let named = name(old).is_some() && name(new).is_some();
    !named && std::mem::discriminant(old.bare()) == std::mem::discriminant(new.bare())
}

/// Whether no element that stayed lies between the two.
fn same_gap(pairs: &[Pair], from: usize, to: usize) -> bool {
    let at = |test: &dyn Fn(&Pair) -> bool| pairs.iter().position(test);
    let (Some(one), Some(other)) =
        (at(&|pair| pair.old == Some(from)), at(&|pair| pair.old.is_none() && pair.new == Some(to)))
    else {
        return false;
    };
    pairs[one.min(other)..one.max(other)].iter().all(|pair| pair.old.is_none() || pair.new.is_none())
}
