//! Strings that changed: line by line, as JSON if they are JSON, and shortened around the change if they are long.

use outrigger_value::{PropertyMap, Value};
use serde_json::Value as Json;

use super::align::align;
use super::delta::{self, Delta};
use outrigger_workspace::json::Secrets;

/// Lines that did not change, shown around those that did.
const CONTEXT: usize = 1;

/// Longer strings are shortened around the change.
const LONG: usize = 72;

/// How many unchanged characters are left on either side.
const AROUND: usize = 16;

/// One line of a string that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LineChange {
    /// It is still there.
    Kept(String),
    /// It was there.
    Removed(String),
    /// It is there now.
    Added(String),
    /// So many unchanged lines are left out.
    Skipped(usize),
}

/// The difference of two texts that are not equal.
pub(super) fn compare(old: &str, new: &str) -> Delta {
    if let (Some(one), Some(other)) = (structure(old), structure(new)) {
        return match delta::compare(&one, &other, Secrets::Hidden) {
            Delta::Same => Delta::Rewritten,
            found => Delta::Json(Box::new(found)),
        };
    }
    if old.trim_end().contains('\n') || new.trim_end().contains('\n') {
        return Delta::Lines(lines(old, new));
    }
    Delta::Update(old.into(), new.into())
}

/// Both strings, shortened around the difference. Short strings stay whole.
pub(super) fn around(old: &str, new: &str) -> (String, String) {
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    if old.len().max(new.len()) <= LONG {
        return (old.into_iter().collect(), new.into_iter().collect());
    }
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let tails = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = tails.take_while(|(old, new)| old == new).count();
    let cut = |text: &[char]| {
        let start = head.saturating_sub(AROUND);
        let end = (text.len() - tail + AROUND).min(text.len());
        // The changed part may itself be long.
        let shown = end.min(start + 2 * LONG);
        let middle: String = text[start..shown].iter().collect();
        let (before, after) = (if start > 0 { "…" } else { "" }, if shown < text.len() { "…" } else { "" });
        format!("{before}{middle}{after}")
    };
    (cut(&old), cut(&new))
}

/// The text as JSON, if it is an object or a list in JSON.
fn structure(text: &str) -> Option<Value> {
    let text = text.trim();
    let bounds = (text.starts_with('{') && text.ends_with('}')) || (text.starts_with('[') && text.ends_with(']'));
    if !bounds {
        return None;
    }
    serde_json::from_str::<Json>(text).ok().map(from_json)
}

fn from_json(json: Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        // A number that a double cannot hold would look equal to its neighbour.
        Json::Number(number) => match number.as_f64().filter(|value| value.to_string() == number.to_string()) {
            Some(value) => Value::Number(value),
            None => Value::String(number.to_string()),
        },
        Json::String(text) => Value::String(text),
        Json::Array(items) => Value::List(items.into_iter().map(from_json).collect()),
        Json::Object(map) => {
            Value::Map(map.into_iter().map(|(key, value)| (key, from_json(value))).collect::<PropertyMap>())
        }
    }
}

fn lines(old: &str, new: &str) -> Vec<LineChange> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let pairs = align(&old, &new, |one, other| one == other);
    let changed: Vec<bool> = pairs.iter().map(|pair| pair.old.is_none() || pair.new.is_none()).collect();
    let near = |at: usize| {
        let end = (at + CONTEXT + 1).min(changed.len());
        changed[at.saturating_sub(CONTEXT)..end].contains(&true)
    };
    let mut found = Vec::new();
    let mut skipped = 0;
    for (at, pair) in pairs.iter().enumerate() {
        if !near(at) {
            skipped += 1;
            continue;
        }
        if skipped > 0 {
            found.push(LineChange::Skipped(std::mem::take(&mut skipped)));
        }
        found.push(match (pair.old, pair.new) {
            (Some(line), None) => LineChange::Removed(old[line].to_owned()),
            (None, Some(line)) => LineChange::Added(new[line].to_owned()),
            (line, _) => LineChange::Kept(line.map(|line| old[line].to_owned()).unwrap_or_default()),
        });
    }
    if skipped > 0 {
        found.push(LineChange::Skipped(skipped));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shortened_around_the_change() {
        let long = |middle: &str| format!("{}{middle}{}", "a".repeat(60), "z".repeat(60));
        let (old, new) = around(&long("ONE"), &long("TWO"));
        assert_eq!(old, format!("…{}ONE{}…", "a".repeat(16), "z".repeat(16)));
        assert_eq!(new, format!("…{}TWO{}…", "a".repeat(16), "z".repeat(16)));
        assert_eq!(around("short", "other"), ("short".to_owned(), "other".to_owned()));
        let (_, new) = around("", &"x".repeat(500));
        assert_eq!(new.chars().count(), 2 * LONG + 1);
    }

    #[test]
    fn lines_that_did_not_change_are_counted() {
        let old = "a\nb\nc\nd\ne\nf\n";
        let new = "a\nb\nc\nd\nE\nf\n";
        let expected = [
            LineChange::Skipped(3),
            LineChange::Kept("d".into()),
            LineChange::Removed("e".into()),
            LineChange::Added("E".into()),
            LineChange::Kept("f".into()),
        ];
        assert_eq!(lines(old, new), expected);
    }

    #[test]
    fn json_is_compared_as_what_it_says() {
        assert_eq!(compare(r#"{"a":1}"#, "{ \"a\": 1 }"), Delta::Rewritten);
        assert!(matches!(compare(r#"{"a":1}"#, r#"{"a":2}"#), Delta::Json(_)));
        assert!(matches!(compare(r#"{"a":9007199254740993}"#, r#"{"a":9007199254740992}"#), Delta::Json(_)));
        assert!(matches!(compare("{a}", "{b}"), Delta::Update(..)));
    }
}
