//! Version 2 of the old SDK: alone (`classic`), and together with the framework over protocol 5 (`mixed`) and 6 (`raised`).

use serde_json::json;

use super::Listed;
use super::framed::{become_unknown, begin};
use crate::peers::differential::introduction;
use crate::peers::differential::talk::{Talk, UNKNOWN, secret};

pub(super) const SCENARIOS: &[Listed] = &[
    ("classic", "introduction", |talk| introduction(talk, json!({"assume": {"roleName": "r"}}))),
    ("classic", "configuration", configuration),
    ("classic", "shapes", shapes),
    ("classic", "blocks", blocks),
    ("classic", "replacements", replacements),
    ("classic", "rules", rules),
    ("classic", "faults", faults),
    ("classic", "panic", panic),
    ("classic", "data", data),
    ("mixed", "shapes", shapes),
    ("mixed", "blocks", blocks),
    ("mixed", "ids", ids),
    ("mixed", "data", data),
    ("raised", "shapes", shapes),
    ("raised", "blocks", blocks),
    ("raised", "ids", ids),
    ("raised", "data", data),
];

fn configuration(talk: &mut Talk) {
    talk.parameterize();
    let urn = talk.provider_urn();
    for news in [
        json!({"retries": 5, "regions": ["a"], "assume": {"roleName": "r", "session": "s"}}),
        json!({"retries": "5", "regions": "[\"a\"]", "assume": "{\"roleName\":\"r\"}"}),
        json!({"assume": [{"roleName": "r"}]}),
        json!({"assume": "[{\"roleName\":\"r\"}]"}),
        json!({"assume": UNKNOWN}),
        json!({"assumes": []}),
    ] {
        let checked = talk.call("CheckConfig", json!({"urn": urn, "news": news}));
        talk.configure(checked["reply"]["inputs"].clone());
        talk.method("terraformConfig", json!({}));
    }
    talk.configure(json!({"directory": "forbidden"}));
}

fn shapes(talk: &mut Talk) {
    begin(talk);
    talk.life(
        "Primitives",
        "primitives",
        &[
            json!({"aString": "a", "aBool": true, "anInt": 5, "aFloat": 0.5, "hidden": "h"}),
            json!({"aString": "b", "aBool": false, "anInt": 0, "aFloat": 0, "either": "chosen", "assumed": "chosen"}),
            json!({"aString": "", "hidden": secret(json!("s")), "old": "deprecated"}),
            json!({"aString": "c"}),
        ],
    );
    talk.life("Collections", "collections", &[
        json!({"stringLists": ["a", "b"], "stringSets": ["b", "a"], "intSets": [3, 1], "stringMap": {"k": "v", "camelKey": "w"}, "intMap": {"k": 1}, "lists": [["a"], []], "onlyValues": ["a"]}),
        json!({"stringLists": ["b"], "stringSets": ["a", "c"], "intSets": [1], "stringMap": {"k": "changed"}, "lists": [["a", "b"]]}),
        json!({"stringLists": [], "stringSets": [], "stringMap": {}}),
        json!({}),
    ]);
    let limits = |create: &str| json!({"create": create, "delete": "1m", "default": "2m"});
    talk.life(
        "Slow",
        "slow",
        &[
            json!({"value": "a", "timeouts": limits("3m")}),
            json!({"value": "b"}),
            json!({"value": "b", "timeouts": limits("4m")}),
        ],
    );
    some_limits(talk);
    talk.life("Versioned", "versioned", &[json!({"amount": 1}), json!({"amount": 2})]);
    let mut versioned = talk.resource("Versioned", "old");
    versioned.id = "some id".to_owned();
    versioned.inputs = json!({"amount": 4});
    for state in [
        json!({"versionedId": "some id", "countText": "four", "__meta": "{\"schema_version\":\"0\"}"}),
        json!({"versionedId": "some id", "countText": "four"}),
        json!({"versionedId": "some id", "count": 4, "__meta": "{\"schema_version\":\"1\"}"}),
        json!({"versionedId": "some id", "amount": 4, "__meta": "{\"schema_version\":\"2\"}"}),
    ] {
        versioned.state = state;
        versioned.diff_same();
        versioned.refresh();
    }
    for inputs in [
        json!({"aString": UNKNOWN, "aBool": UNKNOWN, "anInt": UNKNOWN, "either": UNKNOWN, "assumed": UNKNOWN}),
        json!({"aString": "a", "written": "w"}),
        json!({"aString": "a", "anInt": "5", "aBool": "yes"}),
        json!({}),
        json!({"aString": "a", "primitivesId": "given"}),
        json!({"aString": null, "anInt": 1.5}),
    ] {
        let mut resource = talk.resource("Primitives", "tried");
        resource.check(inputs.clone());
        resource.inputs = inputs;
        resource.preview();
    }
}

