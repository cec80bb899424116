//! The providers on the plugin framework: `wide` over protocol 6 and `narrow` over protocol 5.

use serde_json::{Value, json};

use super::Listed;
use crate::peers::differential::introduction;
use crate::peers::differential::talk::{Talk, UNKNOWN, secret};

pub(super) const SCENARIOS: &[Listed] = &[
    ("wide", "introduction", |talk| introduction(talk, json!({}))),
    ("wide", "configuration", configuration),
    ("wide", "shapes", shapes),
    ("wide", "dynamic", dynamic),
    ("wide", "numbers", numbers),
    ("wide", "data", data),
    ("narrow", "introduction", |talk| introduction(talk, json!({}))),
    ("narrow", "shapes", shapes),
    ("narrow", "dynamic", dynamic),
    ("narrow", "numbers", numbers),
    ("narrow", "data", data),
];

/// Begins with the world as the provider's directory.
pub(super) fn begin(talk: &mut Talk) {
    let world = talk.world();
    talk.begin(json!({"directory": world}));
}

/// Existing blocks that become unknown.
pub(super) fn become_unknown(talk: &mut Talk, full: &Value, changes: &[(&str, Value)]) {
    let mut blocks = talk.resource("Blocks", "existing");
    blocks.check(full.clone());
    blocks.create();
    let made = blocks.inputs.clone();
    for (name, value) in changes {
        blocks.inputs = made.clone();
        blocks.inputs[name] = value.clone();
        blocks.diff(&made, &[]);
        blocks.update(&made, true);
    }
    blocks.inputs = made;
    blocks.delete();
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
        json!({"labels": json!({"x": secret(json!("y"))}).to_string()}),
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
    talk.method("terraformConfig", json!({}));
    talk.configure(json!({"directory": UNKNOWN, "labels": UNKNOWN}));
    talk.method("terraformConfig", json!({}));
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
    become_unknown(
        talk,
        &json!({
            "single": {"hostName": "h"}, "rules": [{"action": "allow", "matches": [{"prefix": "p"}]}, {"action": "deny"}],
            "tags": [{"key": "b", "value": "2"}, {"key": "a"}],
        }),
        &[
            ("single", json!(UNKNOWN)),
            ("rules", json!(UNKNOWN)),
            ("rules", json!([UNKNOWN, {"action": "deny"}])),
            ("rules", json!([{"action": "allow", "matches": [UNKNOWN]}, {"action": "deny"}])),
            ("tags", json!(UNKNOWN)),
            ("tags", json!([UNKNOWN, {"key": "a"}])),
        ],
    );
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
    // Another program writes numbers that no double can hold.
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
