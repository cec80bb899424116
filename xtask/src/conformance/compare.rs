//! The first difference between two runs.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use super::export::{Secrets, masked};
use super::side::{Run, Step};

/// The longest value that a difference shows; the details file has the rest.
const SHOWN: usize = 160;

/// One difference.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    path: String,
    pulumi: String,
    outrigger: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: pulumi={} outrigger={}", self.path, self.pulumi, self.outrigger)
    }
}

/// Compares with the results of `pulumi`. If it has several (the exports of a failing program at its end are
/// a race), matching any of them is enough.
pub(crate) fn runs(expected: &[Run], actual: &Run) -> Option<Difference> {
    let mut first = None;
    for run in expected {
        match one(run, actual) {
            None => return None,
            difference => first = first.or(difference),
        }
    }
    first
}

fn one(expected: &Run, actual: &Run) -> Option<Difference> {
    for (index, (pulumi, outrigger)) in expected.steps.iter().zip(&actual.steps).enumerate() {
        if let Some(mut difference) = step(pulumi, outrigger) {
            if expected.steps.len() > 1 {
                difference.path = format!("update {index}: {}", difference.path);
            }
            return Some(difference);
        }
    }
    (expected.steps.len() != actual.steps.len()).then(|| Difference {
        path: "number of updates".to_owned(),
        pulumi: expected.steps.len().to_string(),
        outrigger: actual.steps.len().to_string(),
    })
}

fn step(pulumi: &Step, outrigger: &Step) -> Option<Difference> {
    let exits = [
        ("exit of preview", pulumi.preview.code, outrigger.preview.code),
        ("exit of up", pulumi.up.code, outrigger.up.code),
    ];
    for (path, pulumi, outrigger) in exits {
        if pulumi != outrigger {
            let show = |code: Option<i32>| code.map_or_else(|| "a signal".to_owned(), |code| code.to_string());
            return Some(Difference { path: path.to_owned(), pulumi: show(pulumi), outrigger: show(outrigger) });
        }
    }
    // `pulumi` itself reads both states here, secrets included.
    if let Some(difference) = exports("export", &pulumi.export, &outrigger.export, Secrets::Shown) {
        return Some(difference);
    }
    // The output of `outrigger stack export` must match that of `pulumi stack export` for the same state.
    let own = outrigger.own_export.as_ref()?;
    exports("own export", &outrigger.export, own, Secrets::Masked)
}

fn exports(what: &str, pulumi: &str, outrigger: &str, secrets: Secrets) -> Option<Difference> {
    match (masked(pulumi, secrets), masked(outrigger, secrets)) {
        (Ok(pulumi), Ok(outrigger)) => values(what, &pulumi, &outrigger),
        (Err(_), Err(_)) => None,
        (Ok(_), Err(_)) => Some(unreadable(what, "an export", outrigger)),
        (Err(_), Ok(_)) => Some(unreadable(what, pulumi, "an export")),
    }
}

fn unreadable(what: &str, pulumi: &str, outrigger: &str) -> Difference {
    Difference { path: what.to_owned(), pulumi: shortened(pulumi), outrigger: shortened(outrigger) }
}

/// The first place, in order of keys, at which two values differ.
fn values(path: &str, pulumi: &Value, outrigger: &Value) -> Option<Difference> {
    match (pulumi, outrigger) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            keys.into_iter().find_map(|key| entry(&format!("{path}.{key}"), a.get(key), b.get(key)))
        }
        (Value::Array(a), Value::Array(b)) => {
            (0..a.len().max(b.len())).find_map(|index| entry(&format!("{path}[{index}]"), a.get(index), b.get(index)))
        }
        _ => (pulumi != outrigger).then(|| difference(path, Some(pulumi), Some(outrigger))),
    }
}

fn entry(path: &str, pulumi: Option<&Value>, outrigger: Option<&Value>) -> Option<Difference> {
    match (pulumi, outrigger) {
        (Some(pulumi), Some(outrigger)) => values(path, pulumi, outrigger),
        _ => Some(difference(path, pulumi, outrigger)),
    }
}

fn difference(path: &str, pulumi: Option<&Value>, outrigger: Option<&Value>) -> Difference {
    let show =
        |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), |value| shortened(&value.to_string()));
    Difference { path: path.to_owned(), pulumi: show(pulumi), outrigger: show(outrigger) }
}

fn shortened(text: &str) -> String {
    let line = text.trim().replace('\n', " ");
    if line.chars().count() <= SHOWN {
        return line;
    }
    line.chars().take(SHOWN).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::side::Command;
    use serde_json::json;

    fn run(exit: i32, value: i32) -> Run {
        let command = |code| Command { code: Some(code), output: String::new() };
        let export = json!({"deployment": {"resources": [{"urn": "a", "outputs": {"v": value}}]}}).to_string();
        Run { steps: vec![Step { preview: command(0), up: command(exit), export, own_export: None }] }
    }

    #[test]
    fn equal_runs_agree() {
        assert_eq!(runs(&[run(0, 1)], &run(0, 1)), None);
    }

    #[test]
    fn the_first_difference_is_told_with_its_path() {
        let difference = runs(&[run(0, 1)], &run(0, 2)).unwrap();
        assert_eq!(difference.to_string(), "export.deployment.resources.a.outputs.v: pulumi=1.0 outrigger=2.0");
        let difference = runs(&[run(1, 1)], &run(0, 1)).unwrap();
        assert_eq!(difference.to_string(), "exit of up: pulumi=1 outrigger=0");
    }

    #[test]
    fn any_of_what_pulumi_was_seen_to_do_will_do() {
        assert_eq!(runs(&[run(1, 1), run(1, 2)], &run(1, 2)), None);
        assert!(runs(&[run(1, 1), run(1, 2)], &run(1, 3)).is_some());
    }

    #[test]
    fn a_missing_value_and_a_missing_update_differ() {
        assert!(values("x", &json!({"a": 1}), &json!({})).is_some());
        assert!(values("x", &json!([1]), &json!([1, 2])).is_some());
        assert!(runs(&[run(0, 1)], &Run { steps: Vec::new() }).is_some());
    }

    #[test]
    fn an_own_export_that_differs_from_the_state_is_found() {
        let mut actual = run(0, 1);
        actual.steps[0].own_export = Some(run(0, 2).steps[0].export.clone());
        assert!(runs(&[run(0, 1)], &actual).is_some());
    }

    #[test]
    fn an_export_that_failed_on_one_side_only_is_a_difference() {
        let mut actual = run(0, 1);
        actual.steps[0].export = "error: no".to_owned();
        assert!(runs(&[run(0, 1)], &actual).is_some());
    }
}
