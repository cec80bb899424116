//! The providers on the plugin framework: `wide` over protocol 6 and `narrow` over protocol 5.

use serde_json::{Value, json};

use super::Listed;
use crate::differential::introduction;
use crate::differential::talk::{Talk, UNKNOWN, secret};

pub(super) const SCENARIOS: &[Listed] = &[
    ("wide", "introduction", |talk| introduction(talk, json!({}))),
    ("wide", "configuration", configuration),
    ("wide", "shapes", shapes),
    ("wide", "dynamic", dynamic),
    ("wide", "numbers", numbers),
    ("wide", "ids", ids),
    ("wide", "names", names),
    ("wide", "autonaming", autonaming),
    ("wide", "replacements", replacements),
    ("wide", "plans", plans),
    ("wide", "checks", checks),
    ("wide", "secrets", secrets),
    ("wide", "versions", versions),
    ("wide", "drift", drift),
    ("wide", "faults", faults),
    ("wide", "panic", panic),
    ("wide", "data", data),
    ("wide", "go crashes", secret_id),
    ("narrow", "introduction", |talk| introduction(talk, json!({}))),
    ("narrow", "shapes", shapes),
    ("narrow", "dynamic", dynamic),
    ("narrow", "numbers", numbers),
    ("narrow", "replacements", replacements),
    ("narrow", "secrets", secrets),
    ("narrow", "versions", versions),
    ("narrow", "data", data),
];

/// Begins with the world as the provider's directory.
pub(super) fn begin(talk: &mut Talk) {
    let world = talk.world();
    talk.begin(json!({"directory": world}));
}

fn configuration(talk: &mut Talk) {
    talk.parameterize();
    let urn = talk.provider_urn();
    let world = talk.world();
    for news in [
        json!({}),
        json!({"directory": world, "token": "t", "retries": 3, "verbose": true, "regions": ["a", "b"], "labels": {"x": "y"}}),
        json!({"directory": world, "retries": "3", "verbose": "true", "regions": "[\"a\"]", "labels": "{\"x\":\"y\"}"}),
        json!({"retries": "", "verbose": "", "regions": "", "labels": ""}),
        json!({"retries": "many"}),
        json!({"verbose": "maybe"}),
        json!({"token": secret(json!("t")), "oldToken": "old"}),
        json!({"endpoints": [{"serviceUrl": "u", "apiKey": "k"}, {"serviceUrl": "v"}]}),
        json!({"endpoints": "[{\"serviceUrl\":\"u\",\"apiKey\":\"k\"}]"}),
        json!({"endpoints": [{"apiKey": "k"}]}),
        json!({"endpoints": [{"serviceUrl": "u", "service_url": "v", "extra": 1}]}),
        json!({"regions": UNKNOWN, "token": UNKNOWN}),
        json!({"labels": {"x": UNKNOWN}}),
        json!({"labels": secret(json!({"x": "y"}))}),
        json!({"nothing": 1, "directory_": "a", "pluginDownloadURL": "u", "version": "1.0.0", "parameterization": "p", "name": "n"}),
    ] {
        talk.call("CheckConfig", json!({"urn": urn, "news": news, "olds": {}}));
    }
    let old = json!({"directory": world, "token": "t", "regions": "[\"a\",\"b\"]"});
    for new in [
        json!({"directory": world, "token": "u", "regions": "[\"a\",\"b\"]"}),
        json!({"directory": world, "token": "t", "regions": "[\"b\"]", "retries": "1"}),
        json!({"directory": "elsewhere"}),
        json!({"directory": UNKNOWN, "token": "t", "regions": "[\"a\",\"b\"]"}),
    ] {
        talk.call("DiffConfig", json!({"urn": urn, "olds": old, "news": new, "oldInputs": old}));
        talk.call(
            "DiffConfig",
            json!({"urn": urn, "olds": old, "news": new, "oldInputs": old, "ignoreChanges": ["token"]}),
        );
    }
    talk.configure(json!({"directory": "forbidden"}));
    talk.configure(old);
    let method = format!("{}/terraformConfig", "pulumi:providers:wide");
    talk.call("Call", json!({"tok": method, "args": {}}));
    talk.configure(json!({"directory": UNKNOWN, "labels": UNKNOWN}));
    let mut named = talk.resource("Named", "named");
    named.check(json!({"name": "a"}));
    named.preview();
}

