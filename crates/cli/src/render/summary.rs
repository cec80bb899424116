//! The end of a run: outputs, counts, time.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use outrigger_engine::{Ending, Step, StepOp, Summary};
use outrigger_value::{PropertyMap, Urn, diff};
use outrigger_workspace::json::Secrets;
use outrigger_workspace::{HIDDEN, Mood};

use super::duration::short;
use super::step::{label, words};
use super::text::one_line;
use super::value::{change, to_line};

/// A failure that was shown in full where it happened; the end of a run names it again.
#[derive(Clone, Debug)]
pub(crate) enum Trouble {
    /// An error that stopped something.
    Error {
        /// Its summary, without secrets.
        summary: String,
        /// Its code.
        code: &'static str,
    },
    /// A step whose result is unknown.
    InDoubt(Arc<Step>),
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
        let line = match old.get(key).filter(|_| mark == "~ ") {
            Some(before) => match change(before, value, secrets) {
                [before, after] if before == HIDDEN && after == HIDDEN => format!("{HIDDEN} (changed)"),
                [before, after] => format!("{before} -> {after}"),
            },
            None => to_line(value, secrets),
        };
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "  {mark}{}: {line}", one_line(key));
    }
    for (key, value) in old.iter().filter(|(key, _)| !new.contains_key(*key)) {
        let _ = writeln!(out, "  - {}: {}", one_line(key), to_line(value, secrets));
    }
    if out.is_empty() { out } else { format!("Outputs:\n{out}\n") }
}

/// The counts and the time. A refresh changes only the state.
pub(crate) fn counts(summary: &Summary, not_started: &[Urn], refresh: bool, mood: Mood, duration: Duration) -> String {
    let mut out = "Resources:\n".to_owned();
    let mut any = false;
    for (op, count) in summary.counts.iter().filter(|(op, _)| **op != StepOp::Same) {
        let words = words(*op);
        let (mark, style) = (words.mark.trim_end(), words.style);
        let what = match (mood, op) {
            (Mood::Planned, StepOp::Delete) if refresh => "missing, to be removed from the state".to_owned(),
            (Mood::Done, StepOp::Delete) if refresh => "removed from the state".to_owned(),
            (Mood::Planned, StepOp::Update) if refresh => "drifted".to_owned(),
            (Mood::Done, StepOp::Update) if refresh => "updated in the state".to_owned(),
            (Mood::Planned, _) => format!("to {}", words.planned),
            (Mood::Done, _) => words.done.to_owned(),
        };
        let _ = writeln!(out, "    {style}{mark} {count} {what}{style:#}");
        any = true;
    }
    if let Some(same) = summary.counts.get(&StepOp::Same) {
        let _ = writeln!(out, "    {same} unchanged");
        any = true;
    }
    for (count, what, which) in
        [(summary.failed, "failed", String::new()), (summary.not_started, "not started", named(not_started))]
    {
        if count > 0 {
            let _ = writeln!(out, "    {count} {what}{which}");
            any = true;
        }
    }
    if !any {
        out.push_str("    none\n");
    }
    let _ = writeln!(out, "\nDuration: {}", short(duration));
    out
}

/// The names of a few resources, behind a colon.
fn named(resources: &[Urn]) -> String {
    const SHOWN: usize = 6;
    let mut names: Vec<String> = resources.iter().take(SHOWN).map(|urn| one_line(urn.name())).collect();
    match resources.len() {
        0 => return String::new(),
        more if more > SHOWN => names.push(format!("{} more", more - SHOWN)),
        _ => {}
    }
    format!(": {}", names.join(", "))
}

/// The failures, in short: they may have scrolled away.
pub(crate) fn troubles(troubles: &[Trouble]) -> String {
    const SHOWN: usize = 10;
    let mut out = String::new();
    let named = |trouble: &Trouble| match trouble {
        Trouble::Error { summary, code } => format!("{summary} [{code}]"),
        Trouble::InDoubt(step) => {
            format!("{} {} ended with an unknown result", words(step.op).doing, label(&step.urn))
        }
    };
    for trouble in troubles.iter().take(SHOWN) {
        let _ = writeln!(out, "    {}", named(trouble));
    }
    if troubles.len() > SHOWN {
        let _ = writeln!(out, "    and {} more", troubles.len() - SHOWN);
    }
    if out.is_empty() { out } else { format!("\nWhat went wrong:\n{out}") }
}

