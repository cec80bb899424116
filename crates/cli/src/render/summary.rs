//! The end of a run: outputs, counts, time.

use std::fmt::Write;
use std::time::Duration;

use outrigger_engine::{StepOp, Summary};
use outrigger_value::{PropertyMap, diff};

use super::duration::short;
use super::step::words;
use super::value::{Secrets, to_line};

/// Whether a run changed things or only said what it would change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// It would.
    Planned,
    /// It did.
    Done,
}

/// The outputs, with marks where they changed. Empty if there are none and were none.
pub(crate) fn outputs(old: &PropertyMap, new: &PropertyMap, secrets: Secrets) -> String {
    let mut out = String::new();
    for (key, value) in new {
        let mark = match old.get(key) {
            None => "+ ",
            Some(before) if diff::equal(before, value) => "  ",
            Some(_) => "~ ",
        };
        let text = to_line(value, secrets);
        let line = match old.get(key).filter(|_| mark == "~ ") {
            Some(before) => format!("{} -> {text}", to_line(before, secrets)),
            None => text,
        };
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "  {mark}{key}: {line}");
    }
    for (key, value) in old.iter().filter(|(key, _)| !new.contains_key(*key)) {
        let _ = writeln!(out, "  - {key}: {}", to_line(value, secrets));
    }
    if out.is_empty() { out } else { format!("Outputs:\n{out}\n") }
}

/// The counts and the time.
pub(crate) fn counts(summary: &Summary, mood: Mood, duration: Duration) -> String {
    let mut out = "Resources:\n".to_owned();
    let mut any = false;
    for (op, count) in summary.counts.iter().filter(|(op, _)| **op != StepOp::Same) {
        let words = words(*op);
        let (mark, style) = (words.mark.trim_end(), words.style);
        let what = match mood {
            Mood::Planned => format!("to {}", words.planned),
            Mood::Done => words.done.to_owned(),
        };
        let _ = writeln!(out, "    {style}{mark} {count} {what}{style:#}");
        any = true;
    }
    if let Some(same) = summary.counts.get(&StepOp::Same) {
        let _ = writeln!(out, "    {same} unchanged");
        any = true;
    }
    if !any {
        out.push_str("    none\n");
    }
    let _ = writeln!(out, "\nDuration: {}", short(duration));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use outrigger_value::Value;

    #[test]
    fn outputs_show_what_changed_and_hide_secrets() {
        let map = |pairs: &[(&str, Value)]| -> PropertyMap {
            pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
        };
        let old = map(&[("gone", 1.0.into()), ("name", "a".into()), ("same", true.into())]);
        let new = map(&[("name", "b".into()), ("password", Value::secret("canary".into())), ("same", true.into())]);
        assert_eq!(
            outputs(&old, &new, Secrets::Hidden),
            "Outputs:\n  ~ name: \"a\" -> \"b\"\n  + password: [secret]\n    same: true\n  - gone: 1\n\n"
        );
        assert_eq!(outputs(&map(&[]), &map(&[]), Secrets::Hidden), "");
    }

    #[test]
    fn counts_name_every_kind() {
        let summary = Summary { counts: [(StepOp::Same, 2), (StepOp::Create, 3), (StepOp::Replace, 1)].into() };
        let text = counts(&summary, Mood::Planned, Duration::from_millis(1200));
        let text = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(text, "Resources:\n    + 3 to create\n    +- 1 to replace\n    2 unchanged\n\nDuration: 1.20s\n");
    }
}
