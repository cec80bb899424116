//! Structural comparison of property maps, for providers that do not report changes.

use crate::{PathStep, PropertyMap, PropertyPath, Value};

/// The change at one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Only the new side has it.
    Add,
    /// Only the old side has it.
    Delete,
    /// Both have it, with different values.
    Update,
}

/// The places where two property maps differ, deepest paths, in order. Secret marks do not count as a difference.
pub fn properties(old: &PropertyMap, new: &PropertyMap) -> Vec<(PropertyPath, Change)> {
    let mut found = Vec::new();
    maps(&mut Vec::new(), old, new, &mut found);
    found
}

/// Whether two values are equal, ignoring secret marks and output wrappers.
pub fn equal(old: &Value, new: &Value) -> bool {
    match (old.bare(), new.bare()) {
        (Value::List(old), Value::List(new)) => old.len() == new.len() && old.iter().zip(new).all(|(a, b)| equal(a, b)),
        (Value::Map(old), Value::Map(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|((ka, a), (kb, b))| ka == kb && equal(a, b))
        }
        (old, new) => same_leaf(old, new),
    }
}

/// Assets are compared by their contents: once both hashes are known they decide, whatever the sources.
fn same_leaf(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Asset(old), Value::Asset(new)) if !old.hash.is_empty() && !new.hash.is_empty() => old.hash == new.hash,
        (Value::Archive(old), Value::Archive(new)) if !old.hash.is_empty() && !new.hash.is_empty() => {
            old.hash == new.hash
        }
        _ => old == new,
    }
}

fn maps(at: &mut Vec<PathStep>, old: &PropertyMap, new: &PropertyMap, found: &mut Vec<(PropertyPath, Change)>) {
    for (key, old_value) in old {
        at.push(PathStep::Key(key.clone()));
        match new.get(key) {
            Some(new_value) => values(at, old_value, new_value, found),
            None => found.push((PropertyPath(at.clone()), Change::Delete)),
        }
        at.pop();
    }
    for key in new.keys().filter(|key| !old.contains_key(*key)) {
        found.push((PropertyPath(at.iter().cloned().chain([PathStep::Key(key.clone())]).collect()), Change::Add));
    }
}

fn values(at: &mut Vec<PathStep>, old: &Value, new: &Value, found: &mut Vec<(PropertyPath, Change)>) {
    match (old.bare(), new.bare()) {
        (Value::Map(old), Value::Map(new)) => maps(at, old, new, found),
        (Value::List(old), Value::List(new)) => {
            for index in 0..old.len().max(new.len()) {
                at.push(PathStep::Index(index));
                match (old.get(index), new.get(index)) {
                    (Some(old), Some(new)) => values(at, old, new, found),
                    (Some(_), None) => found.push((PropertyPath(at.clone()), Change::Delete)),
                    (None, _) => found.push((PropertyPath(at.clone()), Change::Add)),
                }
                at.pop();
            }
        }
        (old, new) if same_leaf(old, new) => {}
        _ => found.push((PropertyPath(at.clone()), Change::Update)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_deepest_places() {
        let map =
            |pairs: &[(&str, Value)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect::<PropertyMap>();
        let old = map(&[
            ("a", Value::List(vec![1.0.into(), 2.0.into()])),
            ("b", "x".into()),
            ("s", Value::secret("k".into())),
        ]);
        let new = map(&[("a", Value::List(vec![1.0.into(), 3.0.into()])), ("c", true.into()), ("s", "k".into())]);
        let found: Vec<_> =
            properties(&old, &new).into_iter().map(|(path, change)| (path.to_string(), change)).collect();
        assert_eq!(
            found,
            [("a[1]".to_owned(), Change::Update), ("b".to_owned(), Change::Delete), ("c".to_owned(), Change::Add)]
        );
        assert!(properties(&old, &old).is_empty());
    }
}
