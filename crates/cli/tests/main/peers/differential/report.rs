//! The result of a comparison, and whether it compared anything.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Scenario;
use super::compare::Difference;
use super::exceptions::{self, CLOCK, Case, Exception, MASKS};

/// How many requests a whole run makes at least, and in how many of them the Go bridge succeeds.
const REQUESTS: usize = 2500;
const SUCCESSES: usize = 2000;

/// The result of a comparison.
pub(crate) struct Report {
    pub(crate) requests: usize,
    /// Unexpected differences, with their places.
    pub(crate) unexpected: Vec<String>,
    /// How often something differed for which reason.
    pub(crate) explained: BTreeMap<&'static str, usize>,
    /// The Go bridge's successful calls: how many, by provider and method.
    successes: BTreeMap<(&'static str, String), usize>,
    /// The expected differences, first those by chance and then those by decision.
    exceptions: Vec<&'static Exception>,
    /// Those that were used, by their places in the list.
    used: BTreeSet<usize>,
}

impl Report {
    /// Nothing yet. Two runs of the same bridge differ by chance only.
    pub(crate) fn new(by_decision: bool) -> Self {
        let decisions = exceptions::allowed().filter(|_| by_decision);
        Self {
            requests: 0,
            unexpected: Vec::new(),
            explained: BTreeMap::new(),
            successes: BTreeMap::new(),
            exceptions: MASKS.iter().chain(decisions).collect(),
            used: BTreeSet::new(),
        }
    }

    /// Counts another request, with the Go bridge's answer.
    pub(crate) fn count(&mut self, scenario: &Scenario, call: &Value, told: &Value) {
        self.requests += 1;
        let method = call["method"].as_str().unwrap();
        let preview = if call["request"]["preview"] == true { " preview" } else { "" };
        if told["reply"].is_object() && told["reply"].get("failures").is_none() {
            *self.successes.entry((scenario.provider, format!("{method}{preview}"))).or_default() += 1;
        }
        // Two runs can fall into the same second, so that the clock's masks have nothing to cover.
        let clock = MASKS.iter().enumerate().filter(|(_, mask)| mask.reason == CLOCK);
        self.used.extend(clock.filter(|(_, mask)| mask.reaches(scenario, method, told)).map(|(index, _)| index));
    }

    /// Another call's differences. The case is one of them, with all that they have in common.
    pub(crate) fn judge<'a>(
        &mut self,
        place: &str,
        found: &'a [Difference],
        case: impl Fn(&'a Difference) -> Case<'a>,
    ) {
        for difference in found {
            let case = case(difference);
            if let Some(index) = self.exceptions.iter().position(|it| it.covers(&case)) {
                self.used.insert(index);
                *self.explained.entry(self.exceptions[index].reason).or_default() += 1;
            } else {
                let request: String = case.call["request"].to_string().chars().take(600).collect();
                self.unexpected.push(format!("{place}: {difference}\n    asked: {request}"));
            }
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.unexpected.extend(other.unexpected);
        self.used.extend(other.used);
        for (reason, count) in other.explained {
            *self.explained.entry(reason).or_default() += count;
        }
        for (what, count) in other.successes {
            *self.successes.entry(what).or_default() += count;
        }
    }

    /// Faults of a whole run beside its differences: exceptions that covered nothing, and calls that never succeeded with the Go bridge. Two bridges
    /// that both fail are alike, and prove nothing.
    pub(crate) fn doubts(&self, providers: &BTreeSet<&'static str>) -> Vec<String> {
        let idle = self.exceptions.iter().enumerate().filter(|(index, _)| !self.used.contains(index));
        let mut doubts: Vec<String> = idle.map(|(_, it)| format!("an exception that covers nothing: {it}")).collect();
        for provider in providers {
            let never =
                needed(provider).filter(|method| !self.successes.contains_key(&(*provider, (*method).to_owned())));
            doubts.extend(
                never.map(|method| format!("the Go bridge never did `{method}` with the provider `{provider}`")),
            );
        }
        let successes: usize = self.successes.values().sum();
        if self.requests < REQUESTS || successes < SUCCESSES {
            doubts.push(format!("{} requests are too few, or {successes} successes of them", self.requests));
        }
        doubts
    }
}

/// The calls that every provider is asked for, unless it has no such thing.
fn needed(provider: &str) -> impl Iterator<Item = &'static str> {
    let all = ["Check", "Create preview", "Create", "Diff", "Update", "Delete", "Read", "Invoke"];
    let without: &[&str] = match provider {
        // Every change is a replacement.
        "local" | "null" => &["Update"],
        // There are no data sources.
        "crude" | "time" => &["Invoke"],
        // Both.
        "random" => &["Update", "Invoke"],
        _ => &[],
    };
    all.into_iter().filter(move |method| !without.contains(method))
}
