//! Two answers, field by field.

use regex_lite::Regex;
use serde_json::{Value, json};

use super::Scenario;
use super::exceptions::Exception;
use super::talk::is_secret;

/// Replaces parts of every text.
pub(crate) fn scrub(patterns: &[(Regex, &str)], value: &mut Value) {
    match value {
        Value::String(text) => {
            for (pattern, name) in patterns {
                *text = pattern.replace_all(text, *name).into_owned();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| scrub(patterns, item)),
        Value::Object(fields) => fields.values_mut().for_each(|value| scrub(patterns, value)),
        _ => {}
    }
}

/// Sorts a list wherever its order has no meaning.
pub(crate) fn sort(unordered: &[Exception], scenario: &Scenario, path: &mut Vec<String>, value: &mut Value) {
    match value {
        Value::Array(items) if unordered.iter().any(|it| it.at(scenario, path)) => items.sort_by_key(Value::to_string),
        Value::Object(fields) => {
            for (key, value) in fields {
                path.push(key.clone());
                sort(unordered, scenario, path, value);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Two values that are not equal.
#[derive(Debug, Clone)]
pub(crate) struct Difference {
    pub(crate) path: Vec<String>,
    /// The first side's value, if it has one.
    pub(crate) left: Option<Value>,
    pub(crate) right: Option<Value>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |value: &Option<Value>| match value {
            Some(value) => value.to_string().chars().take(400).collect(),
            None => "nothing".to_owned(),
        };
        write!(formatter, "{}\n    {}\n    {}", self.path.join("."), shown(&self.left), shown(&self.right))
    }
}

/// Everything in which two values differ.
pub(crate) fn differences(path: &[String], left: &Value, right: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    collect(&mut path.to_vec(), Some(left), Some(right), &mut found);
    found
}

fn collect(path: &mut Vec<String>, left: Option<&Value>, right: Option<&Value>, found: &mut Vec<Difference>) {
    let mut below = |part: String, left, right| {
        path.push(part);
        collect(path, left, right, found);
        path.pop();
    };
    match (left, right) {
        (Some(left), Some(right)) if left == right => {}
        // A mark is about a value as a whole, so a value that only one side marks is one difference.
        (Some(one), Some(other)) if is_secret(one) != is_secret(other) => {
            found.push(Difference { path: path.clone(), left: left.cloned(), right: right.cloned() });
        }
        (Some(Value::Object(left)), Some(Value::Object(right))) => {
            for (key, value) in left {
                below(key.clone(), Some(value), right.get(key));
            }
            for (key, value) in right.iter().filter(|(key, _)| !left.contains_key(*key)) {
                below(key.clone(), None, Some(value));
            }
        }
        (Some(Value::Array(left)), Some(Value::Array(right))) => {
            for index in 0..left.len().max(right.len()) {
                below(index.to_string(), left.get(index), right.get(index));
            }
        }
        (Some(Value::String(one)), Some(Value::String(other))) => match (inside(one), inside(other)) {
            (Some(one), Some(other)) => collect(path, Some(&one), Some(&other), found),
            _ => found.push(Difference { path: path.clone(), left: left.cloned(), right: right.cloned() }),
        },
        _ => found.push(Difference { path: path.clone(), left: left.cloned(), right: right.cloned() }),
    }
}

/// The JSON in a string, in the form of the bridge's bookkeeping.
fn inside(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(|value: &Value| value.is_object() || value.is_array())
}

/// Whether a path matches a pattern.
pub(crate) fn matches(pattern: &[&str], path: &[String]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => {
            matches(rest, path) || path.split_first().is_some_and(|(_, tail)| matches(pattern, tail))
        }
        ([first, rest @ ..], [part, tail @ ..]) => {
            let fits = first.strip_suffix('*').map_or(*first == *part, |start| part.starts_with(start));
            fits && matches(rest, tail)
        }
        _ => false,
    }
}

#[test]
fn every_difference_is_found_and_has_its_path() {
    let marked = super::talk::secret(json!({"c": 1}));
    let left = json!({"a": [1, 2], "b": "{\"c\":1}", "d": true, "s": {"c": 1}});
    let right = json!({"a": [1], "b": "{\"c\":2}", "e": null, "s": marked});
    let found = differences(&["Check".to_owned()], &left, &right);
    let paths: Vec<String> = found.iter().map(|each| each.path.join(".")).collect();
    assert_eq!(paths, ["Check.a.1", "Check.b.c", "Check.d", "Check.s", "Check.e"]);
    let covers = |pattern: &str| matches(&pattern.split('.').collect::<Vec<_>>(), &found[0].path);
    assert!(covers("Check.a.1") && covers("*.a.*") && covers("**") && covers("**.1"));
    assert!(!covers("Check.a") && !covers("Check.b.*") && !covers("*.1"));
}