/// The next thing to do after a run that failed. `phase` is `preview`, `update`, `refresh` or `destroy`.
pub(crate) fn next(ending: Ending, mood: Mood, phase: &str, troubles: &[Trouble]) -> String {
    let mut out = match (ending, mood) {
        (Ending::Succeeded, _) => return String::new(),
        (Ending::Failed, Mood::Planned) => "\nThe preview failed. Nothing was changed.\n".to_owned(),
        (Ending::Cancelled, Mood::Planned) => "\nThe preview was cancelled. Nothing was changed.\n".to_owned(),
        (Ending::Failed, Mood::Done) => format!("\nThe {phase} failed. Everything that completed is saved.\n"),
        (Ending::Cancelled, Mood::Done) => {
            format!("\nThe {phase} was cancelled. Everything that completed is saved.\n")
        }
    };
    let mut codes: Vec<&str> = Vec::new();
    for trouble in troubles {
        if let Trouble::Error { code, .. } = trouble
            && !codes.contains(code)
        {
            codes.push(code);
        }
    }
    match codes.as_slice() {
        [] => {}
        [code] => {
            let _ = writeln!(out, "Run `outrigger explain {code}` to read more about what went wrong.");
        }
        [first, ..] => {
            let _ =
                writeln!(out, "Run `outrigger explain CODE`, such as `{first}`, to read more about what went wrong.");
        }
    }
    let creating =
        |trouble: &Trouble| matches!(trouble, Trouble::InDoubt(step) if words(step.op).doing.starts_with("creating"));
    if troubles.iter().any(creating) {
        out.push_str(
            "Check whether the resource exists. If it does, run `outrigger refresh --import-pending-creates URN ID`; \
             if it does not, `outrigger refresh --clear-pending-creates`.\n",
        );
    } else if mood == Mood::Done {
        let command = if phase == "update" { "up" } else { phase };
        let _ = writeln!(out, "Run `outrigger {command}` again to continue.");
    }
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
    fn a_failure_says_what_to_do_next() {
        let error = |code: &'static str| Trouble::Error { summary: "could not create `a`".to_owned(), code };
        let said =
            |mood: Mood, list: &[Trouble]| format!("{}{}", troubles(list), next(Ending::Failed, mood, "update", list));
        assert_eq!(
            said(Mood::Done, &[error("plugin-error")]),
            "\nWhat went wrong:\n    could not create `a` [plugin-error]\n\nThe update failed. Everything that completed is saved.\nRun `outrigger explain plugin-error` to read more about what went wrong.\nRun `outrigger up` again to continue.\n"
        );
        assert!(
            said(Mood::Planned, &[error("a-b"), error("c-d")])
                .contains("Nothing was changed.\nRun `outrigger explain CODE`")
        );
        let urn = outrigger_value::Urn::new("dev", "shop", None, "a:b:C", "x");
        let step = Step { op: StepOp::Create, urn, old: None, new: None, diff: None };
        let doubt = said(Mood::Done, &[Trouble::InDoubt(Arc::new(step))]);
        assert!(
            doubt.contains("creating x a:b:C ended with an unknown result")
                && doubt.contains("--clear-pending-creates"),
            "{doubt}"
        );
    }

    #[test]
    fn counts_name_every_kind() {
        let counted = [(StepOp::Same, 2), (StepOp::Create, 3), (StepOp::Replace, 1)].into();
        let summary = Summary { counts: counted, failed: 1, not_started: 4 };
        let text = counts(&summary, &[], false, Mood::Planned, Duration::from_millis(1200));
        let text = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(
            text,
            "Resources:\n    + 3 to create\n    +- 1 to replace\n    2 unchanged\n    1 failed\n    4 not started\n\nDuration: 1.20s\n"
        );
    }

    #[test]
    fn resources_that_were_not_started_have_their_names() {
        let urns: Vec<Urn> =
            (0..8).map(|number| Urn::new("dev", "shop", None, "a:b:C", &format!("r{number}"))).collect();
        assert_eq!(named(&urns[..2]), ": r0, r1");
        assert_eq!(named(&urns), ": r0, r1, r2, r3, r4, r5, 2 more");
        assert_eq!(named(&[]), "");
    }

    #[test]
    fn a_refresh_deletes_nothing() {
        let counted = [(StepOp::Delete, 1), (StepOp::Update, 2)].into();
        let summary = Summary { counts: counted, failed: 0, not_started: 0 };
        for (mood, says) in [
            (Mood::Planned, "    ~ 2 drifted\n    - 1 missing, to be removed from the state\n"),
            (Mood::Done, "    ~ 2 updated in the state\n    - 1 removed from the state\n"),
        ] {
            let text = counts(&summary, &[], true, mood, Duration::ZERO);
            assert!(anstream::adapter::strip_str(&text).to_string().contains(says), "{text}");
        }
    }
}