/// A resource with limits, only some of them given.
pub(super) fn some_limits(talk: &mut Talk) {
    let mut slow = talk.resource("Slow", "half");
    slow.check(json!({"value": "a", "timeouts": {"create": "3m"}}));
    slow.preview();
    slow.create();
}

fn blocks(talk: &mut Talk) {
    begin(talk);
    let needed = json!({"value": "n"});
    talk.life("Blocks", "blocks", &[
        json!({
            "title": "t", "needed": needed, "rules": [{"action": "a", "weight": 1, "matches": [{"prefix": "p"}, {"prefix": "q", "flag": true}]}, {"action": "b"}],
            "settings": {"note": "n", "inner": {"deepText": "d"}}, "onlyMember": {"value": "v"},
            "tags": [{"key": "b", "value": "2"}, {"key": "a", "value": "1"}], "asAttributes": [{"someValue": "v"}],
        }),
        json!({"needed": {"value": "m"}, "rules": [{"action": "b"}], "settings": {"level": 2}, "tags": [{"key": "a", "value": "changed"}], "asAttributes": []}),
        json!({"needed": needed, "settings": {}, "rules": [], "tags": []}),
        json!({"needed": needed}),
    ]);
    for inputs in [
        json!({}),
        json!({"needed": []}),
        json!({"needed": {}}),
        json!({"needed": UNKNOWN, "rules": UNKNOWN, "settings": UNKNOWN, "tags": UNKNOWN}),
        json!({"needed": {"value": UNKNOWN}, "rules": [{"action": UNKNOWN}, UNKNOWN], "tags": [{"key": UNKNOWN}], "settings": {"inner": UNKNOWN}}),
        json!({"needed": needed, "settings": [{"note": "a list"}]}),
        json!({"needed": needed, "settings": null, "rules": null}),
    ] {
        let mut resource = talk.resource("Blocks", "tried");
        resource.check(inputs.clone());
        resource.inputs = inputs;
        resource.preview();
    }
    become_unknown(
        talk,
        &json!({
            "needed": needed, "rules": [{"action": "a", "matches": [{"prefix": "p"}]}, {"action": "b"}],
            "settings": {"note": "n", "inner": {"deepText": "d"}}, "onlyMember": {"value": "v"},
            "tags": [{"key": "b", "value": "2"}, {"key": "a"}],
        }),
        &[
            ("needed", json!(UNKNOWN)),
            ("settings", json!(UNKNOWN)),
            ("settings", json!({"note": "n", "inner": UNKNOWN})),
            ("onlyMember", json!(UNKNOWN)),
            ("rules", json!(UNKNOWN)),
            ("rules", json!([UNKNOWN, {"action": "b"}])),
            ("tags", json!(UNKNOWN)),
            ("tags", json!([UNKNOWN, {"key": "a"}])),
        ],
    );
    let mut blocks = talk.resource("Blocks", "drifting");
    blocks.check(json!({"title": "mine", "needed": needed, "tags": [{"key": "a"}]}));
    blocks.create();
    let file = format!("blocks/{}.json", blocks.id);
    blocks.talk().edit(&file, |thing| {
        thing["title"] = json!("theirs");
        thing["settings"] = json!([{"level": 5, "note": "added", "inner": []}]);
        thing["tag"] = json!([{"key": "a", "value": "set"}, {"key": "b", "value": ""}]);
    });
    blocks.refresh();
    blocks.import();
    blocks.refreshed();
    blocks.diff_same();
    blocks.talk().put(&file, None);
    blocks.refresh();
    blocks.import();
}

