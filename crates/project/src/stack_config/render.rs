//! Writes values so that Go's `yaml.v3` (and our parser) reads the same values back.

use outrigger_syntax::scalar::{self, Scalar};

use crate::config::Item;

/// The style of values at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Below a key, by indentation.
    Block,
    /// Inside `[ ]` or `{ }`.
    Flow,
    /// In a JSON file.
    Json,
}

/// The rendering of a value after a colon or a dash.
pub(super) enum Rendered {
    /// On the same line.
    Inline(String),
    /// On lines of its own, indented, without the last line break.
    Lines(String),
}

/// A value. `indent` is the indentation of lines of its own, `newline` the file's line break.
pub(super) fn value(item: &Item, form: Form, indent: usize, newline: &str) -> Rendered {
    match item {
        Item::Map(map) if form == Form::Block && !map.is_empty() => {
            let entries = map.iter().map(|(key, value)| entry(key, value, form, indent, newline));
            Rendered::Lines(lines(entries, indent, newline))
        }
        Item::Secure(ciphertext) if form == Form::Block => {
            let secure = Item::String(ciphertext.clone());
            Rendered::Lines(lines([entry("secure", &secure, form, indent, newline)].into_iter(), indent, newline))
        }
        Item::List(items) if form == Form::Block && !items.is_empty() => {
            let entries = items.iter().map(|item| list_item(item, form, indent, newline));
            Rendered::Lines(lines(entries, indent, newline))
        }
        Item::String(text) if form == Form::Block => match block_scalar(text, indent, newline) {
            Some(block) => Rendered::Inline(block),
            None => Rendered::Inline(string(text, form)),
        },
        other => Rendered::Inline(inline(other, form)),
    }
}

/// `key: value`, further lines indented below `indent`.
pub(super) fn entry(key: &str, item: &Item, form: Form, indent: usize, newline: &str) -> String {
    let key = string(key, form);
    match value(item, form, indent + 2, newline) {
        Rendered::Inline(text) => format!("{key}: {text}"),
        Rendered::Lines(text) => format!("{key}:{newline}{text}"),
    }
}

/// `- value`, further lines indented below `indent`.
pub(super) fn list_item(item: &Item, form: Form, indent: usize, newline: &str) -> String {
    match value(item, form, indent + 2, newline) {
        Rendered::Inline(text) => format!("- {text}"),
        Rendered::Lines(text) => format!("- {}", text.trim_start_matches(' ')),
    }
}

fn lines(entries: impl Iterator<Item = String>, indent: usize, newline: &str) -> String {
    let indent = " ".repeat(indent);
    let entries: Vec<String> = entries.map(|entry| format!("{indent}{entry}")).collect();
    entries.join(newline)
}

/// A value on one line.
pub(super) fn inline(item: &Item, form: Form) -> String {
    match item {
        Item::Null => "null".to_owned(),
        Item::Bool(_) | Item::Int(_) | Item::UInt(_) | Item::Float(_) => crate::config::to_json(item),
        Item::String(text) => string(text, form),
        Item::Secure(ciphertext) => {
            let form = flow(form);
            format!("{{{}: {}}}", string("secure", form), string(ciphertext, form))
        }
        Item::List(items) => {
            let items: Vec<String> = items.iter().map(|item| inline(item, flow(form))).collect();
            format!("[{}]", items.join(", "))
        }
        Item::Map(map) => {
            let form = flow(form);
            let entry = |(key, value): (&String, &Item)| format!("{}: {}", string(key, form), inline(value, form));
            let entries: Vec<String> = map.iter().map(entry).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

fn flow(form: Form) -> Form {
    if form == Form::Block { Form::Flow } else { form }
}

/// Text, unquoted if it cannot be misread, otherwise in double quotes.
pub(crate) fn string(text: &str, form: Form) -> String {
    if form != Form::Json && is_plain(text, form) {
        return text.to_owned();
    }
    let mut out = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // Characters that YAML, but not JSON, reads as line breaks or forbids; the escape of JSON works in both.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn is_plain(text: &str, form: Form) -> bool {
    let safe =
        |c: char| c.is_alphanumeric() || "_-./:@+=~^%$()*<>;?! ".contains(c) || (form == Form::Block && c == ',');
    let first = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '.' | '$' | '+' | '(');
    // Words that YAML 1.1 reads as booleans; the peer quotes them too, for other readers.
    const WORDS: [&str; 8] = ["y", "n", "yes", "no", "on", "off", "null", "nan"];
    text.starts_with(first)
        && text.chars().all(safe)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
        && matches!(scalar::resolve(text), Scalar::Text)
        && !is_number_like(text)
        // A reader does not recognize a longer key.
        && text.len() < 1000
}

/// Dates, times and numbers in base 60: text for us, but not for every reader. A version is text for all.
fn is_number_like(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '.')
        && text.chars().all(|c| c.is_ascii_digit() || "-+:._ TtZzeE".contains(c))
        && semver::Version::parse(text).is_err()
}

/// A text of several lines below `|`, if that form can represent it.
fn block_scalar(text: &str, indent: usize, newline: &str) -> Option<String> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let lines: Vec<&str> = body.split('\n').collect();
    let fits = lines.len() > 1
        && !body.ends_with('\n')
        && lines.first().is_some_and(|line| !line.is_empty())
        && !body.starts_with([' ', '\t'])
        && lines.iter().all(|line| line.is_empty() || !line.trim().is_empty())
        && !body.chars().any(|c| {
            (c.is_control() && c != '\n' && c != '\t')
                || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        });
    if !fits {
        return None;
    }
    let mut out = if body.len() == text.len() { "|-" } else { "|" }.to_owned();
    let indent = " ".repeat(indent);
    for line in lines {
        out.push_str(newline);
        if !line.is_empty() {
            out.push_str(&indent);
            out.push_str(line);
        }
    }
    Some(out)
}
