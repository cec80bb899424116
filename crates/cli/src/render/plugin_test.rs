//! The report of `plugin test`: as lines, as JSON, as JUnit XML.

use std::fmt::Write;

use outrigger_workspace::plugin_test::{Check, Left, Reason, Report, Verdict};
use serde_json::{Value as Json, json};

use super::text::harmless;

/// Room for the longest name of a check.
const NAME: usize = 14;

/// A check, with the reason below it if there is one.
pub(crate) fn line(check: &Check) -> String {
    let (word, reason) = parts(&check.verdict);
    let resource = check.resource.as_deref().unwrap_or_default();
    let mut text = format!("{word}  {:NAME$}  {resource}", check.name).trim_end().to_owned();
    if let Some(Reason { answer, .. }) = reason.filter(|reason| reason.hint.is_empty()) {
        text.push_str(&format!(": {}", harmless(answer)));
    } else if let Some(Reason { call, answer, hint }) = reason {
        let indented = harmless(answer).replace('\n', "\n        ");
        text.push_str(&format!("\n      {call}: {indented}\n      {}", harmless(hint)));
    }
    text
}

/// The last lines: the counts, and the resources that are left.
pub(crate) fn summary(report: &Report) -> String {
    let [passed, failed, skipped] = report.counts();
    let mut text = format!("{}: {passed} passed, {failed} failed, {skipped} skipped", harmless(&report.plugin));
    if !report.left.is_empty() {
        text.push_str("\nThese resources were not deleted:");
        report.left.iter().for_each(|left| text.push_str(&format!("\n    {}", remainder(left))));
    }
    text
}

/// The whole report as JSON.
pub(crate) fn document(report: &Report) -> Json {
    let [passed, failed, skipped] = report.counts();
    let check = |check: &Check| {
        let (word, reason) = parts(&check.verdict);
        let reason = reason.map(|reason| json!({"call": reason.call, "answer": reason.answer, "hint": reason.hint}));
        json!({"check": check.name, "resource": check.resource, "result": word.to_lowercase(), "reason": reason})
    };
    let left = |left: &Left| json!({"resource": left.resource, "id": left.id, "reason": left.reason});
    json!({
        "plugin": report.plugin, "passed": passed, "failed": failed, "skipped": skipped,
        "checks": report.checks.iter().map(check).collect::<Vec<_>>(),
        "left": report.left.iter().map(left).collect::<Vec<_>>(),
    })
}

/// The whole report as JUnit XML.
pub(crate) fn junit(report: &Report) -> String {
    let [_, failed, skipped] = report.counts();
    let plugin = escaped(&report.plugin);
    let totals = format!("tests=\"{}\" failures=\"{failed}\" skipped=\"{skipped}\"", report.checks.len());
    let mut text = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {totals}>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "  <testsuite name=\"{plugin}\" {totals} errors=\"0\">");
    for check in &report.checks {
        let class = check.resource.as_deref().map_or_else(|| plugin.clone(), escaped);
        let _ = write!(text, "    <testcase classname=\"{class}\" name=\"{}\"", escaped(check.name));
        let element = if matches!(check.verdict, Verdict::Failed(_)) { "failure" } else { "skipped" };
        let _ = match parts(&check.verdict).1 {
            None => writeln!(text, "/>"),
            Some(Reason { call, answer, hint }) => {
                let (message, hint) = (escaped(&format!("{call}: {answer}")), escaped(hint));
                writeln!(text, ">\n      <{element} message=\"{message}\">{hint}</{element}>\n    </testcase>")
            }
        };
    }
    if !report.left.is_empty() {
        let left: Vec<String> = report.left.iter().map(|left| escaped(&remainder(left))).collect();
        let _ = writeln!(text, "    <system-err>Not deleted:\n{}</system-err>", left.join("\n"));
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn parts(verdict: &Verdict) -> (&'static str, Option<&Reason>) {
    match verdict {
        Verdict::Passed => ("pass", None),
        Verdict::Failed(reason) => ("FAIL", Some(reason)),
        Verdict::Skipped(reason) => ("skip", Some(reason)),
    }
}

fn remainder(Left { resource, id, reason }: &Left) -> String {
    harmless(&format!("{resource} `{}`: {reason}", id.as_deref().unwrap_or("unknown id")))
}

/// Text for XML. Most control characters, and two that are no characters, cannot be in XML at all; a line break would become a space in an attribute.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in harmless(text).chars().filter(|letter| !matches!(letter, '\u{fffe}' | '\u{ffff}')) {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' => safe.push_str("&#10;"),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let reason = Reason {
            call: "Create",
            answer: "a <b> & \"c\"\n\u{1b}[31mred\u{0}\u{8}".to_owned(),
            hint: "Do it.".to_owned(),
        };
        let check =
            |name, resource: Option<&str>, verdict| Check { name, resource: resource.map(str::to_owned), verdict };
        Report {
            plugin: "a \"b\"".to_owned(),
            checks: vec![
                check("schema", None, Verdict::Passed),
                check("drift", Some("a:b:C"), Verdict::Failed(reason.clone())),
                check("import", Some("a:b:C"), Verdict::Skipped(reason)),
            ],
            left: vec![Left { resource: "a:b:C".to_owned(), id: None, reason: "<gone>".to_owned() }],
        }
    }

    #[test]
    fn xml_is_escaped_and_has_no_control_characters() {
        let text = junit(&report());
        assert!(
            text.contains(r#"<testsuite name="a &quot;b&quot;" tests="3" failures="1" skipped="1" errors="0">"#),
            "{text}"
        );
        assert!(
            text.contains(r#"<failure message="Create: a &lt;b&gt; &amp; &quot;c&quot;&#10;red">Do it.</failure>"#),
            "{text}"
        );
        assert!(text.contains("a:b:C `unknown id`: &lt;gone&gt;"), "{text}");
        assert!(!text.chars().any(|letter| letter.is_control() && letter != '\n'), "{text:?}");
    }

    #[test]
    fn lines_and_json_have_every_part() {
        let report = report();
        assert_eq!(line(&report.checks[0]), "pass  schema");
        assert_eq!(
            line(&report.checks[1]),
            "FAIL  drift           a:b:C\n      Create: a <b> & \"c\"\n        red\n      Do it."
        );
        assert_eq!(
            summary(&report),
            "a \"b\": 1 passed, 1 failed, 1 skipped\nThese resources were not deleted:\n    a:b:C `unknown id`: <gone>"
        );
        let document = document(&report);
        assert_eq!((&document["failed"], &document["checks"][1]["reason"]["call"]), (&json!(1), &json!("Create")));
        assert_eq!((&document["checks"][0]["result"], &document["left"][0]["id"]), (&json!("pass"), &Json::Null));
    }
}
