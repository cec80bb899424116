//! The reports of failed calls: their codes, the resources left behind, and their logs.

use serde_json::Value;

use super::checks::ungiven;
use super::{Case, Exception, allow, items, text};
use crate::peers::differential::talk::Event;

const CODE: &str = "the code says whether something was done; the Go bridge's is nearly always the same";
const PARTIAL: &str = "what exists after a failure is told with it";
const TOLD_ONCE: &str = "an error is told once, in the answer";
const WARNED: &str = "a warning has the provider's words, and the place in our name of it";
const INCONSISTENT: &str = "a provider that plans or does what it may not is told so";
const PLANNED: &str = "the Go bridge does not look at what the plan of an update warns of";
const REMOVED: &str = "deletions are planned by providers that want it, and what such a plan warns of is told";

pub(super) const ALLOWED: &[Exception] = &[
    allow(&["*/*"], "*.error.code", CODE, says_what_was_done),
    allow(&["ancient/lives", "*/faults", "crude/lies"], "Create.error.details", PARTIAL, |case| {
        partial(case) && case.worlds[0] != case.worlds[1]
    }),
    allow(&["*/faults", "crude/lies"], "Update.error.details", PARTIAL, partial),
    allow(&["*/faults"], "Delete.error.details", PARTIAL, |case| partial(case) && case.worlds[0] == case.worlds[1]),
    allow(&["*/*"], "*.log", TOLD_ONCE, |case| case.right().is_none() && told_once(case)),
    allow(&["*/*"], "*.log.**", WARNED, |case| same_warnings(items(&case.told["log"]), items(&case.said["log"]))),
    allow(&["wide/plans", "crude/places"], "Update.log", PLANNED, |case| case.added() && warned_before(case)),
    allow(&["wide/plans"], "Delete.log", REMOVED, |case| {
        let [entry] = items(&case.said["log"]) else { return false };
        case.added() && entry["message"] == "Going away: This thing is about to be removed."
    }),
    allow(&["crude/blocks", "crude/lies"], "*.log", INCONSISTENT, |case| case.added() && inconsistent(case)),
    allow(&["random/parameters"], "Parameterize.log", TOLD_ONCE, |case| {
        let known = ["Usage:\n", "Error: ", "terraform-provider is unable to parse the parameter value"];
        let usage = |entry: &Value| known.iter().any(|start| text(&entry["message"]).starts_with(start));
        case.right().is_none() && case.said_error() != "" && items(&case.told["log"]).iter().all(usage)
    }),
];

/// A call that was refused changed nothing in the world; one with an unknown end, or with only a part of its work done, is reported as by the Go
/// bridge. If a provider died, the error reports it: in a preview it is a fault like any other.
fn says_what_was_done(case: &Case<'_>) -> bool {
    let code = |answer: &Value| text(&answer["error"]["code"]).to_owned();
    let before_and_after_are_equal = worldly(case.worlds[0]) == worldly(case.worlds[1]);
    match (code(case.told).as_str(), code(case.said).as_str()) {
        ("Unknown", "FailedPrecondition") => before_and_after_are_equal,
        ("Unavailable", "FailedPrecondition") => case.said_error().starts_with("the call was not made: "),
        ("Unavailable", "Unknown") => died(case) && case.request()["preview"] != true,
        ("Unavailable", "Internal") => died(case) && case.request()["preview"] == true,
        ("Unknown", "Unimplemented") => case.call["method"] == "Construct",
        ("Unknown", "InvalidArgument") => case.said_error().ends_with(" is unknown, which is not possible here"),
        _ => false,
    }
}

fn died(case: &Case<'_>) -> bool {
    case.said_error().contains(": the plugin exited with code 2 during the call: ")
}

/// The world without the provider's records of plans.
fn worldly(world: &Value) -> Vec<(&String, &Value)> {
    world.as_object().unwrap().iter().filter(|(file, _)| !file.starts_with("planned_removals/")).collect()
}

/// The Go bridge has no details; we have one, the state of the existing resource, with the reasons of the error.
fn partial(case: &Case<'_>) -> bool {
    let [detail] = case.right().map(items).unwrap_or_default() else { return false };
    let inputs = ["properties", "news", "oldInputs"].map(|field| &case.request()[field]);
    let reasons = items(&detail["reasons"]);
    case.added()
        && detail["@type"] == "type.googleapis.com/pulumirpc.ErrorResourceInitFailed"
        && !text(&detail["id"]).is_empty()
        && (text(&case.request()["id"]).is_empty() || detail["id"] == case.request()["id"])
        && detail["properties"].is_object()
        && inputs.contains(&&detail["inputs"])
        && !reasons.is_empty()
        && reasons.iter().any(|reason| case.said_error().contains(text(reason)))
}

