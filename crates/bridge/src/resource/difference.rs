//! The changes of a plan, property by property.

use std::collections::{BTreeMap, BTreeSet};

use outrigger_provider::{DetailedDiff, Diff, DiffKind, PropertyDiff};
use outrigger_terraform::cty::{Path, Value as Cty};
use outrigger_value::{PathStep, PropertyPath};

use crate::naming::object_names::{Field, Object, Shape};
use crate::naming::property_path;

/// The changes from `prior` to `planned`; `replacing` are the paths that need a new resource.
pub(crate) fn of(object: &Object, prior: &Cty, planned: &Cty, replacing: &[Path]) -> Diff {
    let mut changed: BTreeSet<String> = BTreeSet::new();
    let mut details = Details::default();
    for field in object.fields() {
        let (before, after) = (member(prior, field), member(planned, field));
        if before == after {
            continue;
        }
        changed.insert(field.name.to_string());
        // A property that only the provider sets has no details: a display would look for it among the inputs.
        if field.is_input() {
            details.at(PathStep::Key(field.name.to_string()), |details| details.shaped(&field.shape, before, after));
        }
    }
    let replace_keys: BTreeSet<String> =
        replacing.iter().filter_map(|path| property_path::top(object, path)).map(str::to_owned).collect();
    for path in replacing {
        promote(object, path, &mut details.found);
    }
    // If no input shows the reason for the replacement, the top-level property does.
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

/// Marks every change at or below a provider's path as a reason for replacement. A path into a set ends at the set.
fn promote(object: &Object, path: &Path, found: &mut BTreeMap<PropertyPath, DiffKind>) {
    let Some(prefix) = property_path::path(object, path) else { return };
    for (path, kind) in found.iter_mut().filter(|(path, _)| path.0.starts_with(&prefix)) {
        debug_assert!(!path.0.is_empty());
        *kind = kind.as_replace();
    }
}

/// Changes by path, and the current path of the search.
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

    /// A change as a whole. `None` means absent, which is less than null.
    fn add(&mut self, before: Option<&Cty>, after: Option<&Cty>) {
        let kind = match (before, after) {
            (None, _) => DiffKind::Add,
            (_, None) => DiffKind::Delete,
            (Some(before), _) if before.is_null() => DiffKind::Add,
            (_, Some(after)) if after.is_null() => DiffKind::Delete,
            _ => DiffKind::Update,
        };
        self.found.insert(PropertyPath(self.path.clone()), kind);
    }

    /// One element of a collection, which may be absent on one side.
    fn element(&mut self, step: PathStep, shape: &Shape, before: Option<&Cty>, after: Option<&Cty>) {
        self.at(step, |details| match (before, after) {
            (Some(before), Some(after)) => details.shaped(shape, before, after),
            (before, after) => details.add(before, after),
        });
    }

    fn shaped(&mut self, shape: &Shape, before: &Cty, after: &Cty) {
        if before == after {
            return;
        }
        match (shape, before, after) {
            (Shape::Object(object), Cty::Map(_), Cty::Map(_)) => self.object(object, before, after),
            (Shape::One { object, .. }, before, after) => match (before.elements(), after.elements()) {
                ([before @ Cty::Map(_)], [after @ Cty::Map(_)]) => self.object(object, before, after),
                _ => {
                    let only = |value| if Cty::is_unknown(value) { Some(value) } else { value.elements().first() };
                    self.add(only(before), only(after));
                }
            },
            (Shape::List(element), Cty::List(before), Cty::List(after)) => {
                for index in 0..before.len().max(after.len()) {
                    self.element(PathStep::Index(index), element, before.get(index), after.get(index));
                }
            }
            (Shape::Set(_), Cty::Set(before), Cty::Set(after)) => self.set(before, after),
            (Shape::Map(element), Cty::Map(before), Cty::Map(after)) => {
                let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
                for key in keys {
                    self.element(PathStep::Key(key.to_string()), element, before.get(key), after.get(key));
                }
            }
            _ => self.add(Some(before), Some(after)),
        }
    }

    fn object(&mut self, object: &Object, before: &Cty, after: &Cty) {
        for field in object.fields() {
            let (before, after) = (member(before, field), member(after, field));
            self.at(PathStep::Key(field.name.to_string()), |details| details.shaped(&field.shape, before, after));
        }
    }

    /// Elements that only one of the sets has. Elements have no names; each is shown at its position in its own set.
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::test_support::{any_block, any_state, map, of_types, turned};
    use outrigger_terraform::cty::{Step, Type};

    /// A type of resources, two states of one, and reasons for replacement among its attributes.
    fn any_change() -> impl Strategy<Value = (Object, Cty, Cty, Vec<Path>)> {
        any_block().prop_flat_map(|block| {
            let names: Vec<Arc<str>> = Object::of_block(&block).fields().iter().map(|f| f.terraform.clone()).collect();
            let paths = proptest::sample::subsequence(names.clone(), 0..=names.len())
                .prop_map(|names| names.into_iter().map(|name| Path(vec![Step::Attribute(name)])).collect());
            let states = (any_state(&block), any_state(&block), paths);
            states.prop_map(move |(before, after, paths)| (Object::of_block(&block), before, after, paths))
        })
    }

    fn first(path: &str) -> &str {
        path.split(['.', '[']).find(|part| !part.is_empty()).unwrap_or_default()
    }

    proptest! {
        #[test]
        fn nothing_is_shown_exactly_where_nothing_changes((object, before, after, _) in any_change()) {
            let none = of(&object, &before, &turned(&before), &[]);
            prop_assert_eq!((none.changed, none.changed_keys, none.detailed), (Some(false), Vec::new(), None));
            let some = of(&object, &before, &after, &[]);
            prop_assert_eq!(some.changed, Some(before != after));
        }

        #[test]
        fn every_input_that_changes_is_shown((object, before, after, _) in any_change()) {
            let diff = of(&object, &before, &after, &[]);
            let detailed = diff.detailed.unwrap_or_default();
            for field in object.fields() {
                let changes = member(&before, field) != member(&after, field);
                let shown = detailed.iter().any(|(path, _)| first(path) == &*field.name);
                prop_assert_eq!(diff.changed_keys.iter().any(|key| **key == *field.name), changes);
                prop_assert_eq!(shown, changes && field.is_input(), "{}: {:?}", field.name, detailed);
            }
            prop_assert!(detailed.iter().all(|(_, change)| !change.kind.replaces()));
        }

        #[test]
        fn only_what_is_under_a_reason_replaces((object, before, after, replacing) in any_change()) {
            let diff = of(&object, &before, &after, &replacing);
            let keys: BTreeSet<&str> = replacing.iter().filter_map(|path| property_path::top(&object, path)).collect();
            prop_assert!(diff.replace_keys.iter().map(String::as_str).eq(keys.iter().copied()));
            let detailed = diff.detailed.unwrap_or_default();
            for (path, change) in &detailed {
                prop_assert_eq!(change.kind.replaces(), keys.contains(first(path)), "{}", path);
            }
            prop_assert_eq!(detailed.iter().any(|(_, change)| change.kind.replaces()), !keys.is_empty());
        }
    }

    fn details(object: &Object, before: &Cty, after: &Cty, replacing: &[Path]) -> Vec<(String, DiffKind)> {
        let detailed = of(object, before, after, replacing).detailed.unwrap_or_default();
        detailed.into_iter().map(|(path, change)| (path, change.kind)).collect()
    }

    #[test]
    fn null_is_not_the_same_as_nothing() {
        let object = of_types([("tag", Type::map(Type::String)), ("zone", Type::list(Type::String))]);
        let with = map([("tag", map([("a", Cty::Null)])), ("zone", Cty::List(vec![Cty::Null]))]);
        let without = map([("tag", map([])), ("zone", Cty::List(Vec::new()))]);
        let paths = |kind| vec![("tag.a".to_owned(), kind), ("zones[0]".to_owned(), kind)];
        assert_eq!(details(&object, &without, &with, &[]), paths(DiffKind::Add));
        assert_eq!(details(&object, &with, &without, &[]), paths(DiffKind::Delete));
    }

    #[test]
    fn what_is_not_known_yet_may_change() {
        let object = of_types([("zone", Type::set(Type::String)), ("made", Type::String)]);
        let before = map([("zone", Cty::Set(vec![Cty::string("a")])), ("made", Cty::Null)]);
        let after = map([("zone", Cty::UNKNOWN), ("made", Cty::UNKNOWN)]);
        let expected = [("made".to_owned(), DiffKind::Add), ("zones".to_owned(), DiffKind::Update)];
        assert_eq!(details(&object, &before, &after, &[]), expected);
    }

    #[test]
    fn a_reason_inside_a_set_is_one_of_the_set() {
        let object = of_types([("rule", Type::set(Type::object([(Arc::from("port"), Type::Number)])))]);
        let rule = |port: i64| map([("port", Cty::Number(port.into()))]);
        let before = map([("rule", Cty::Set(vec![rule(1), rule(2)]))]);
        let after = map([("rule", Cty::Set(vec![rule(2), rule(3)]))]);
        let path = Path(vec![Step::Attribute("rule".into()), Step::Index(0), Step::Attribute("port".into())]);
        let expected =
            [("rules[0]".to_owned(), DiffKind::DeleteReplace), ("rules[1]".to_owned(), DiffKind::AddReplace)];
        assert_eq!(details(&object, &before, &after, &[path]), expected);
    }
}
