//! Hides texts in lines of JSON, which stay JSON.

use std::cmp::Reverse;

use super::quoted;

/// The replacement for a secret.
const HIDDEN: &str = "[secret]";

/// A shorter text is hidden only if it is a whole string: it may be part of anything.
const SHORT: usize = 6;

/// A text that is hidden. The longest come first: a shorter one may be a part of it, and hiding that first would show the rest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Secret {
    length: Reverse<usize>,
    /// The text as it occurs in a line, with its quotes.
    quoted: String,
}

impl Secret {
    pub(super) fn new(text: &str) -> Self {
        Self { length: Reverse(text.len()), quoted: quoted(text) }
    }

    pub(super) fn hide_in(&self, line: &mut String) {
        let Self { length, quoted } = self;
        if length.0 < SHORT {
            if line.contains(quoted) {
                *line = line.replace(quoted, &format!("\"{HIDDEN}\""));
            }
            return;
        }
        // One quote on each side: the text may have its own next to them.
        let inside = quoted.get(1..quoted.len() - 1).unwrap_or_default();
        if line.contains(inside) {
            *line = without(line, inside);
        }
    }
}

/// The line with a replacement wherever `inside` occurs: in a string, or as a number that is a whole value.
fn without(line: &str, inside: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut place = JsonState::Outside;
    let mut rest = line;
    while let Some((before, after)) = rest.split_once(inside) {
        shown.push_str(before);
        place = before.bytes().fold(place, JsonState::after);
        let whole = shown.ends_with([':', ',', '[']) && after.starts_with([',', '}', ']']);
        match place {
            JsonState::Text => shown.push_str(HIDDEN),
            JsonState::Outside if whole => shown.push_str(&format!("\"{HIDDEN}\"")),
            // The end of `\n`, or some digits of another number, is not the secret, which may begin right after.
            JsonState::Outside | JsonState::Escape => {
                let mut passed = rest.get(before.len()..).unwrap_or_default().chars();
                let first = passed.next();
                shown.extend(first);
                place = first.into_iter().fold(place, |place, first| place.after(first.try_into().unwrap_or_default()));
                rest = passed.as_str();
                continue;
            }
        }
        rest = after;
    }
    shown + rest
}

/// A place in a line of JSON.
#[derive(Clone, Copy)]
enum JsonState {
    Outside,
    Text,
    /// In a string, after a backslash.
    Escape,
}

impl JsonState {
    /// The state after one more byte.
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Outside, b'"') | (Self::Escape, _) => Self::Text,
            (Self::Text, b'"') => Self::Outside,
            (Self::Text, b'\\') => Self::Escape,
            (other, _) => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;

    fn shown(secrets: &[&str], line: &Value) -> Value {
        let mut line = line.to_string();
        let secrets: BTreeSet<Secret> = secrets.iter().map(|text| Secret::new(text)).collect();
        secrets.iter().for_each(|secret| secret.hide_in(&mut line));
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    #[test]
    fn a_secret_that_is_a_part_of_another_leaves_nothing_of_it() {
        let whole = "postgres://u:pa55word@h/db";
        let hidden = json!({"url": "[secret]", "kind": "[secret]", "both": "[secret] [secret]"});
        for secrets in [["postgres", whole], [whole, "postgres"]] {
            let line = json!({"url": whole, "kind": "postgres", "both": format!("postgres {whole}")});
            assert_eq!(shown(&secrets, &line), hidden);
        }
    }

    #[test]
    fn a_secret_may_have_quotes_at_its_ends() {
        for secret in ["the word\"", "\"the word", "\"\"the word\"\"", "the\\word\\", "\""] {
            assert_eq!(shown(&[secret], &json!({"a": secret, "b": "c"})), json!({"a": "[secret]", "b": "c"}));
        }
    }

    #[test]
    fn a_number_is_hidden_where_it_is_all_of_a_value() {
        let line = json!({"a": 1234567, "b": [1234567, 12345678], "c": "x1234567y", "d": 0.1234567});
        let hidden = json!({"a": "[secret]", "b": ["[secret]", 12345678], "c": "x[secret]y", "d": 0.1234567});
        assert_eq!(shown(&["1234567"], &line), hidden);
    }

    #[test]
    fn the_letter_of_an_escape_belongs_to_no_secret() {
        let line = json!(["a\nnnnnnn", "a\nnnnnn", "\\nnnnnn"]);
        assert_eq!(shown(&["nnnnnn"], &line), json!(["a\n[secret]", "a\nnnnnn", "\\[secret]"]));
        assert_eq!(shown(&["nebula"], &json!(["\nebula", "\nnebula"])), json!(["\nebula", "\n[secret]"]));
    }
}
