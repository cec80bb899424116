//! A plugin's answer about a change, and the conclusion if it gives none.

use std::collections::BTreeSet;

use outrigger_provider::{DetailedDiff, Diff, DiffKind, PropertyDiff};
use outrigger_value::diff::{self, Change};
use outrigger_value::{PathStep, PropertyMap, PropertyPath, Value};

use crate::generated::pulumirpc::DiffResponse;
use crate::generated::pulumirpc::diff_response::DiffChanges;
use crate::generated::pulumirpc::property_diff::Kind;

/// Reads a plugin's answer. `changed` is `None` if it does not include one.
pub(crate) fn read(response: DiffResponse) -> Diff {
    let changed = match response.changes() {
        DiffChanges::DiffUnknown => None,
        DiffChanges::DiffNone => Some(false),
        DiffChanges::DiffSome => Some(true),
    };
    let detailed = response.has_detailed_diff.then(|| {
        let entries = response.detailed_diff.iter();
        entries
            .map(|(path, entry)| (path.clone(), PropertyDiff { kind: kind(entry.kind), input: entry.input_diff }))
            .collect()
    });
    Diff {
        changed,
        changed_keys: response.diffs,
        replace_keys: response.replaces,
        stable_keys: response.stables,
        delete_before_replace: response.delete_before_replace,
        detailed,
    }
}

/// An unknown kind counts as a plain change.
fn kind(kind: i32) -> DiffKind {
    match Kind::try_from(kind) {
        Ok(Kind::Add) => DiffKind::Add,
        Ok(Kind::AddReplace) => DiffKind::AddReplace,
        Ok(Kind::Delete) => DiffKind::Delete,
        Ok(Kind::DeleteReplace) => DiffKind::DeleteReplace,
        Ok(Kind::UpdateReplace) => DiffKind::UpdateReplace,
        Ok(Kind::Update) | Err(_) => DiffKind::Update,
    }
}

/// Whether the answer asks for a replacement.
pub(crate) fn replaces(diff: &Diff) -> bool {
    !diff.replace_keys.is_empty()
        || diff.detailed.as_ref().is_some_and(|detailed| detailed.values().any(|entry| entry.kind.replaces()))
}

/// Answers for a plugin that does not report whether something changed: compares old and new inputs, except ignored ones.
pub(crate) fn conclude(diff: &mut Diff, old: &PropertyMap, new: &PropertyMap, ignored: &[String]) {
    if diff.changed.is_some() {
        return;
    }
    let ignored: Vec<PropertyPath> = ignored.iter().filter_map(|path| path.parse().ok()).collect();
    let detailed = compare(old, new, &ignored);
    diff.changed = Some(!detailed.is_empty());
    if !detailed.is_empty() {
        let keys: BTreeSet<String> = detailed.iter().filter_map(|(path, _)| top(path)).collect();
        diff.changed_keys = keys.into_iter().collect();
        diff.detailed = Some(
            detailed
                .into_iter()
                .map(|(path, kind)| (path.to_string(), PropertyDiff { kind, input: true }))
                .collect::<DetailedDiff>(),
        );
    }
}

/// Differences between properties, where missing and null are the same.
fn compare(old: &PropertyMap, new: &PropertyMap, ignored: &[PropertyPath]) -> Vec<(PropertyPath, DiffKind)> {
    let empty = |value: Option<&Value>| value.is_none_or(|value| *value.bare() == Value::Null);
    diff::properties(old, new)
        .into_iter()
        .filter(|(path, _)| !ignored.iter().any(|ignored| ignored.contains(path)))
        .filter_map(|(path, change)| {
            let kind = match (empty(path.get(old)), empty(path.get(new))) {
                (true, true) => return None,
                (true, false) => DiffKind::Add,
                (false, true) => DiffKind::Delete,
                (false, false) => match change {
                    Change::Add => DiffKind::Add,
                    Change::Delete => DiffKind::Delete,
                    Change::Update => DiffKind::Update,
                },
            };
            Some((path, kind))
        })
        .collect()
}

fn top(path: &PropertyPath) -> Option<String> {
    match path.0.first() {
        Some(PathStep::Key(key)) => Some(key.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::pulumirpc;
    use std::collections::HashMap;

    fn map(pairs: &[(&str, Value)]) -> PropertyMap {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
    }

    #[test]
    fn silence_is_answered_by_comparing_inputs() {
        let old = map(&[("same", "a".into()), ("null", Value::Null), ("was", "b".into()), ("ignored", "c".into())]);
        let new = map(&[
            ("same", Value::secret("a".into())),
            ("was", Value::Null),
            ("is", Value::List(vec![])),
            ("ignored", "d".into()),
        ]);
        let mut diff = Diff::default();
        conclude(&mut diff, &old, &new, &["ignored".to_owned()]);
        assert_eq!(diff.changed, Some(true));
        assert_eq!(diff.changed_keys, ["is", "was"]);
        let detailed = diff.detailed.unwrap();
        assert_eq!(detailed["is"], PropertyDiff { kind: DiffKind::Add, input: true });
        assert_eq!(detailed["was"], PropertyDiff { kind: DiffKind::Delete, input: true });

        let mut same = Diff::default();
        conclude(&mut same, &old, &old, &[]);
        assert_eq!((same.changed, same.detailed), (Some(false), None));
    }

    #[test]
    fn details_count_only_when_announced() {
        let entry = pulumirpc::PropertyDiff { kind: 5, input_diff: true };
        let mut response = DiffResponse {
            changes: DiffChanges::DiffSome.into(),
            detailed_diff: HashMap::from([("a".to_owned(), entry)]),
            ..DiffResponse::default()
        };
        assert!(!replaces(&read(response.clone())));
        response.has_detailed_diff = true;
        assert!(replaces(&read(response.clone())));
        response.detailed_diff.insert("b".to_owned(), pulumirpc::PropertyDiff { kind: 99, input_diff: false });
        assert_eq!(read(response).detailed.unwrap()["b"].kind, DiffKind::Update);
    }
}