fn replacements(talk: &mut Talk) {
    begin(talk);
    let full = json!({"top": "a", "free": "a", "growOnly": 5, "items": [{"fixed": "a", "free": "a"}], "members": [{"fixed": "a", "free": "a"}, {"fixed": "b"}]});
    let mut resource = talk.resource("Replaced", "replaced");
    resource.check(full.clone());
    resource.create();
    resource.diff_same();
    let made = resource.inputs.clone();
    for (name, value) in [
        ("free", json!("b")),
        ("top", json!("b")),
        ("top", json!(UNKNOWN)),
        ("growOnly", json!(6)),
        ("growOnly", json!(4)),
        ("items", json!([{"fixed": "a", "free": "b"}])),
        ("items", json!([{"fixed": "b", "free": "a"}])),
        ("items", json!([])),
        ("members", json!([{"fixed": "a", "free": "b"}, {"fixed": "b"}])),
        ("members", json!([{"fixed": "b"}, {"fixed": "a", "free": "a"}])),
        ("members", json!([{"fixed": "c"}])),
    ] {
        let mut news = full.clone();
        news[name] = value;
        resource.inputs = made.clone();
        resource.check(news);
        resource.diff(&made, &[]);
        resource.diff(&made, &[name]);
        resource.update(&made, true);
    }
    resource.delete();
    talk.life("Fixed", "fixed", &[json!({"value": "a"}), json!({"value": "b"})]);
    talk.life(
        "Suppressed",
        "suppressed",
        &[
            json!({"word": "Word", "shouted": "loud"}),
            json!({"word": "WORD", "shouted": "LOUD"}),
            json!({"word": "other", "shouted": "quiet"}),
        ],
    );
}

fn rules(talk: &mut Talk) {
    begin(talk);
    talk.life("Named", "named", &[json!({}), json!({"value": "a"}), json!({"name": "given"})]);
    talk.life("Conflicting", "conflicting", &[json!({"namePrefix": "p"}), json!({"name": "n"}), json!({})]);
    talk.life("Deprecated", "deprecated", &[json!({"value": "a"})]);
    for inputs in [
        json!({"even": 3, "oneOf": "a"}),
        json!({"even": 0, "oneOf": "a"}),
        json!({"parts": [{"even": 1}, {"even": 3}], "oneOf": "a"}),
        json!({"parts": [{"even": 2}, {"even": 4}, {"even": 6}], "oneOf": "a"}),
        json!({"parts": [{}], "oneOf": "a"}),
        json!({}),
        json!({"oneOf": "a", "otherOf": "b"}),
        json!({"oneOf": UNKNOWN, "even": UNKNOWN}),
    ] {
        let mut resource = talk.resource("Checked", "checked");
        resource.check(inputs.clone());
        resource.inputs = inputs;
        resource.preview();
    }
}

fn faults(talk: &mut Talk) {
    begin(talk);
    let until = format!("{}/go on", talk.world());
    for fault in ["fail", "warn", "fail after create"] {
        let mut faulty = talk.resource("Faulty", fault);
        faulty.check(json!({"fault": fault, "value": "a"}));
        faulty.preview();
        faulty.create();
        faulty.delete();
    }
    let mut faulty = talk.resource("Faulty", "update");
    faulty.check(json!({"value": "a"}));
    faulty.create();
    faulty.change(json!({"fault": "fail on update", "value": "b"}));
    faulty.refreshed();
    faulty.change(json!({"fault": "fail on delete", "value": "c"}));
    faulty.delete();
    let mut hanging = talk.resource("Faulty", "hanging");
    hanging.check(json!({"fault": "hang", "until": until}));
    let properties = hanging.inputs.clone();
    hanging.call_for(1.0, "Create", json!({"properties": properties}));
    hanging.talk().put("go on", Some(""));
    hanging.create();
}

pub(super) fn panic(talk: &mut Talk) {
    begin(talk);
    let mut faulty = talk.resource("Faulty", "panic");
    faulty.check(json!({"fault": "panic"}));
    faulty.create();
    faulty.check(json!({}));
}

fn data(talk: &mut Talk) {
    begin(talk);
    for (function, args) in [
        ("getLookup", json!({"name": "a"})),
        ("getLookup", json!({"name": "a", "filters": [{"field": "f", "values": ["v"]}, {"field": "g"}]})),
        ("getLookup", json!({"name": "missing"})),
        ("getLookup", json!({})),
        ("getLookup", json!({"name": UNKNOWN})),
        ("getLookup", json!({"name": "a", "id": "given"})),
        ("getVault", json!({"name": "a"})),
    ] {
        talk.invoke(function, args);
    }
}

fn ids(talk: &mut Talk) {
    begin(talk);
    talk.life(
        "RequiredId",
        "required",
        &[json!({"requiredIdId": "mine", "value": "a"}), json!({"requiredIdId": "mine", "value": "b"})],
    );
    talk.life("ChosenId", "chosen", &[json!({"value": "a"}), json!({"value": "b"})]);
    talk.life("NumberId", "number", &[json!({"value": "a"}), json!({"value": "b"})]);
    talk.life("NoId", "none", &[json!({"label": "a"}), json!({"label": "a", "value": "b"})]);
}
