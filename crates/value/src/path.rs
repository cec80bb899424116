//! Paths into values, in Pulumi's syntax: `a.b[0]["x.y"]`, with `*` for every element.

use std::fmt;
use std::str::FromStr;

use crate::{PropertyMap, Value};

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathStep {
    /// A key of a map.
    Key(String),
    /// An element of a list.
    Index(usize),
    /// Every element of a list or map.
    Wildcard,
}

/// A path; the first step is a key of the property map.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PropertyPath(pub Vec<PathStep>);

/// The text is not a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    /// The whole text.
    pub text: String,
    /// The problem.
    pub reason: &'static str,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a property path: {}", self.text, self.reason)
    }
}

impl std::error::Error for PathError {}

impl PropertyPath {
    /// The value at this path, looking through secrets. `None` if it is missing, or the path has a wildcard.
    pub fn get<'a>(&self, properties: &'a PropertyMap) -> Option<&'a Value> {
        let (PathStep::Key(first), rest) = self.0.split_first()? else { return None };
        let mut value = properties.get(first)?;
        for step in rest {
            value = match (step, value.bare()) {
                (PathStep::Key(key), Value::Map(map)) => map.get(key)?,
                (PathStep::Index(index), Value::List(items)) => items.get(*index)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Makes `to` equal to `from` at this path, wildcards included: sets the values in `from`, removes those missing from it.
    /// Returns whether the path could be followed; a path through a missing value changes nothing.
    pub fn copy(&self, from: &PropertyMap, to: &mut PropertyMap) -> bool {
        copy_map(&self.0, from, to)
    }

    /// Whether this path, as a pattern, covers `path`: every step matches and `path` is as long or longer.
    pub fn contains(&self, path: &PropertyPath) -> bool {
        self.0.len() <= path.0.len()
            && self.0.iter().zip(&path.0).all(|(pattern, step)| *pattern == PathStep::Wildcard || pattern == step)
    }
}

fn copy_map(steps: &[PathStep], from: &PropertyMap, to: &mut PropertyMap) -> bool {
    let Some((step, rest)) = steps.split_first() else { return false };
    match step {
        PathStep::Key(key) => copy_key(key, rest, from, to),
        PathStep::Wildcard => {
            let keys: Vec<String> = from.keys().chain(to.keys()).cloned().collect();
            // Every key is copied, even if an earlier one failed.
            keys.iter().filter(|key| !copy_key(key, rest, from, to)).count() == 0
        }
        PathStep::Index(_) => false,
    }
}

fn copy_key(key: &str, rest: &[PathStep], from: &PropertyMap, to: &mut PropertyMap) -> bool {
    match (rest.is_empty(), from.get(key)) {
        (true, Some(old)) => {
            to.insert(key.to_owned(), old.clone());
            true
        }
        (true, None) => {
            to.remove(key);
            true
        }
        (false, Some(old)) => match to.get_mut(key) {
            Some(new) => copy_value(rest, old, new),
            None => false,
        },
        // The value is missing from both: already equal.
        (false, None) => !to.contains_key(key),
    }
}

fn copy_value(steps: &[PathStep], from: &Value, to: &mut Value) -> bool {
    let from = from.bare();
    let to = match to {
        Value::Secret(inner) => inner.as_mut(),
        other => other,
    };
    match (from, to) {
        (Value::Map(from), Value::Map(to)) => copy_map(steps, from, to),
        (Value::List(from), Value::List(to)) => {
            let Some((step, rest)) = steps.split_first() else { return false };
            let mut one = |index: usize| match (from.get(index), to.get_mut(index)) {
                (Some(old), Some(new)) if rest.is_empty() => {
                    *new = old.clone();
                    true
                }
                (Some(old), Some(new)) => copy_value(rest, old, new),
                _ => false,
            };
            match step {
                PathStep::Index(index) => one(*index),
                PathStep::Wildcard => (0..from.len()).filter(|index| !one(*index)).count() == 0,
                PathStep::Key(_) => false,
            }
        }
        _ => false,
    }
}

impl FromStr for PropertyPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        let fail = |reason| PathError { text: text.to_owned(), reason };
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix('.') {
                rest = after;
                if rest.is_empty() || rest.starts_with('.') {
                    return Err(fail("a name is missing after `.`"));
                }
            } else if let Some(after) = rest.strip_prefix('[') {
                let (step, after) = bracket(after).map_err(fail)?;
                steps.push(step);
                rest = after;
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                let name = &rest[..end];
                steps.push(if name == "*" { PathStep::Wildcard } else { PathStep::Key(name.to_owned()) });
                rest = &rest[end..];
            }
        }
        if steps.is_empty() {
            return Err(fail("it is empty"));
        }
        Ok(Self(steps))
    }
}