fn shapes(talk: &mut Talk) {
    begin(talk);
    let all = json!({"aString": "text", "aBool": false, "anInt64": 7, "anInt32": 8, "aFloat64": 0.25, "aFloat32": 1.5, "aNumber": 9});
    let mut empty = all.clone();
    for (name, value) in empty.as_object_mut().unwrap() {
        *value = match name.as_str() {
            "aString" => json!(""),
            "aBool" => json!(false),
            _ => json!(0),
        };
    }
    let mut chosen = all.clone();
    chosen["either"] = json!("chosen");
    chosen["eitherKept"] = json!("chosen");
    talk.life("Primitives", "primitives", &[all.clone(), chosen, empty, json!({"aString": "only"}), all]);
    talk.life(
        "Defaults",
        "defaults",
        &[
            json!({}),
            json!({"text": "other", "flag": false, "whole": 0, "fraction": 1, "precise": 2, "words": []}),
            json!({"text": "", "words": ["one", "two"]}),
            json!({}),
        ],
    );
    talk.life("Collections", "collections", &[
        json!({
            "stringLists": ["a", "b"], "numberLists": [1, 2.5], "boolLists": [true, false], "stringSets": ["b", "a"], "numberSets": [3, 1],
            "stringMap": {"k": "v", "camelKey": "w", "snake_key": "x"}, "numberMap": {"k": 1}, "listOfLists": [["a"], []],
            "mapOfSets": {"k": ["b", "a"]}, "anObject": {"leftSide": "l", "rightSide": 1}, "objectLists": [{"leftSide": "l", "rightSide": 1}],
            "objectSets": [{"leftSide": "m", "rightSide": 2}, {"leftSide": "l", "rightSide": 1}],
            "objectMap": {"k_k": {"leftSide": "l", "rightSide": 1}}, "eitherMap": {"given": "v"},
        }),
        json!({
            "stringLists": ["b", "a", "c"], "stringSets": ["c", "a"], "stringMap": {"k": "changed"}, "listOfLists": [["a", "b"]],
            "objectSets": [{"leftSide": "l", "rightSide": 1}], "anObject": {"leftSide": "changed"}, "objectLists": [],
        }),
        json!({"stringLists": [], "stringSets": [], "stringMap": {}, "objectMap": {}, "boolLists": []}),
        json!({}),
    ]);
    talk.life("Blocks", "blocks", &[
        json!({
            "title": "t", "single": {"hostName": "h", "port": 1},
            "rules": [{"action": "allow", "matches": [{"prefix": "p", "weight": 1}, {"prefix": "q"}]}, {"action": "deny", "note": "n"}],
            "tags": [{"key": "b", "value": "2"}, {"key": "a", "value": "1"}],
        }),
        json!({"rules": [{"action": "deny"}], "tags": [{"key": "a", "value": "changed"}, {"key": "c"}], "single": {}}),
        json!({"rules": [], "tags": []}),
        json!({}),
    ]);
    for (kind, inputs) in [
        (
            "Primitives",
            json!({"aString": UNKNOWN, "aBool": UNKNOWN, "anInt64": UNKNOWN, "aFloat64": UNKNOWN, "either": UNKNOWN}),
        ),
        (
            "Collections",
            json!({"stringLists": UNKNOWN, "stringSets": UNKNOWN, "stringMap": UNKNOWN, "anObject": UNKNOWN, "objectSets": UNKNOWN}),
        ),
        (
            "Collections",
            json!({"stringLists": ["a", UNKNOWN], "stringSets": ["a", UNKNOWN], "stringMap": {"k": UNKNOWN}, "anObject": {"leftSide": UNKNOWN}, "objectSets": [{"leftSide": UNKNOWN, "rightSide": 1}]}),
        ),
        ("Blocks", json!({"single": UNKNOWN, "rules": UNKNOWN, "tags": UNKNOWN})),
        (
            "Blocks",
            json!({"single": {"hostName": UNKNOWN}, "rules": [{"action": UNKNOWN}, UNKNOWN], "tags": [{"key": UNKNOWN}]}),
        ),
        ("Primitives", json!({"aString": ["not a text"]})),
        ("Primitives", json!({"aString": 5, "aBool": "true", "anInt64": "7"})),
        ("Primitives", json!({"aString": true, "aBool": 1})),
        ("Primitives", json!({"aString": "a", "anInt64": 1.5})),
        ("Primitives", json!({"aString": "a", "anInt32": 3_000_000_000_u64})),
        ("Primitives", json!({"aString": null})),
        ("Primitives", json!({"aString": "a", "computedString": "given all the same", "id": "given too"})),
        ("Collections", json!({"stringLists": {"0": "a"}})),
        ("Collections", json!({"stringLists": "a"})),
        ("Collections", json!({"stringLists": [null, "a"]})),
        ("Collections", json!({"anObject": {"leftSide": "l", "noSuch": 1}})),
        ("Collections", json!({"string_list": ["terraform's name"]})),
        ("Blocks", json!({"rules": {"action": "not a list"}})),
        ("Blocks", json!({"rules": [{"note": "without action"}]})),
        ("Blocks", json!({"rules": [null]})),
        ("Blocks", json!({"single": [{"hostName": "a list"}]})),
    ] {
        let mut resource = talk.resource(kind, "tried");
        resource.check(inputs.clone());
        resource.inputs = inputs;
        resource.preview();
    }
}

