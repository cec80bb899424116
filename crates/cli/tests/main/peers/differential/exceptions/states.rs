//! Plans, and stored states.

use serde_json::{Value, json};

use super::{Case, Exception, allow, text};
use crate::peers::differential::talk::{Event, UNKNOWN, plain};

const CRASH: &str = "the Go bridge panics on it, and its process ends";
const GONE: &str = "what is gone has no properties; the Go bridge answers empty ones, both without an id";
const ANEW: &str = "a replacement is planned anew, so that what will be computed again is unknown";
const PLANNED: &str = "deletions are planned by providers that want it";
const TIMEOUTS: &str = "the Go bridge cannot store limits of which some, or all after an import, are not given";
const IDENTITY: &str = "the Go bridge does not keep the identity of a resource, which its provider wants back";
/// The cloud makes an id from all its input.
const LIMIT: &str =
    "a limit of the engine's reaches a provider that has limits of its own; the Go bridge keeps it to itself";
const NEWER: &str = "what a newer provider stored is not given to an older one to delete";
const OPEN_TYPE: &str = "the Go bridge cannot compare values of different types";
const TYPELESS: &str = "a null without a type is stored as Terraform stores it";
const LARGE: &str =
    "a number that no double holds exactly is not a change on every run: what is compared is what the state can hold";
const LIES: &str = "a provider that breaks the rules is told so where the Go bridge believes it, and is believed where that is all there is";

pub(super) const ALLOWED: &[Exception] = &[
    allow(&["crude/go crashes"], "Check.*", CRASH, |case| {
        crashed(case) && case.said["reply"] == json!({"inputs": case.request()["news"]})
    }),
    allow(&["wide/go crashes"], "Create.*", CRASH, |case| crashed(case) && made(case)),
    allow(&["*/*"], "Read.reply.inputs", GONE, gone),
    allow(&["*/*"], "Read.reply.properties", GONE, gone),
    allow(&["*/replacements", "random/unknowns", "wide/nested changes"], "Update.reply.properties.**", ANEW, |case| {
        replacement(case) && case.right().is_some_and(|value| value == UNKNOWN)
    }),
    // The old SDK plans an empty string for a member of a set in a new resource, and none in a changed one.
    allow(&["classic/replacements"], "Update.reply.properties.members.*.free", ANEW, |case| {
        replacement(case) && case.added() && case.right().is_some_and(|value| value == "")
    }),
    allow(&["crude/*"], "*.world.planned_removals/*", PLANNED, |case| {
        case.added() && case.right() == Some(&json!({"planned": true}))
    }),
    allow(&["*/shapes", "*/names", "ancient/lives"], "Create.*", TIMEOUTS, |case| {
        case.outcome() && limits(case) && made(case)
    }),
    allow(&["ancient/lives"], "Read.*", TIMEOUTS, |case| {
        let imported = case.request().get("properties").is_none();
        case.outcome() && limits(case) && imported && case.said["reply"]["id"] == case.request()["id"]
    }),
    allow(&["wide/names"], "Update.*", IDENTITY, |case| {
        case.kind() == "Identified" && unidentified(case) && stored(case, &case.request()["news"])
    }),
    allow(&["wide/names"], "*.reply.properties.__meta", IDENTITY, |case| {
        let identity = json!({"code": case.said["reply"]["id"], "region": "here"});
        let stored = json!({"identity": identity, "identity_version": "1"}).to_string();
        case.added() && case.kind() == "Identified" && case.right() == Some(&json!(stored))
    }),
    allow(&["wide/names"], "Create.reply.id", LIMIT, |case| limited(case) && cloud_names(case)),
    allow(&["wide/names"], "Create.reply.properties.id", LIMIT, |case| limited(case) && cloud_names(case)),
    allow(&["wide/names"], "Create.world.slow/*", LIMIT, |case| {
        let limits = |side: Option<&Value>| side.map(|file| file["timeouts"].clone());
        let told = limits(case.left()) == Some(Value::Null) && case.right().is_none();
        let said = case.added() && limits(case.right()) == Some(json!({"create": "1.5s", "delete": null}));
        limited(case) && (told || said)
    }),
    allow(&["*/versions"], "Delete.*", NEWER, |case| {
        let said = ["the state was written by a newer version", "the stored `__meta` cannot be read: `x`"];
        let refused = said.iter().any(|start| case.said_error().starts_with(start));
        case.outcome() && case.told["reply"] == json!({}) && refused
    }),
    allow(&["*/shapes", "*/numbers"], "Diff.reply.diffs", LARGE, only_large),
    allow(&["*/shapes", "*/numbers"], "Diff.reply.diffs.*", LARGE, only_large),
    allow(&["*/shapes", "*/numbers"], "Diff.reply.changes", LARGE, |case| {
        only_large(case) && case.said["reply"]["changes"] == "DIFF_NONE" && case.said["reply"].get("diffs").is_none()
    }),
    allow(&["*/dynamic"], "Diff.*", OPEN_TYPE, |case| {
        let told = case.told_error();
        let apart = told.contains("Error converting") && told.contains("can't unmarshal tftypes.");
        case.outcome() && apart && case.said["reply"]["changes"] == "DIFF_SOME"
    }),
    allow(&["*/dynamic"], "Update.reply.properties.__pulumi_raw_state_delta.**.replace.raw", TYPELESS, |case| {
        case.left() == Some(&json!({"type": "dynamic", "value": null})) && case.right() == Some(&Value::Null)
    }),
    allow(&["crude/lies"], "Create.*", LIES, |case| {
        let unknown = case.told["reply"]["properties"]["made"] == UNKNOWN;
        case.outcome() && unknown && case.said_error() == STILL_UNKNOWN && left_behind(case)
    }),
    allow(&["crude/lies"], "Read.*", LIES, |case| {
        case.outcome() && unstorable(case) && stored(case, &case.request()["inputs"])
    }),
    allow(&["crude/lies"], "Update.*", LIES, |case| {
        case.outcome() && unstorable(case) && previewed(case) && stored(case, &case.request()["news"])
    }),
    allow(&["crude/lies"], "Update.world.crude_unknown_after_apply/*.**", LIES, |case| {
        unstorable(case) && !previewed(case) && case.said_error() == STILL_UNKNOWN && left_behind(case)
    }),
    allow(&["crude/lies"], "Update.*", LIES, |case| {
        let said = "the provider names `no_such_thing` as a reason for replacement";
        case.outcome() && case.kind() == "OddReplacement" && previewed(case) && case.said_error().starts_with(said)
    }),
];

