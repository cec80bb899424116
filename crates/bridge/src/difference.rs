//! What a plan changes, property by property.

use std::collections::{BTreeMap, BTreeSet};

use outrigger_provider::{DetailedDiff, Diff, DiffKind, PropertyDiff};
use outrigger_terraform::cty::{Path, Step, Value as Cty};
use outrigger_value::{PathStep, PropertyPath};

use crate::names::{Field, Object, Shape};
use crate::place;

/// What changes from `prior` to `planned`; `replacing` are the paths that need a new resource.
pub(crate) fn of(object: &Object, prior: &Cty, planned: &Cty, replacing: &[Path]) -> Diff {
    let mut changed: BTreeSet<String> = BTreeSet::new();
    let mut details = Details::default();
    for field in object.fields() {
        let (before, after) = (member(prior, field), member(planned, field));
        if before == after {
            continue;
        }
        changed.insert(field.name.to_string());
        // What only the provider sets is nobody's change; a display would look for it among the inputs.
        if field.is_input() {
            details.at(PathStep::Key(field.name.to_string()), |details| details.shaped(&field.shape, before, after));
        }
    }
    let replace_keys: BTreeSet<String> =
        replacing.iter().filter_map(|path| place::top(object, path)).map(str::to_owned).collect();
    for path in replacing {
        promote(object, path, &mut details.found);
    }
    // A reason that no input shows is shown by the property at the top.
    if !replace_keys.is_empty() && !details.found.values().any(|kind| kind.replaces()) {
        for key in &replace_keys {
            details.found.insert(PropertyPath(vec![PathStep::Key(key.clone())]), DiffKind::UpdateReplace);
        }
    }
    let detailed: DetailedDiff =
        details.found.into_iter().map(|(path, kind)| (path.to_string(), PropertyDiff { kind, input: false })).collect();
    Diff {
        changed: Some(!changed.is_empty()),
        changed_keys: changed.into_iter().collect(),
        replace_keys: replace_keys.into_iter().collect(),
        stable_keys: Vec::new(),
        delete_before_replace: false,
        detailed: (!detailed.is_empty()).then_some(detailed),
    }
}

fn member<'a>(value: &'a Cty, field: &Field) -> &'a Cty {
    if value.is_unknown() { &Cty::UNKNOWN } else { value.get(&field.terraform).unwrap_or(&Cty::Null) }
}

/// Marks everything at and below a path of the provider's as a reason for replacement. A path into a set ends at the set.
fn promote(object: &Object, path: &Path, found: &mut BTreeMap<PropertyPath, DiffKind>) {
    let Some(prefix) = property_path(object, path) else { return };
    for (path, kind) in found.iter_mut().filter(|(path, _)| path.0.starts_with(&prefix)) {
        debug_assert!(!path.0.is_empty());
        *kind = kind.as_replace();
    }
}

fn property_path(object: &Object, path: &Path) -> Option<Vec<PathStep>> {
    let mut steps = Vec::new();
    let mut object = Some(object);
    let mut shape: Option<&Shape> = None;
    for step in &path.0 {
        match step {
            Step::Attribute(name) => {
                let field = object?.of_terraform(name)?;
                steps.push(PathStep::Key(field.name.to_string()));
                shape = Some(&field.shape);
            }
            Step::Index(_) | Step::Key(_) if matches!(shape, Some(Shape::One { .. })) => {}
            Step::Index(_) if matches!(shape, Some(Shape::Set(_))) => break,
            Step::Index(index) => {
                steps.push(PathStep::Index(usize::try_from(*index).ok()?));
                shape = shape.and_then(element);
            }
            Step::Key(key) => {
                steps.push(PathStep::Key(key.clone()));
                shape = shape.and_then(element);
            }
        }
        object = shape.and_then(Shape::object).map(|object| &**object);
    }
    (!steps.is_empty()).then_some(steps)
}

fn element(shape: &Shape) -> Option<&Shape> {
    match shape {
        Shape::List(element) | Shape::Set(element) | Shape::Map(element) => Some(element),
        _ => None,
    }
}

/// Changes by path, and where the search is.
#[derive(Default)]
struct Details {
    found: BTreeMap<PropertyPath, DiffKind>,
    path: Vec<PathStep>,
}

impl Details {
    fn at(&mut self, step: PathStep, look: impl FnOnce(&mut Self)) {
        self.path.push(step);
        look(self);
        self.path.pop();
    }

    fn add(&mut self, before: &Cty, after: &Cty) {
        let kind = match (before.is_null(), after.is_null()) {
            (true, _) => DiffKind::Add,
            (_, true) => DiffKind::Delete,
            _ => DiffKind::Update,
        };
        self.found.insert(PropertyPath(self.path.clone()), kind);
    }

    fn shaped(&mut self, shape: &Shape, before: &Cty, after: &Cty) {
        if before == after {
            return;
        }
        match (shape, before, after) {
            (Shape::Object(object), Cty::Map(_), Cty::Map(_)) => self.object(object, before, after),
            (Shape::One { object, .. }, before, after) => match (before.elements(), after.elements()) {
                ([before @ Cty::Map(_)], [after @ Cty::Map(_)]) => self.object(object, before, after),
                (before, after) => {
                    let only = |items: &[Cty]| items.first().cloned().unwrap_or(Cty::Null);
                    self.add(&only(before), &only(after));
                }
            },
            (Shape::List(element), Cty::List(before), Cty::List(after)) => {
                for index in 0..before.len().max(after.len()) {
                    let item = |items: &[Cty]| items.get(index).cloned();
                    self.at(PathStep::Index(index), |details| match (item(before), item(after)) {
                        (Some(before), Some(after)) => details.shaped(element, &before, &after),
                        (Some(before), None) => details.add(&before, &Cty::Null),
                        (None, Some(after)) => details.add(&Cty::Null, &after),
                        (None, None) => {}
                    });
                }
            }
            (Shape::Set(_), Cty::Set(before), Cty::Set(after)) => self.set(before, after),
            (Shape::Map(element), Cty::Map(before), Cty::Map(after)) => {
                let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
                for key in keys {
                    let (before, after) = (before.get(key).unwrap_or(&Cty::Null), after.get(key).unwrap_or(&Cty::Null));
                    self.at(PathStep::Key(key.to_string()), |details| details.shaped(element, before, after));
                }
            }
            _ => self.add(before, after),
        }
    }

    fn object(&mut self, object: &Object, before: &Cty, after: &Cty) {
        for field in object.fields() {
            let (before, after) = (member(before, field), member(after, field));
            self.at(PathStep::Key(field.name.to_string()), |details| details.shaped(&field.shape, before, after));
        }
    }

    /// What is in one set and not in the other. Elements have no names; each is shown at its place in its own set.
    fn set(&mut self, before: &[Cty], after: &[Cty]) {
        let missing = |from: &[Cty], other: &[Cty]| -> BTreeSet<usize> {
            from.iter().enumerate().filter(|(_, item)| !other.contains(item)).map(|(index, _)| index).collect()
        };
        let (gone, new) = (missing(before, after), missing(after, before));
        for index in gone.union(&new) {
            let kind = match (gone.contains(index), new.contains(index)) {
                (true, true) => DiffKind::Update,
                (true, false) => DiffKind::Delete,
                _ => DiffKind::Add,
            };
            self.at(PathStep::Index(*index), |details| {
                details.found.insert(PropertyPath(details.path.clone()), kind);
            });
        }
    }
}