fn dynamic(talk: &mut Talk) {
    begin(talk);
    talk.life(
        "Dynamic",
        "dynamic",
        &[
            json!({"anything": "text"}),
            json!({"anything": 5}),
            json!({"anything": 6, "either": true}),
            json!({"anything": 6, "either": false}),
            json!({"anything": ["a", "b"]}),
            json!({"anything": ["a", 1, true]}),
            json!({"anything": {"someKey": 1, "snake_key": {"deep": ["x"]}}}),
            json!({"anything": []}),
            json!({"anything": {}}),
            json!({"anything": false}),
            json!({}),
        ],
    );
    for inputs in [
        json!({"anything": UNKNOWN}),
        json!({"anything": {"a": UNKNOWN}}),
        json!({"anything": secret(json!("hidden"))}),
        json!({"anything": {"a": secret(json!("hidden"))}}),
        json!({"anything": [null, 1]}),
        json!({"anything": null}),
    ] {
        let mut resource = talk.resource("Dynamic", "tried");
        resource.check(inputs.clone());
        resource.inputs = inputs;
        resource.preview();
    }
}

fn numbers(talk: &mut Talk) {
    begin(talk);
    talk.life("Numbers", "numbers", &[
        json!({"bigWhole": 9_007_199_254_740_991_u64, "precise": 0.1, "largeInt64": 4_611_686_018_427_387_904_u64}),
        json!({"bigWhole": 1e300, "precise": -1e-300, "largeInt64": -9_007_199_254_740_993_i64, "numbers": [0.1, 1e21, 3]}),
        json!({"bigWhole": "123456789012345678901234567890", "precise": "0.1000000000000000055511151231257827", "largeInt64": "9223372036854775807"}),
        json!({"echoedBig": 5}),
    ]);
    // Somebody else writes numbers that no double has.
    let mut resource = talk.resource("Numbers", "exact");
    resource.check(json!({"bigWhole": 1}));
    resource.create();
    let file = format!("numbers/{}.json", resource.id);
    let id = resource.id.clone();
    let exact = format!(
        r#"{{"id":"{id}","big_whole":123456789012345678901234567891,"precise":3.14159265358979323846264338327950288,"large_int64":9223372036854775807,"numbers":[0.3,9007199254740993]}}"#
    );
    resource.talk().put(&file, Some(&exact));
    resource.refreshed();
    resource.diff_same();
    resource.import();
    let old = resource.inputs.clone();
    resource.check(json!({"bigWhole": 2, "precise": 3.5}));
    resource.diff(&old, &[]);
    resource.update(&old, true);
    resource.update(&old, false);
    resource.delete();
}

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
            json!({"value": "a", "timeouts": {"create": "5m"}}),
            json!({"value": "b", "timeouts": {"create": "6m", "delete": "1m"}}),
            json!({"value": "b"}),
        ],
    );
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
        named.call("Check", json!({"news": news, "autonaming": autonaming, "randomSeed": "c2VlZA=="}));
    }
    named.call("Check", json!({"news": {}, "olds": {"name": "old-name"}, "randomSeed": "c2VlZA=="}));
    named.call(
        "Check",
        json!({"news": {}, "olds": {"name": "old-name", "__defaults": ["name"]}, "randomSeed": "c2VlZA=="}),
    );
    named.call("Check", json!({"news": {"name": UNKNOWN}, "randomSeed": "c2VlZA=="}));
    named.call("Check", json!({"news": {"name": ""}, "randomSeed": "c2VlZA=="}));
    named.call("Check", json!({"news": {"name": null}, "randomSeed": "c2VlZA=="}));
    let mut conflicting = talk.resource("Conflicting", "c");
    conflicting.call("Check", json!({"news": {"name": "a", "namePrefix": "p"}, "randomSeed": "c2VlZA=="}));
    conflicting.call("Check", json!({"news": {"namePrefix": UNKNOWN}, "randomSeed": "c2VlZA=="}));
}