/// Everything that the Go bridge logs is an error, and our answer has its text: as an error, or as a failure of a check.
fn told_once(case: &Case<'_>) -> bool {
    let failures = items(&case.said["reply"]["failures"]).iter().map(|failure| text(&failure["reason"]));
    let answers: Vec<&str> = failures.chain([case.said_error()]).collect();
    let told = |entry: &Value| {
        let message = text(&entry["message"]);
        let has = |answer: &&str| words(message).iter().all(|part| answer.contains(part));
        entry["severity"] == "ERROR"
            && (answers.iter().any(has) || unnamed(case, message) || ungiven(case) || unmade(case))
    };
    items(&case.told["log"]).iter().all(told)
}

/// That there is no name is a failure of the check for both; the Go bridge also logs why.
fn unnamed(case: &Case<'_>, message: &str) -> bool {
    let missing =
        items(&case.said["reply"]["failures"]).iter().any(|it| it["reason"] == "Missing required property 'name'");
    missing && message.contains("automatic naming is disabled but no explicit name was provided")
}

/// An unknown value is refused before the provider refuses it.
fn unmade(case: &Case<'_>) -> bool {
    case.said_error().ends_with(" is unknown, which is not possible here")
        && case.told_error().contains("an unknown value cannot be kept")
}

/// Both warn equally often, about the same resources, and each of our warnings has the text of one of the Go bridge's.
fn same_warnings(told: &[Value], said: &[Value]) -> bool {
    let mut left: Vec<&Value> = said.iter().collect();
    let found = told.iter().all(|entry| {
        let same = |other: &&Value| {
            let has = |part: &&str| text(&other["message"]).contains(*part);
            let both_warn = [entry, other].iter().all(|entry| entry["severity"] == "WARNING");
            both_warn && other["urn"] == entry["urn"] && words(text(&entry["message"])).iter().all(has)
        };
        let place = left.iter().position(same);
        place.map(|place| left.swap_remove(place)).is_some()
    });
    found && left.is_empty()
}

/// The Go bridge gave the same warning in the diff before.
fn warned_before(case: &Case<'_>) -> bool {
    let before = |event: &Event| match event {
        Event::Call { call, answer, .. } => {
            let same = ["urn", "olds", "news"].into_iter().all(|field| call["request"][field] == case.request()[field]);
            call["method"] == "Diff" && same && same_warnings(items(&answer["log"]), items(&case.said["log"]))
        }
        Event::Change { .. } => false,
    };
    case.earlier.iter().any(before)
}

fn inconsistent(case: &Case<'_>) -> bool {
    let said = ["planned", "did"]
        .map(|what| format!("the provider {what} something inconsistent, which is a bug in the provider: "));
    let warns = |entry: &Value| said.iter().any(|start| text(&entry["message"]).starts_with(start));
    items(&case.said["log"]).iter().all(|entry| entry["severity"] == "WARNING" && warns(entry))
}

/// The provider's text in a message of the Go bridge: `[SEVERITY] DETAIL: SUMMARY at attribute PLACE`, or with a property's name before the detail
/// alone.
fn words(message: &str) -> Vec<&str> {
    let told = message.split_once("] ").map_or(message, |(_, told)| told);
    let told = told.split(" at attribute ").next().unwrap_or(told);
    let told = match told
        .strip_prefix("property \"")
        .and_then(|rest| rest.split_once("\": ").or(rest.split_once("\" is deprecated: ")))
    {
        Some((_, detail)) => detail,
        None => told,
    };
    let (detail, summary) = told.strip_prefix(": ").map_or(told.rsplit_once(": ").unwrap_or((told, "")), |it| ("", it));
    [detail, summary].into_iter().filter(|part| !part.is_empty()).collect()
}

#[test]
fn words_of_a_logged_message_are_those_of_the_provider() {
    assert_eq!(
        words("[WARNING] A plan: is made.: Doubtful at attribute AttributeName(\"title\")"),
        ["A plan: is made.", "Doubtful"]
    );
    assert_eq!(words("[WARNING] property \"a.b\": Is it meant?"), ["Is it meant?"]);
    assert_eq!(words("[WARNING] property \"old\" is deprecated: Use `new`."), ["Use `new`."]);
    assert_eq!(words("[ERROR] : it: failed"), ["it: failed"]);
}
