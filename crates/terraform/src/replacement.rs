//! Which changes need a new resource.
//!
//! A provider names the attributes whose change would need one; whether they do change is for the caller to see.

use crate::cty::{Path, Step, Value};

/// A path that leads nowhere, neither in what exists nor in what is planned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the provider names `{0}` as a reason for replacement, which is neither in the state nor in the plan")]
pub struct Nowhere(pub Path);

/// The paths, each once, that lead to a change: prior and planned differ there, or planned is unknown.
pub fn effective(prior: &Value, planned: &Value, paths: &[Path]) -> Result<Vec<Path>, Nowhere> {
    let mut effective: Vec<Path> = Vec::new();
    if prior.is_null() {
        return Ok(effective);
    }
    for path in paths {
        if effective.contains(path) {
            continue;
        }
        let (before, after) = (find(prior, path), find(planned, path));
        let changes = match (before, after) {
            (None, None) => return Err(Nowhere(path.clone())),
            (Some(before), Some(after)) => after.is_unknown() || before != after,
            (before, after) => before.or(after).is_some(),
        };
        if changes {
            effective.push(path.clone());
        }
    }
    Ok(effective)
}

/// What lies at a path. Nothing is found in a set, and nothing within null or unknown.
fn find<'a>(value: &'a Value, path: &Path) -> Option<&'a Value> {
    let mut value = value;
    for step in &path.0 {
        while let Value::Dynamic(inner) = value {
            value = &inner.1;
        }
        value = match (value, step) {
            (Value::Map(items), Step::Attribute(name)) => items.get(name)?,
            (Value::Map(items), Step::Key(key)) => items.get(key.as_str())?,
            (Value::List(items), Step::Index(index)) => items.get(usize::try_from(*index).ok()?)?,
            _ => return None,
        };
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn map<const N: usize>(items: [(&str, Value); N]) -> Value {
        Value::Map(items.into_iter().map(|(name, value)| (Arc::from(name), value)).collect())
    }

    fn path(name: &str) -> Path {
        Path(vec![Step::Attribute(Arc::from(name))])
    }

    #[test]
    fn only_what_changes_counts() {
        let prior = map([("a", Value::string("x")), ("b", Value::string("x")), ("c", Value::Null)]);
        let planned = map([("a", Value::string("x")), ("b", Value::string("y")), ("c", Value::UNKNOWN)]);
        let paths = [path("a"), path("b"), path("c"), path("b")];
        assert_eq!(effective(&prior, &planned, &paths).unwrap(), [path("b"), path("c")]);
        assert_eq!(effective(&Value::Null, &planned, &paths).unwrap(), []);
        assert_eq!(effective(&prior, &planned, &[path("d")]), Err(Nowhere(path("d"))));
    }
}