const STILL_UNKNOWN: &str = "the provider answered something wrong: made: is still unknown after it was applied";

/// The Go bridge reports a few changes more, each of a large number that is stored and not asked to change.
fn only_large(case: &Case<'_>) -> bool {
    let changes = |side: &Value| side["reply"]["diffs"].as_array().cloned().unwrap_or_default();
    let (told, said) = (changes(case.told), changes(case.said));
    let (both, more): (Vec<_>, Vec<_>) = told.into_iter().partition(|name| said.contains(name));
    let asked = case.request();
    let is_large = |name: &Value| {
        let [old, new] = ["olds", "news"].map(|side| asked[side].get(text(name)));
        old.and_then(Value::as_f64).is_some_and(|old| old.abs() >= 2_f64.powi(63)) && (new.is_none() || new == old)
    };
    both == said && !more.is_empty() && more.iter().all(is_large)
}

/// The call was the Go bridge's last; we reply. Its log shows how it died.
fn crashed(case: &Case<'_>) -> bool {
    let died = text(&case.told["log"][0]["message"]).starts_with("Bridged provider panic");
    let logged = case.part() == "log" && case.right().is_none();
    (case.outcome() || logged) && case.told_error() == "{connection lost}" && died
}

/// The Go bridge cannot recover the state that it would store for a resource with limits.
fn limits(case: &Case<'_>) -> bool {
    let told = "recovered raw state does not byte-for-byte match the original raw state";
    case.kind() == "Slow" && case.told_error() == told
}

/// The engine sets a limit for the creation of the resource.
fn limited(case: &Case<'_>) -> bool {
    case.kind() == "Slow" && case.request()["timeout"] == 1.5
}

/// Both sides have an id of the cloud's.
fn cloud_names(case: &Case<'_>) -> bool {
    [case.left(), case.right()].into_iter().all(|id| id.is_some_and(|id| text(id).starts_with("slow-")))
}

/// We reply with an id, and with the properties that were asked for.
fn made(case: &Case<'_>) -> bool {
    !text(&case.said["reply"]["id"]).is_empty() && stored(case, &case.request()["properties"])
}

/// Our reply has all of these properties, and others.
fn stored(case: &Case<'_>, properties: &Value) -> bool {
    let answered = plain(&case.said["reply"]["properties"]);
    let wanted = properties.as_object().unwrap();
    !wanted.is_empty() && wanted.iter().all(|(name, value)| answered.get(name) == Some(value))
}

/// We end the call with an error that contains the existing resource with its id.
fn left_behind(case: &Case<'_>) -> bool {
    let detail = &case.said["error"]["details"][0];
    let id = text(&case.told["reply"]["id"]);
    let id = if id.is_empty() { text(&case.request()["id"]) } else { id };
    !id.is_empty() && detail["id"] == id && detail["properties"]["id"] == id
}

fn gone(case: &Case<'_>) -> bool {
    let without_id = [case.told, case.said].iter().all(|answer| answer["reply"].get("id").is_none());
    without_id && case.left() == Some(&json!({})) && case.right().is_none()
}

fn previewed(case: &Case<'_>) -> bool {
    case.request()["preview"] == true
}

/// A preview of a change that the Go bridge's own diff called a replacement.
fn replacement(case: &Case<'_>) -> bool {
    let asked = |event: &Event| match event {
        Event::Call { call, answer, .. } => {
            let same = |field| call["request"][field] == case.request()[field];
            let whole = call["request"]["ignoreChanges"] == json!([]);
            let replaces = answer["reply"]["replaces"].as_array().is_some_and(|replaces| !replaces.is_empty());
            call["method"] == "Diff" && ["urn", "olds", "news", "oldInputs"].into_iter().all(same) && whole && replaces
        }
        Event::Change { .. } => false,
    };
    previewed(case) && case.earlier.iter().any(asked)
}

/// The Go bridge cannot go on from a state that it stored with an unknown value.
fn unstorable(case: &Case<'_>) -> bool {
    case.kind() == "UnknownAfterApply" && case.told_error().contains("unknown values cannot be serialized to JSON")
}

/// The provider refuses the Go bridge's update. The log is the same.
fn unidentified(case: &Case<'_>) -> bool {
    let logged = case.part() == "log" && case.right().is_none();
    (case.outcome() || logged) && case.told_error().starts_with("Missing Resource Identity After Update: ")
}
