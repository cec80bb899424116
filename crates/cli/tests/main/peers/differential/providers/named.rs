//! Ids, names, and generated names: the providers on the plugin framework.

use serde_json::json;

use super::Listed;
use super::classic::some_limits;
use super::framed::begin;
use crate::peers::differential::talk::{Talk, UNKNOWN, secret};

pub(super) const SCENARIOS: &[Listed] = &[
    ("wide", "ids", ids),
    ("wide", "names", names),
    ("wide", "autonaming", autonaming),
    ("wide", "go crashes", secret_id),
];

fn ids(talk: &mut Talk) {
    begin(talk);
    talk.life(
        "RequiredId",
        "required",
        &[
            json!({"requiredIdId": "mine", "value": "a"}),
            json!({"requiredIdId": "mine", "value": "b"}),
            json!({"requiredIdId": "other", "value": "b"}),
        ],
    );
    talk.life(
        "ChosenId",
        "chosen",
        &[json!({"value": "a"}), json!({"value": "b"}), json!({"chosenIdId": "chosen", "value": "b"})],
    );
    talk.life("ChosenId", "given", &[json!({"chosenIdId": "given"})]);
    talk.life("NumberId", "number", &[json!({"value": "a"}), json!({"value": "b"})]);
    talk.life("NoId", "none", &[json!({"label": "a"}), json!({"label": "a", "value": "b"})]);
    talk.life(
        "Taken",
        "taken",
        &[json!({"wideTakenId": "a", "takenId": "b", "resourceId": "c"}), json!({"wideTakenId": "a", "takenId": "d"})],
    );
    for (kind, inputs) in [
        ("RequiredId", json!({"requiredIdId": UNKNOWN})),
        ("RequiredId", json!({"value": "a"})),
        ("RequiredId", json!({"requiredIdId": secret(json!("hidden"))})),
        ("RequiredId", json!({"id": "under its old name"})),
        ("RequiredId", json!({"requiredIdId": ""})),
        ("ChosenId", json!({"chosenIdId": UNKNOWN})),
        ("NoId", json!({"label": UNKNOWN})),
    ] {
        let mut resource = talk.resource(kind, "tried");
        resource.check(inputs.clone());
        resource.inputs = inputs;
        resource.preview();
    }
    for (kind, id) in [("NumberId", "7"), ("NumberId", "seven"), ("NoId", "a label"), ("RequiredId", "never made")] {
        let mut resource = talk.resource(kind, "imported");
        resource.id = id.to_owned();
        resource.import();
    }
}

fn secret_id(talk: &mut Talk) {
    begin(talk);
    let mut resource = talk.resource("SecretId", "secret");
    resource.check(json!({"value": "a"}));
    resource.preview();
    resource.create();
}

fn names(talk: &mut Talk) {
    begin(talk);
    talk.life("Plurals", "plurals", &[
        json!({
            "statuses": ["s"], "indices": ["i"], "boxes": ["b"], "policies": ["p"], "ingresses": ["i"], "people": ["p"],
            "securityGroups": ["g"], "addresses": ["a"], "media": ["m"], "analyses": ["a"], "key": ["k"], "keys": "keys", "leafs": ["l"],
            "data": ["d"], "quizzes": ["q"], "viri": ["v"], "b64Std": "b", "http2Enabled": "h", "trailing_": "t", "doubleBar": "d",
            "x1y": "x", "entries": [{"child": ["c"], "children": "children"}],
        }),
        json!({"statuses": ["s", "t"], "key": [], "entries": []}),
    ]);
    talk.life(
        "Reserved",
        "reserved",
        &[json!({"pulumiInfo": "p", "wideUrn": "u", "version": "v", "constructor": "c"}), json!({"pulumiInfo": "q"})],
    );
    talk.life("WideProvider", "provider", &[json!({"value": "a"})]);
    talk.life("TwinThing", "twin", &[json!({"value": "a"})]);
    talk.life("TwinthingV2", "twin", &[json!({"other": "a"})]);
    talk.life("ThreeDModel", "model", &[json!({"value": "a"})]);
    talk.life("Deprecated", "deprecated", &[json!({"old": "a"}), json!({"fresh": "a"})]);
    talk.life(
        "Slow",
        "slow",
        &[
            json!({"value": "a", "timeouts": {"create": "5m", "delete": "2m"}}),
            json!({"value": "b", "timeouts": {"create": "6m", "delete": "1m"}}),
            json!({"value": "b"}),
        ],
    );
    some_limits(talk);
    talk.life(
        "Identified",
        "identified",
        &[json!({"region": "here", "value": "a"}), json!({"region": "here", "value": "b"})],
    );
    let mut slow = talk.resource("Slow", "custom");
    slow.check(json!({"value": "a"}));
    let properties = slow.inputs.clone();
    slow.call("Create", json!({"properties": properties, "timeout": 1.5}));
}

fn autonaming(talk: &mut Talk) {
    begin(talk);
    talk.life(
        "Named",
        "named",
        &[json!({}), json!({"value": "a"}), json!({"name": "given", "value": "a"}), json!({"value": "a"})],
    );
    talk.life("NamedByProvider", "by provider", &[json!({}), json!({"name": "given"})]);
    talk.life("Conflicting", "conflicting", &[json!({"namePrefix": "p"}), json!({"name": "n"}), json!({})]);
    let mut named = talk.resource("Named", "a-very-long-name-indeed");
    for (autonaming, news) in [
        (json!({"proposedName": "proposed", "mode": "PROPOSE"}), json!({})),
        (json!({"proposedName": "enforced", "mode": "ENFORCE"}), json!({})),
        (json!({"mode": "DISABLE"}), json!({})),
        (json!({"proposedName": "proposed", "mode": "PROPOSE"}), json!({"name": "given"})),
    ] {
        named.call("Check", json!({"news": news, "autonaming": autonaming, "randomSeed": "c2VlZCBvZiB0aGUgdGVzdHMsIDMyIGJ5dGVzIGxvbmc="}));
    }
    named.call(
        "Check",
        json!({"news": {}, "olds": {"name": "old-name"}, "randomSeed": "c2VlZCBvZiB0aGUgdGVzdHMsIDMyIGJ5dGVzIGxvbmc="}),
    );
    named.call(
        "Check",
        json!({"news": {}, "olds": {"name": "old-name", "__defaults": ["name"]}, "randomSeed": "c2VlZCBvZiB0aGUgdGVzdHMsIDMyIGJ5dGVzIGxvbmc="}),
    );
    named.call(
        "Check",
        json!({"news": {"name": UNKNOWN}, "randomSeed": "c2VlZCBvZiB0aGUgdGVzdHMsIDMyIGJ5dGVzIGxvbmc="}),
    );
    named.call("Check", json!({"news": {"name": ""}, "randomSeed": "c2VlZCBvZiB0aGUgdGVzdHMsIDMyIGJ5dGVzIGxvbmc="}));
    named.call("Check", json!({"news": {"name": null}, "randomSeed": "c2VlZCBvZiB0aGUgdGVzdHMsIDMyIGJ5dGVzIGxvbmc="}));
    let mut conflicting = talk.resource("Conflicting", "c");
    conflicting.call(
        "Check",
        json!({"news": {"name": "a", "namePrefix": "p"}, "randomSeed": "c2VlZCBvZiB0aGUgdGVzdHMsIDMyIGJ5dGVzIGxvbmc="}),
    );
    conflicting.call(
        "Check",
        json!({"news": {"namePrefix": UNKNOWN}, "randomSeed": "c2VlZCBvZiB0aGUgdGVzdHMsIDMyIGJ5dGVzIGxvbmc="}),
    );
}
