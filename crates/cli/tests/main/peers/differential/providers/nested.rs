//! Attributes that are objects: the provider `wide`, protocol 6 only.

use serde_json::json;

use super::Listed;
use super::framed::begin;
use crate::peers::differential::talk::{Talk, UNKNOWN, secret};

pub(super) const SCENARIOS: &[Listed] = &[
    ("wide", "nested", nested),
    ("wide", "nested unknowns", unknowns),
    ("wide", "nested changes", changes),
    ("wide", "functions", functions),
];

fn nested(talk: &mut Talk) {
    begin(talk);
    let member = |text: &str| json!({"given": text, "free": "f", "hidden": "h"});
    talk.life("Nested", "nested", &[
        json!({"single": member("a"), "items": [member("a"), member("b")], "uniques": [member("b"), member("a")], "keyed": {"k": member("a"), "camelKey": member("b")}}),
        json!({"single": {"given": "a", "either": "chosen", "assumed": "chosen"}, "items": [member("b")], "uniques": [member("a"), member("c")], "keyed": {"k": {"given": "changed"}}}),
        json!({"items": [], "uniques": [], "keyed": {}}),
        json!({"single": {"given": "a", "oldText": "deprecated"}}),
    ]);
    talk.life(
        "NestedMade",
        "made",
        &[
            json!({"label": "a"}),
            json!({"label": "b", "eithers": [{"left": "l"}, {"free": "f"}]}),
            json!({"label": "b"}),
        ],
    );
    talk.life(
        "NestedDeep",
        "deep",
        &[
            json!({"outer": {"a": {"middles": [{"inner": {"words": ["y", "x"], "someValue": 1}}, {}]}, "b": {}}}),
            json!({"outer": {"a": {"middles": [{"inner": {"words": ["x"], "someValue": 2}}]}}}),
            json!({"outer": {}}),
        ],
    );
    talk.life(
        "NestedSecret",
        "secret",
        &[
            json!({"vault": {"userName": "u", "password": "p"}, "login": {"userName": "u", "password": "p"}}),
            json!({"vault": {"userName": "u", "password": secret(json!("q"))}, "login": {"userName": "v"}}),
        ],
    );
}

fn unknowns(talk: &mut Talk) {
    begin(talk);
    for (kind, inputs) in [
        ("Nested", json!({"single": UNKNOWN, "items": UNKNOWN, "uniques": UNKNOWN, "keyed": UNKNOWN})),
        (
            "Nested",
            json!({"single": {"given": UNKNOWN}, "items": [UNKNOWN, {"given": UNKNOWN}], "uniques": [{"given": UNKNOWN}], "keyed": {"k": {"given": UNKNOWN}}}),
        ),
        ("Nested", json!({"single": {}, "items": [{}], "uniques": [{"free": "f"}], "keyed": {"k": {}}})),
        ("Nested", json!({"single": "text"})),
        ("Nested", json!({"items": {}})),
        ("Nested", json!({"uniques": 1})),
        ("Nested", json!({"keyed": [{"given": "a"}]})),
        ("NestedMade", json!({"eithers": UNKNOWN})),
        ("NestedMade", json!({"label": UNKNOWN})),
        ("NestedDeep", json!({"outer": {"a": {"middles": [{"inner": UNKNOWN}]}}})),
    ] {
        let mut resource = talk.resource(kind, "tried");
        resource.check(inputs.clone());
        resource.inputs = inputs;
        resource.preview();
    }
}

fn changes(talk: &mut Talk) {
    begin(talk);
    let mut resource = talk.resource("NestedReplaced", "replaced");
    let one = |fixed: &str, free: &str| json!({"fixed": fixed, "free": free});
    resource.check(
        json!({"single": one("a", "a"), "uniques": [one("a", "a"), one("b", "b")], "keyed": {"k": one("a", "a")}}),
    );
    resource.create();
    let made = resource.inputs.clone();
    for (name, value) in [
        ("single", one("a", "b")),
        ("single", one("b", "a")),
        ("uniques", json!([one("a", "changed"), one("b", "b")])),
        ("uniques", json!([one("changed", "a"), one("b", "b")])),
        ("uniques", json!([one("b", "b"), one("a", "a")])),
        ("uniques", json!([one("b", "b"), {"fixed": UNKNOWN}])),
        ("keyed", json!({"k": one("a", "b")})),
        ("keyed", json!({"k": one("b", "a")})),
        ("keyed", json!({"l": one("a", "a")})),
    ] {
        let mut news = made.clone();
        news[name] = value;
        resource.inputs = made.clone();
        resource.check(news);
        resource.diff(&made, &[]);
        resource.update(&made, true);
    }
    resource.delete();
}

fn functions(talk: &mut Talk) {
    begin(talk);
    for (function, args) in [
        ("double", json!({"aNumber": 21})),
        ("joinedUp", json!({"separator": "+", "parts": ["a", "b"]})),
        ("described", json!({"word": "word"})),
        ("picky", json!({"first": "a", "second": "b"})),
    ] {
        talk.invoke(function, args);
    }
}