fn replacements(talk: &mut Talk) {
    begin(talk);
    let full = json!({
        "top": "a", "free": "a", "ifConfigured": "a", "wholeLists": ["a", "b"], "wholeSets": ["a", "b"],
        "items": [{"fixed": "a", "free": "a"}, {"fixed": "b"}], "members": [{"fixed": "a", "free": "a"}, {"fixed": "b"}],
    });
    let changes: [(&str, Value); 13] = [
        ("free", json!("b")),
        ("top", json!("b")),
        ("top", Value::Null),
        ("top", json!(UNKNOWN)),
        ("ifConfigured", json!("b")),
        ("ifConfigured", Value::Null),
        ("wholeLists", json!(["a", "c"])),
        ("wholeSets", json!(["b", "a", "c"])),
        ("items", json!([{"fixed": "a", "free": "b"}, {"fixed": "b"}])),
        ("items", json!([{"fixed": "c", "free": "a"}, {"fixed": "b"}])),
        ("items", json!([{"fixed": "a", "free": "a"}])),
        ("members", json!([{"fixed": "a", "free": "b"}, {"fixed": "b"}])),
        ("members", json!([{"fixed": "c", "free": "a"}, {"fixed": "b"}])),
    ];
    let mut resource = talk.resource("Replaced", "replaced");
    resource.check(full.clone());
    resource.preview();
    resource.create();
    resource.diff_same();
    let made = resource.inputs.clone();
    for (name, value) in changes {
        let mut news = full.clone();
        match value {
            Value::Null => drop(news.as_object_mut().unwrap().remove(name)),
            value => news[name] = value,
        }
        resource.inputs = made.clone();
        resource.check(news);
        resource.diff(&made, &[]);
        resource.diff(&made, &[name]);
        resource.update(&made, true);
    }
    resource.diff(&made, &["items[0].fixed"]);
    resource.diff(&made, &["items.0.fixed"]);
    resource.diff(&made, &["members[*].fixed"]);
    resource.diff(&made, &["*"]);
    resource.delete();
}

