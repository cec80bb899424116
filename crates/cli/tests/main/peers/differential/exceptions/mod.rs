//! Where answers may differ, and why.
//!
//! A difference is covered by an entry that names its place, in the scenarios where it occurs, and whose condition holds: a condition states in which
//! direction the answers may differ and what both sides have to contain, so that a difference of another kind at the same place is a failure of the
//! test. An entry that covers nothing in a whole run is a failure, too.

mod checks;
mod failures;
mod marks;
mod masks;
mod protocol;
mod states;
mod words;

use std::fmt;

use serde_json::Value;

pub(crate) use self::masks::{CLOCK, MASKS, SCRUBBED, UNORDERED};
use super::Scenario;
use super::compare::{Difference, matches};
use super::talk::Event;

/// Where values may differ, when, and why.
pub(crate) struct Exception {
    /// Each is `PROVIDER/SCENARIO`, with `*` in the place of either.
    scenarios: &'static [&'static str],
    /// A path with its parts between dots, `*` for any one of them (or for the rest of one) and `**` for any number; the
    /// first part is the method, the second `reply`, `error`, `log` or `world`.
    pattern: &'static str,
    pub(crate) reason: &'static str,
    when: When,
}

/// When a difference is intended.
enum When {
    Fits(fn(&Case<'_>) -> bool),
    /// The Go bridge's error is like the first, and ours like the second.
    Words(&'static str, &'static str),
}

/// A difference, with the call that it is about and both answers: `told` is the Go bridge's, `said` is ours.
pub(crate) struct Case<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) call: &'a Value,
    /// The events before the call, with the Go bridge's answers.
    pub(crate) earlier: &'a [Event],
    pub(crate) told: &'a Value,
    pub(crate) said: &'a Value,
    /// Our world before and after the call.
    pub(crate) worlds: [&'a Value; 2],
    pub(crate) difference: &'a Difference,
}

/// Differences by decision: where ours is meant to be better.
pub(crate) fn allowed() -> impl Iterator<Item = &'static Exception> {
    let answers = [protocol::ALLOWED, marks::ALLOWED, checks::ALLOWED, states::ALLOWED];
    answers.into_iter().chain([failures::ALLOWED, words::ALLOWED]).flatten()
}

const fn allow(
    scenarios: &'static [&'static str],
    pattern: &'static str,
    reason: &'static str,
    when: fn(&Case<'_>) -> bool,
) -> Exception {
    Exception { scenarios, pattern, reason, when: When::Fits(when) }
}

impl Exception {
    pub(crate) fn covers(&self, case: &Case<'_>) -> bool {
        let fits = || match self.when {
            When::Fits(fits) => fits(case),
            When::Words(told, said) => words::fit((case.told_error(), told), (case.said_error(), said)),
        };
        self.at(case.scenario, &case.difference.path) && fits()
    }

    /// Whether this is about a place, in whatever case.
    pub(crate) fn at(&self, scenario: &Scenario, path: &[String]) -> bool {
        let fits = |wanted: &str, given: &str| wanted == "*" || wanted == given;
        let pattern: Vec<&str> = self.pattern.split('.').collect();
        let named = |wanted: &&str| {
            let (provider, name) = wanted.split_once('/').unwrap();
            fits(provider, scenario.provider) && fits(name, scenario.name)
        };
        self.scenarios.iter().any(named) && matches(&pattern, path)
    }

    /// Whether an answer has a value at the place, if the pattern is a plain path.
    pub(crate) fn reaches(&self, scenario: &Scenario, method: &str, answer: &Value) -> bool {
        let path: Vec<String> = self.pattern.split('.').map(str::to_owned).collect();
        let value = path[1..].iter().try_fold(answer, |value, part| value.get(part));
        path[0] == method && self.at(scenario, &path) && value.is_some()
    }
}

impl fmt::Display for Exception {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}: {}", self.scenarios.join(", "), self.pattern, self.reason)
    }
}

impl Case<'_> {
    fn request(&self) -> &Value {
        &self.call["request"]
    }

    /// The kind of resource that the call is about, without its package.
    fn kind(&self) -> &str {
        text(&self.request()["type"]).rsplit(':').next().unwrap_or_default()
    }

    /// The kind of answer in which the difference is.
    fn part(&self) -> &str {
        &self.difference.path[1]
    }

    /// The Go bridge's error; empty if it replies.
    fn told_error(&self) -> &str {
        text(&self.told["error"]["message"])
    }

    /// Our error; empty if we reply.
    fn said_error(&self) -> &str {
        text(&self.said["error"]["message"])
    }

    /// One side replies and the other fails, and this is that difference and none in a log or in the world.
    fn outcome(&self) -> bool {
        matches!(self.part(), "reply" | "error") && self.difference.path.len() == 2
    }

    fn left(&self) -> Option<&Value> {
        self.difference.left.as_ref()
    }

    fn right(&self) -> Option<&Value> {
        self.difference.right.as_ref()
    }

    /// The Go bridge has nothing at the place, and we have something.
    fn added(&self) -> bool {
        self.difference.left.is_none()
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The items of a list; none if there is no list.
fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

#[test]
fn an_exception_is_about_a_place_in_a_scenario() {
    let scenario = Scenario { provider: "any", name: "first", play: |_| () };
    let path = ["Create".to_owned(), "reply".to_owned(), "id".to_owned()];
    let at = |scenarios, pattern| allow(scenarios, pattern, "", |_| true).at(&scenario, &path);
    assert!(at(&["any/first"], "Create.reply.id") && at(&["any/*"], "**") && at(&["other/x", "*/first"], "*.reply.*"));
    assert!(!at(&["other/*"], "**") && !at(&["any/second"], "**") && !at(&["any/first"], "Create.reply"));
    let reaches = |pattern, answer| allow(&["any/*"], pattern, "", |_| true).reaches(&scenario, "Create", &answer);
    assert!(reaches("Create.reply.id", serde_json::json!({"reply": {"id": "a"}})));
    assert!(!reaches("Create.reply.id", serde_json::json!({"reply": {}})));
    assert!(!reaches("Update.reply.id", serde_json::json!({"reply": {"id": "a"}})));
}
