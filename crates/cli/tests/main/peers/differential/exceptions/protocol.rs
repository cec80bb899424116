//! The bridge's description of itself and of its package, and the form of its diffs.

use serde_json::{Value, json};

use super::{Case, Exception, allow, items, text};
use crate::peers::differential::talk::UNKNOWN;

const HANDSHAKE: &str = "ours has the handshake";
const VERSION: &str = "ours is the bridge's version, before and after it becomes a package";
const ACCEPTED: &str = "secrets and outputs are taken for what they are";
const DETAILS: &str = "differences are told in detail, with what needs a replacement";
const NOT_KNOWN: &str = "a configuration that is not known yet is a change that may come";
const UNASKED: &str = "nobody is asked before all of the configuration is known, as Pulumi's engine does it";
const FUNCTIONS: &str = "functions of the provider are functions of the package";
const DEPRECATION: &str = "the provider's own words about what is deprecated";

pub(super) const ALLOWED: &[Exception] = &[
    allow(&["*/introduction"], "Handshake.*", HANDSHAKE, handshake),
    allow(&["*/introduction"], "GetPluginInfo.reply.version", VERSION, |case| {
        case.left().is_some_and(|version| version == "0.0.0") && case.right().is_some_and(|version| version == "1.0.0")
    }),
    allow(&["*/*"], "Configure.reply.acceptSecrets", ACCEPTED, now_true),
    allow(&["*/*"], "Configure.reply.acceptOutputs", ACCEPTED, now_true),
    allow(&["*/*"], "Diff.reply.hasDetailedDiff", DETAILS, |case| now_true(case) && detailed(case)),
    allow(&["*/*"], "Diff.reply.detailedDiff", DETAILS, |case| case.added() && detailed(case)),
    allow(&["wide/configuration"], "DiffConfig.reply.hasDetailedDiff", NOT_KNOWN, not_known),
    allow(&["wide/configuration"], "DiffConfig.reply.detailedDiff", NOT_KNOWN, not_known),
    allow(&["wide/configuration", "classic/configuration"], "Call.*", UNASKED, |case| {
        case.told_error().ends_with("All inputs to provider configuration must be known for this feature to work.")
            && case.said["reply"] == json!({"return": {}})
    }),
    allow(&["wide/configuration"], "Create.reply.properties.*", UNASKED, |case| {
        case.request()["preview"] == true && case.right().is_none()
    }),
    allow(
        &["local/introduction", "time/introduction", "wide/introduction"],
        "GetSchema.reply.schema.functions.*",
        FUNCTIONS,
        |case| case.added() && case.right().is_some_and(|function| function["outputs"]["properties"].is_object()),
    ),
    allow(&["*/introduction"], "GetSchema.reply.schema.**.deprecationMessage", DEPRECATION, |case| {
        case.left().is_some_and(|words| words == "Deprecated")
            && case.right().is_some_and(|words| !text(words).is_empty())
    }),
    allow(&["random/parameters by value"], "GetSchema.*", "there is no schema of version 1", |case| {
        let refused = json!({"code": "InvalidArgument", "message": "there is no schema of version 1"});
        case.outcome() && case.request()["version"] == 1 && case.said["error"] == refused
    }),
];

fn handshake(case: &Case<'_>) -> bool {
    let all = json!({"acceptOutputs": true, "acceptResources": true, "acceptSecrets": true,
        "supportsAutonamingConfiguration": true});
    case.told["error"]["code"] == "Unimplemented" && case.said["reply"] == all
}

fn now_true(case: &Case<'_>) -> bool {
    case.added() && case.right() == Some(&Value::Bool(true))
}

/// The details are about the properties that the Go bridge names. All of those are included, except for those that only the provider sets: they
/// change with the others. The same properties need a replacement as in the Go bridge's answer.
fn detailed(case: &Case<'_>) -> bool {
    let details = case.said["reply"]["detailedDiff"].as_object();
    let top = |path: &str| path.split(['.', '[']).next().unwrap_or_default().to_owned();
    let told = |list: &str| -> Vec<&str> { items(&case.told["reply"][list]).iter().map(text).collect() };
    let (changed, replaced) = (told("diffs"), told("replaces"));
    details.is_some_and(|details| {
        let tops: Vec<String> = details.keys().map(|path| top(path)).collect();
        let replacing = |(path, how): (&String, &Value)| text(&how["kind"]).ends_with("_REPLACE").then(|| top(path));
        let replacing: Vec<String> = details.iter().filter_map(replacing).collect();
        let given = |name: &str| ["news", "oldInputs"].iter().any(|side| case.request()[side].get(name).is_some());
        tops.iter().all(|name| changed.contains(&name.as_str()))
            && changed.iter().filter(|name| given(name)).all(|name| tops.iter().any(|top| top == name))
            && replacing.iter().all(|name| replaced.contains(&name.as_str()))
            && replaced.iter().all(|name| replacing.iter().any(|top| top == name))
    })
}

/// The Go bridge has no details, and ours are the keys whose values are not known yet.
fn not_known(case: &Case<'_>) -> bool {
    let news = case.request()["news"].as_object().unwrap();
    let unknown = news.iter().filter(|(_, value)| *value == UNKNOWN);
    let expected: Value = unknown.map(|(key, _)| (key.clone(), json!({"inputDiff": true, "kind": "UPDATE"}))).collect();
    case.added() && case.said["reply"]["detailedDiff"] == expected
}