fn plans(talk: &mut Talk) {
    begin(talk);
    talk.life(
        "Planned",
        "planned",
        &[
            json!({"title": "a"}),
            json!({"title": "b"}),
            json!({"title": "doubtful"}),
            json!({"title": "new"}),
            json!({"title": "refused"}),
        ],
    );
    talk.life("Private", "private", &[json!({"value": "a"}), json!({"value": "b"}), json!({"value": "c"})]);
    let mut planned = talk.resource("Planned", "unknown");
    planned.check(json!({"title": UNKNOWN}));
    planned.preview();
    let mut private = talk.resource("Private", "refreshed");
    private.check(json!({"value": "a"}));
    private.create();
    private.refreshed();
    private.diff_same();
    private.change(json!({"value": "b"}));
    private.refreshed();
    private.import();
}

fn checks(talk: &mut Talk) {
    begin(talk);
    for inputs in [
        json!({"even": 2}),
        json!({"even": 3}),
        json!({"mood": "bad"}),
        json!({"mood": "worried"}),
        json!({"labels": {"wrong": "a", "right": "b"}}),
        json!({"parts": [{"partName": "a"}, {"partName": "b"}, {"partName": "c"}]}),
        json!({"even": 5, "mood": "bad", "labels": {"wrong": "a"}, "parts": [{}, {"partName": "b"}, {"partName": "c"}]}),
        json!({"even": UNKNOWN, "mood": UNKNOWN, "labels": UNKNOWN, "parts": UNKNOWN}),
        json!({"noSuchThing": 1, "alsoNot": {"a": 1}}),
    ] {
        let mut resource = talk.resource("Checked", "checked");
        resource.check(inputs.clone());
        resource.inputs = inputs;
        resource.preview();
    }
}

fn secrets(talk: &mut Talk) {
    begin(talk);
    talk.life(
        "Secret",
        "secret",
        &[
            json!({"label": "a", "password": "p", "secretMap": {"k": "v"}, "written": "w", "writtenAgain": 1}),
            json!({"label": "a", "password": "q", "secretMap": {"k": "changed"}, "written": "w2", "writtenAgain": 2}),
            json!({"label": secret(json!("a")), "password": secret(json!("q"))}),
            json!({}),
        ],
    );
    for inputs in [
        json!({"password": UNKNOWN, "written": UNKNOWN}),
        json!({"password": secret(json!(UNKNOWN))}),
        json!({"secretMap": {"k": secret(json!("v"))}}),
        json!({"written": 5}),
    ] {
        let mut resource = talk.resource("Secret", "tried");
        resource.check(inputs.clone());
        resource.call("Create", json!({"properties": inputs, "preview": true}));
        resource.call("Create", json!({"properties": resource.inputs.clone()}));
    }
}

fn versions(talk: &mut Talk) {
    begin(talk);
    talk.life("Versioned", "versioned", &[json!({"amount": 1}), json!({"amount": 2})]);
    let mut versioned = talk.resource("Versioned", "old");
    versioned.id = "some id".to_owned();
    versioned.inputs = json!({"amount": 4});
    let text = "{\"schema_version\":\"";
    for (version, properties) in [
        ("0", json!({"id": "some id", "countText": "four"})),
        ("1", json!({"id": "some id", "count": 4})),
        ("2", json!({"id": "some id", "amount": 4, "upgraded": true})),
        ("3", json!({"id": "some id", "amount": 4})),
        ("x", json!({"id": "some id", "amount": 4})),
    ] {
        let mut state = properties;
        state["__meta"] = json!(format!("{text}{version}\"}}"));
        versioned.state = state.clone();
        versioned.refresh();
        versioned.diff_same();
        let inputs = versioned.inputs.clone();
        versioned.update(&inputs, true);
        // With the raw state as the bridge of today writes it.
        state["__pulumi_raw_state_delta"] = json!({"obj": {}});
        versioned.state = state;
        versioned.diff_same();
        versioned.delete();
    }
    versioned.state = json!({"id": "some id", "amount": 4, "upgraded": true});
    versioned.diff_same();
    versioned.state = json!({"amount": 4, "__meta": 5});
    versioned.diff_same();
    versioned.state = json!({"id": "some id", "amount": 4, "__meta": "{\"schema_version\":\"2\"}", "__pulumi_raw_state_delta": {"nothing": {}}});
    versioned.diff_same();
}

