//! The effect of a change of inputs.

use std::collections::{BTreeMap, BTreeSet};

use outrigger_provider::{DetailedDiff, Diff, DiffKind, PropertyDiff, Verdict};
use outrigger_value::diff::{self, Change};
use outrigger_value::{PathStep, PropertyMap, PropertyPath, Value};

use crate::shape::{ObjectShape, Shape};
use crate::validation::is_internal;

/// The effect of a change of inputs, by property path: update or replace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    kinds: BTreeMap<PropertyPath, DiffKind>,
    /// Whether a replacement deletes the old resource first.
    pub delete_before_replace: bool,
}

impl Changes {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Whether the resource must be replaced.
    pub fn replaces(&self) -> bool {
        self.kinds.values().any(|kind| kind.replaces())
    }

    /// Whether anything at this property, or inside of it, changes.
    pub fn touches(&self, property: &str) -> bool {
        self.kinds.keys().any(|path| top(path) == Some(property))
    }

    /// The change at this property forces a replacement. Nothing happens if it does not change.
    pub fn replace(&mut self, property: &str) {
        for (_, kind) in self.kinds.iter_mut().filter(|(path, _)| top(path) == Some(property)) {
            *kind = kind.as_replace();
        }
    }

    /// The change at this property does not count: both values mean the same.
    pub fn ignore(&mut self, property: &str) {
        self.kinds.retain(|path, _| top(path) != Some(property));
    }

    /// Adds a change that the inputs do not show.
    pub fn add(&mut self, property: &str, kind: DiffKind) {
        self.kinds.insert(PropertyPath(vec![PathStep::Key(property.to_owned())]), kind);
    }

    /// The changes between two sets of inputs, by the attributes of the inputs' struct.
    pub(crate) fn between(shape: &ObjectShape, old: &PropertyMap, new: &PropertyMap, ignored: &[String]) -> Self {
        let ignored: Vec<PropertyPath> = ignored.iter().filter_map(|path| path.parse().ok()).collect();
        let kinds = diff::properties(old, new)
            .into_iter()
            .filter(|(path, _)| !ignored.iter().any(|ignored| ignored.contains(path)))
            .filter(|(path, _)| !top(path).is_some_and(is_internal))
            .filter(|(path, change)| *change != Change::Add || !is_default(shape, path, new))
            .filter_map(|(path, change)| Some((kind(change, path.get(old), path.get(new))?, path)))
            .map(|(kind, path)| (if replaces(shape, &path) { kind.as_replace() } else { kind }, path))
            .map(|(kind, path)| (path, kind))
            .collect();
        Self { kinds, delete_before_replace: false }
    }

    /// The verdict and the protocol's words for it.
    pub(crate) fn conclude(self, outputs: &ObjectShape) -> (Verdict, Diff) {
        let verdict = match (self.is_empty(), self.replaces()) {
            (true, _) => Verdict::Same,
            (false, true) => Verdict::Replace,
            (false, false) => Verdict::Update,
        };
        let keys = |replacing: bool| -> Vec<String> {
            let kinds = self.kinds.iter().filter(|(_, kind)| !replacing || kind.replaces());
            let keys: BTreeSet<&str> = kinds.filter_map(|(path, _)| top(path)).collect();
            keys.into_iter().map(str::to_owned).collect()
        };
        let stable_keys = outputs.properties.iter().filter(|property| property.stable);
        let diff = Diff {
            changed: Some(!self.is_empty()),
            changed_keys: keys(false),
            replace_keys: keys(true),
            stable_keys: stable_keys.map(|property| property.name.to_owned()).collect(),
            delete_before_replace: self.delete_before_replace,
            detailed: Some(
                self.kinds
                    .iter()
                    .map(|(path, kind)| (path.to_string(), PropertyDiff { kind: *kind, input: true }))
                    .collect::<DetailedDiff>(),
            ),
        };
        (verdict, diff)
    }
}

/// Nothing and null are the same.
fn kind(change: Change, old: Option<&Value>, new: Option<&Value>) -> Option<DiffKind> {
    let empty = |value: Option<&Value>| value.is_none_or(|value| *value.bare() == Value::Null);
    match (empty(old), empty(new)) {
        (true, true) => None,
        (true, false) => Some(DiffKind::Add),
        (false, true) => Some(DiffKind::Delete),
        (false, false) => Some(match change {
            Change::Add => DiffKind::Add,
            Change::Delete => DiffKind::Delete,
            Change::Update => DiffKind::Update,
        }),
    }
}

/// Whether a value appeared only because a newer plugin has a default for it: that is no reason to change a resource.
fn is_default(shape: &ObjectShape, path: &PropertyPath, new: &PropertyMap) -> bool {
    let [PathStep::Key(name)] = path.0.as_slice() else { return false };
    let default = shape.property(name).and_then(|property| property.default.as_ref());
    default.zip(new.get(name)).is_some_and(|(default, new)| diff::equal(default, new))
}

/// Whether a property on the way is marked.
fn replaces(shape: &ObjectShape, path: &PropertyPath) -> bool {
    let mut steps = path.0.iter();
    let Some(PathStep::Key(first)) = steps.next() else { return false };
    let Some(property) = shape.property(first) else { return false };
    if property.replace {
        return true;
    }
    let mut shape = &property.shape;
    for step in steps {
        shape = match (shape, step) {
            (Shape::List(element) | Shape::Map(element), _) => element,
            (Shape::Object(object), PathStep::Key(name)) => match object().property(name) {
                Some(property) if property.replace => return true,
                Some(property) => &property.shape,
                None => return false,
            },
            _ => return false,
        };
    }
    false
}

fn top(path: &PropertyPath) -> Option<&str> {
    match path.0.first() {
        Some(PathStep::Key(key)) => Some(key),
        _ => None,
    }
}
