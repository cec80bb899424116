//! The changes that need a new resource.
//!
//! A provider names the attributes whose change would need one; the caller has to find out whether they change.

use crate::cty::{Path, Step, Value};
use crate::schema::Block;

/// A path that leads nowhere, neither in the prior state nor in the plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the provider names `{0}` as a reason for replacement, which is neither in the state nor in the plan")]
pub struct Nowhere(pub Path);

/// The paths, each once, that lead to a change: prior and planned state differ there, or the planned value is unknown. Values that are never
/// stored are in neither of them, so the provider is believed about those.
pub fn effective(block: &Block, prior: &Value, planned: &Value, paths: &[Path]) -> Result<Vec<Path>, Nowhere> {
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
            // A missing value equals null.
            (Some(only), None) | (None, Some(only)) => !only.is_null(),
        };
        if changes || block.attribute_at(path).is_some_and(|attribute| attribute.write_only) {
            effective.push(path.clone());
        }
    }
    Ok(effective)
}

/// The value at a path. Nothing is found in a set, and nothing within null; everything within an unknown value is unknown.
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
            (Value::Unknown(_), _) => return Some(value),
            _ => return None,
        };
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cty::Type;
    use crate::schema::{Attribute, Description, Shape};
    use std::sync::Arc;

    fn map<const N: usize>(items: [(&str, Value); N]) -> Value {
        Value::Map(items.into_iter().map(|(name, value)| (Arc::from(name), value)).collect())
    }

    fn path(name: &str) -> Path {
        Path(vec![Step::Attribute(Arc::from(name))])
    }

    fn within(name: &str, step: Step) -> Path {
        Path(vec![Step::Attribute(Arc::from(name)), step])
    }

    fn never_stored(name: &str) -> Block {
        let attribute = Attribute {
            name: Arc::from(name),
            shape: Shape::Type(Type::String),
            description: Description::default(),
            required: false,
            optional: true,
            computed: false,
            sensitive: false,
            write_only: true,
            deprecation: None,
        };
        Block { attributes: vec![attribute], ..Block::default() }
    }

    #[test]
    fn only_what_changes_counts() {
        let block = Block::default();
        let prior = map([("a", Value::string("x")), ("b", Value::string("x")), ("c", Value::Null)]);
        let planned = map([("a", Value::string("x")), ("b", Value::string("y")), ("c", Value::UNKNOWN)]);
        let paths = [path("a"), path("b"), path("c"), path("b")];
        assert_eq!(effective(&block, &prior, &planned, &paths).unwrap(), [path("b"), path("c")]);
        assert_eq!(effective(&block, &Value::Null, &planned, &paths).unwrap(), []);
        assert_eq!(effective(&block, &prior, &planned, &[path("d")]), Err(Nowhere(path("d"))));
    }

    #[test]
    fn what_is_not_there_is_null_and_what_is_in_the_unknown_is_unknown() {
        let block = Block::default();
        let items = |items: Value| map([("items", items)]);
        let first = [within("items", Step::Index(0))];
        let (none, null) = (items(Value::List(vec![])), items(Value::List(vec![Value::Null])));
        let unknown = items(Value::UNKNOWN);
        assert_eq!(effective(&block, &none, &null, &first).unwrap(), []);
        assert_eq!(effective(&block, &null, &none, &first).unwrap(), []);
        assert_eq!(effective(&block, &none, &unknown, &first).unwrap(), first);
    }

    #[test]
    fn a_provider_is_believed_about_what_is_never_stored() {
        let value = map([("secret", Value::Null)]);
        assert_eq!(effective(&never_stored("secret"), &value, &value, &[path("secret")]).unwrap(), [path("secret")]);
        assert_eq!(effective(&never_stored("other"), &value, &value, &[path("secret")]).unwrap(), []);
    }
}