fn drift(talk: &mut Talk) {
    begin(talk);
    let mut blocks = talk.resource("Blocks", "blocks");
    blocks.check(json!({"title": "mine", "rules": [{"action": "allow"}], "tags": [{"key": "a"}]}));
    blocks.create();
    let file = format!("blocks/{}.json", blocks.id);
    blocks.talk().edit(&file, |thing| {
        thing["title"] = json!("theirs");
        thing["rule"][0]["note"] = json!("added");
        thing["tag"] =
            json!([{"key": "a", "value": "set", "tag_id": "t1"}, {"key": "b", "value": null, "tag_id": "t2"}]);
        thing["single"] = json!({"host_name": "new", "port": 5});
    });
    blocks.refresh();
    blocks.import();
    blocks.refreshed();
    blocks.diff_same();
    blocks.change(json!({"title": "mine", "rules": [{"action": "allow"}], "tags": [{"key": "a"}]}));
    blocks.talk().edit(&file, |thing| thing["title"] = Value::Null);
    blocks.refresh();
    blocks.talk().put(&file, Some(r#"{"title": ["not a text"]}"#));
    blocks.refresh();
    blocks.import();
    blocks.talk().put(&file, None);
    blocks.refresh();
    blocks.import();
    blocks.delete();
    blocks.delete();
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
    faulty.check(json!({"value": "a", "other": "a"}));
    faulty.create();
    faulty.change(json!({"fault": "fail on update", "value": "b", "other": "b"}));
    faulty.refreshed();
    faulty.diff_same();
    faulty.change(json!({"fault": "warn", "value": "c", "other": "c"}));
    faulty.change(json!({"fault": "fail", "value": "d", "other": "d"}));
    faulty.change(json!({"fault": "fail on delete", "value": "e", "other": "e"}));
    faulty.delete();
    let mut hanging = talk.resource("Faulty", "hanging");
    hanging.check(json!({"fault": "hang", "until": until}));
    let properties = hanging.inputs.clone();
    hanging.call_for(1.0, "Create", json!({"properties": properties}));
    hanging.talk().put("go on", Some(""));
    hanging.create();
    hanging.delete();
}

fn panic(talk: &mut Talk) {
    begin(talk);
    let mut faulty = talk.resource("Faulty", "panic");
    faulty.check(json!({"fault": "panic"}));
    faulty.preview();
    faulty.create();
    faulty.check(json!({}));
    faulty.preview();
    faulty.refresh();
    faulty.delete();
    talk.invoke("getLookup", json!({"name": "a"}));
}

fn data(talk: &mut Talk) {
    begin(talk);
    for (function, args) in [
        ("getLookup", json!({"name": "a"})),
        (
            "getLookup",
            json!({"name": "a", "made": "given", "tags": ["t"], "filters": [{"field": "f", "values": ["v"]}, {"field": "g"}]}),
        ),
        ("getLookup", json!({"name": "missing"})),
        ("getLookup", json!({"name": "warned"})),
        ("getLookup", json!({})),
        ("getLookup", json!({"name": UNKNOWN})),
        ("getLookup", json!({"name": "a", "filters": [{"values": ["v"]}]})),
        ("getLookup", json!({"name": "a", "filters": UNKNOWN})),
        ("getLookup", json!({"name": 5})),
        ("getLookup", json!({"name": "a", "noSuch": 1})),
        ("getLookup", json!({"name": secret(json!("a"))})),
        ("getVault", json!({"name": "a"})),
        ("getTwinThing", json!({"name": "a"})),
        ("getTwinThing", json!({"name": "a", "id": "given"})),
        ("getTwinthingV2", json!({"name": "a"})),
        ("getAnything", json!({"name": "a", "given": {"someKey": [1, "two"]}})),
        ("getAnything", json!({"name": "a", "given": UNKNOWN})),
        ("getAnything", json!({"name": "a"})),
    ] {
        talk.invoke(function, args);
    }
}
