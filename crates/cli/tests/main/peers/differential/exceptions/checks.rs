//! Inputs and arguments that the schema rejects, and functions that the Go bridge does not know.

use regex_lite::Regex;
use serde_json::{Value, json};

use super::words::placeless;
use super::{Case, Exception, allow, items, text};
use crate::peers::differential::talk::UNKNOWN;

const MISFIT: &str = "a value that does not fit its property is a failure of the check";
const NO_SUCH: &str = "a property that does not exist is a failure of the check";
const UNNAMED: &str = "a name that is made up is left out where the provider does not want one";
const ABOUT: &str = "an error about an argument is a failure that names it";
const UNGIVEN: &str = "an argument that is not known is not given; engines do not call with one";
const FUNCTIONS: &str = "functions of the provider can be called";

/// The scenarios that check values of other types than their properties'.
const MISFITS: &[&str] = &["*/shapes", "*/blocks", "random/mistakes", "wide/nested unknowns"];

pub(super) const ALLOWED: &[Exception] = &[
    allow(MISFITS, "Check.*", MISFIT, |case| {
        case.outcome() && case.said["reply"]["inputs"] == case.request()["news"] && unfit(case)
    }),
    allow(&["null/lives"], "Invoke.*", MISFIT, |case| case.outcome() && unfit(case)),
    allow(
        &["narrow/shapes", "wide/shapes", "wide/checks", "wide/ids", "random/mistakes", "crude/blocks"],
        "Check.reply.failures.**",
        NO_SUCH,
        |case| more_failures(case, "has no such property"),
    ),
    allow(&["classic/rules", "wide/autonaming"], "Check.reply.failures", UNNAMED, unnamed),
    allow(&["classic/rules", "wide/autonaming"], "Check.reply.inputs.name", UNNAMED, unnamed),
    allow(&["tls/configuration"], "CheckConfig.reply.failures", NO_SUCH, |case| {
        more_failures(case, "is not a valid configuration key for the tls provider")
    }),
    allow(&["narrow/data", "wide/data"], "Invoke.*", ABOUT, |case| {
        let failures = items(&case.said["reply"]["failures"]);
        case.outcome() && failures.len() == 1 && failures[0]["reason"] == *placeless(case.told_error())
    }),
    allow(&["local/data", "*/data"], "Invoke.*", UNGIVEN, |case| case.outcome() && ungiven(case)),
    allow(&["*/data"], "Invoke.reply.failures.**", UNGIVEN, ungiven),
    // Nothing comes back for an argument that was not given, and nothing at all from a call that failed.
    allow(&["*/data"], "Invoke.reply.return.**", UNGIVEN, |case| {
        case.right().is_none() && (unknown(case, &case.difference.path[3]) || ungiven(case))
    }),
    allow(&["wide/functions"], "Invoke.*", FUNCTIONS, function),
];

/// The names of types in the errors of the Go bridge's encoder, and in ours.
const KINDS: &[(&str, &str)] = &[
    ("a Boolean", "a boolean"),
    ("a string", "a string"),
    ("a Number", "a number"),
    ("an Array", "a list"),
    ("an Object", "an object"),
];

/// Both errors are about the same property, and require a value of the same kind.
pub(super) fn same_misfit(told: &str, said: &str) -> bool {
    let told_of = r#"objectEncoder failed on property "(\w+)": (?:set encoder failed: )?[Ee]xpected (an? \w+)"#;
    let said_of = r"(\w+): (an? \w+) is needed, and this is (an? \w+)$";
    let found = Regex::new(told_of).unwrap().captures(told).zip(Regex::new(said_of).unwrap().captures(said));
    found.is_some_and(|(told, said)| {
        // A list of the package may be in the plural.
        let letters = told[1].replace('_', "");
        let property = said[1].to_lowercase().starts_with(&letters);
        property && KINDS.contains(&(&told[2], &said[2])) && said[2] != said[3]
    })
}

/// The Go bridge ends the call with an error about a value; we return one failure about the same property.
fn unfit(case: &Case<'_>) -> bool {
    let [failure] = items(&case.said["reply"]["failures"]) else { return false };
    same_misfit(case.told_error(), &format!("{}: {}", text(&failure["property"]), text(&failure["reason"])))
}

/// We have all the failures that the Go bridge has, and our additional ones are of one kind.
fn more_failures(case: &Case<'_>, kind: &str) -> bool {
    let (told, said) = (items(&case.told["reply"]["failures"]), items(&case.said["reply"]["failures"]));
    let more = said.iter().filter(|failure| !told.contains(failure));
    said.len() > told.len()
        && told.iter().all(|failure| said.contains(failure))
        && more.clone().all(|failure| text(&failure["reason"]).contains(kind))
}

/// No name was given, and the provider reports that the Go bridge's generated name conflicts with an input; we generate none, and there is no
/// failure.
fn unnamed(case: &Case<'_>) -> bool {
    let failures = items(&case.told["reply"]["failures"]);
    let conflict = |failure: &Value| {
        let reason = text(&failure["reason"]);
        reason.contains("\"name\": conflicts with name_prefix")
            || reason.contains("\"name_prefix\": conflicts with name.")
    };
    let given = case.request()["news"].get("name").is_some();
    !given && case.right().is_none() && !failures.is_empty() && failures.iter().all(conflict)
}

/// Whether an argument is not known.
fn unknown(case: &Case<'_>, name: &str) -> bool {
    case.request()["args"].get(name).is_some_and(|value| value == UNKNOWN)
}

/// We return one failure: an argument that is unknown counts as missing.
pub(super) fn ungiven(case: &Case<'_>) -> bool {
    let [failure] = items(&case.said["reply"]["failures"]) else { return false };
    unknown(case, text(&failure["property"])) && text(&failure["reason"]).starts_with("Missing ")
}

/// The Go bridge knows data sources only; our answer is the result of the function.
fn function(case: &Case<'_>) -> bool {
    let told = format!("[pf/tfbridge] unknown datasource token: {}", text(&case.request()["tok"]));
    let refused = json!([{"property": "second", "reason": "the second has to be empty"}]);
    let made: Value = match text(&case.request()["tok"]).rsplit(':').next().unwrap_or_default() {
        "double" => json!({"return": {"result": 42}}),
        "joinedUp" => json!({"return": {"result": "a+b"}}),
        "described" => json!({"return": {"givenWord": "word", "wordLength": 4}}),
        "picky" => json!({"failures": refused, "return": {}}),
        _ => return false,
    };
    case.outcome() && case.told_error() == told && case.said["reply"] == made
}
