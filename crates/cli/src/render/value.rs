//! Values as text.

use outrigger_value::Value;
use outrigger_workspace::HIDDEN;
use outrigger_workspace::json::{Secrets, to_json};
use serde_json::Value as Json;

use super::text::escaped;

/// How people see a value that is not known yet. Only a preview of `up` has such values.
const KNOWN_LATER: &str = "(known after up)";

/// A longer string is not worth showing where it becomes unknown.
const LONG: usize = 200;

/// The value on one line: strings in quotes, everything else as JSON. Markers for secrets and unknowns have no quotes.
pub(crate) fn to_line(value: &Value, secrets: Secrets) -> String {
    match value {
        Value::Secret(_) if secrets == Secrets::Hidden => HIDDEN.to_owned(),
        Value::Secret(inner) => to_line(inner, secrets),
        Value::Unknown => KNOWN_LATER.to_owned(),
        Value::Output(output) if output.secret && secrets == Secrets::Hidden => HIDDEN.to_owned(),
        Value::Output(output) => output.value.as_ref().map_or(KNOWN_LATER.to_owned(), |inner| to_line(inner, secrets)),
        other => escaped(&to_json(other, secrets).to_string()),
    }
}

/// A change of a value, both sides on one line. If a long string becomes unknown, only its length is shown.
pub(crate) fn change(old: &Value, new: &Value, secrets: Secrets) -> [String; 2] {
    let mut before = to_line(old, secrets);
    let after = to_line(new, secrets);
    if let (Value::String(text), true) = (old, after == KNOWN_LATER) {
        let (lines, characters) = (text.lines().count(), text.chars().count());
        if lines > 1 {
            before = format!("({} lines)", grouped(lines));
        } else if characters > LONG {
            before = format!("({} characters)", grouped(characters));
        }
    }
    [before, after]
}

/// A number with commas between its thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The value as `stack output` prints it: strings as they are, everything else as JSON.
pub(crate) fn to_plain(value: &Value, secrets: Secrets) -> String {
    match to_json(value, secrets) {
        Json::String(text) => text,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outrigger_value::PropertyMap;

    #[test]
    fn secrets_are_hidden_on_every_level() {
        let value = Value::Map(PropertyMap::from([
            ("n".to_owned(), 3.0.into()),
            ("half".to_owned(), 0.5.into()),
            ("list".to_owned(), Value::List(vec![Value::secret("canary".into()), Value::Unknown])),
        ]));
        let expected = r#"{"half":0.5,"list":["[secret]","[unknown]"],"n":3}"#;
        assert_eq!(to_line(&value, Secrets::Hidden), expected);
        assert!(to_line(&value, Secrets::Shown).contains("canary"));
        assert_eq!(to_line(&Value::secret("canary".into()), Secrets::Hidden), "[secret]");
        assert_eq!(to_line(&"a\nb".into(), Secrets::Hidden), r#""a\nb""#);
        assert_eq!(to_plain(&"a".into(), Secrets::Hidden), "a");
    }
}