fn bracket(text: &str) -> Result<(PathStep, &str), &'static str> {
    if let Some(quoted) = text.strip_prefix('"') {
        let mut key = String::new();
        let mut chars = quoted.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some((_, escaped @ ('"' | '\\'))) => key.push(escaped),
                    Some((_, other)) => key.extend(['\\', other]),
                    None => return Err("a quoted key has no end"),
                },
                '"' => {
                    let after = quoted[at + 1..].strip_prefix(']').ok_or("a `]` is missing after a quoted key")?;
                    return Ok((PathStep::Key(key), after));
                }
                other => key.push(other),
            }
        }
        return Err("a quoted key has no end");
    }
    let (inside, after) = text.split_once(']').ok_or("a `]` is missing")?;
    if inside == "*" {
        return Ok((PathStep::Wildcard, after));
    }
    inside.parse().map(|index| (PathStep::Index(index), after)).map_err(|_| "an index must be a number or `*`")
}

/// The shortest form that parses back to the same path.
impl fmt::Display for PropertyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Key(key) if !key.is_empty() && key != "*" && !key.contains(['.', '[', ']', '"', '\\']) => {
                    write!(f, "{}{key}", if at == 0 { "" } else { "." })?;
                }
                PathStep::Key(key) => write!(f, "[\"{}\"]", key.replace('\\', "\\\\").replace('"', "\\\""))?,
                PathStep::Index(index) => write!(f, "[{index}]")?,
                PathStep::Wildcard => f.write_str("[*]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> PropertyPath {
        text.parse().unwrap()
    }

    #[test]
    fn text_and_back() {
        for text in ["a", "a.b", "a[0]", "a[*].b", r#"a["x.y"].c"#, r#"["a\"b"]"#, "root.nested[7].x"] {
            assert_eq!(path(text).to_string(), text);
        }
        for text in ["", "a.", "a..b", "a[", "a[x]", r#"a["b"#] {
            assert!(text.parse::<PropertyPath>().is_err(), "{text}");
        }
    }

    #[test]
    fn copying_resets_what_is_ignored() {
        let map =
            |pairs: &[(&str, Value)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect::<PropertyMap>();
        let old = map(&[("tags", Value::Map(map(&[("owner", "a".into()), ("gone", "x".into())]))), ("n", 1.0.into())]);
        let mut new =
            map(&[("tags", Value::Map(map(&[("owner", "b".into()), ("added", "y".into())]))), ("n", 2.0.into())]);
        assert!(path("tags.owner").copy(&old, &mut new));
        assert_eq!(path("tags.owner").get(&new), Some(&"a".into()));
        assert!(path("tags.*").copy(&old, &mut new));
        assert_eq!(new.get("tags"), old.get("tags"));
        assert!(!path("n.x").copy(&old, &mut new));
        assert!(path("n").copy(&PropertyMap::new(), &mut new));
        assert!(!new.contains_key("n"));
    }

    #[test]
    fn a_pattern_contains_longer_paths() {
        assert!(path("a[*]").contains(&path("a[3].b")));
        assert!(!path("a.b").contains(&path("a")));
    }
}
