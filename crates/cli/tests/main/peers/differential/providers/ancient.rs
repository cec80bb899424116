//! Version 1 of the old SDK.

use serde_json::json;

use super::Listed;
use super::classic::{panic, some_limits};
use super::framed::begin;
use crate::peers::differential::introduction;
use crate::peers::differential::talk::Talk;

pub(super) const SCENARIOS: &[Listed] = &[
    ("ancient", "introduction", |talk| introduction(talk, json!({}))),
    ("ancient", "lives", lives),
    ("ancient", "panic", panic),
];

fn lives(talk: &mut Talk) {
    begin(talk);
    talk.life(
        "Primitives",
        "primitives",
        &[
            json!({"aString": "a", "aBool": true, "anInt": 5, "aFloat": 0.5, "hidden": "h"}),
            json!({"aString": "b", "aBool": false, "anInt": 0, "either": "chosen", "old": "deprecated"}),
            json!({"aString": "b", "fixed": "now"}),
        ],
    );
    talk.life("Collections", "collections", &[
        json!({"stringLists": ["a", "b"], "stringSets": ["b", "a"], "stringMap": {"k": "v"}, "rules": [{"action": "a", "weight": 1}], "settings": {"level": 2}, "tags": [{"key": "b"}, {"key": "a", "value": "1"}]}),
        json!({"stringLists": [], "rules": [{"action": "b"}], "settings": {}, "tags": [{"key": "a", "value": "2"}]}),
        json!({}),
    ]);
    talk.life("Named", "named", &[json!({}), json!({"name": "given"})]);
    let limits = json!({"create": "3m", "delete": "1m"});
    talk.life("Slow", "slow", &[json!({"value": "a", "timeouts": limits}), json!({"value": "b"})]);
    some_limits(talk);
    talk.life("Versioned", "versioned", &[json!({"amount": "1"}), json!({"amount": "2"})]);
    for fault in ["fail", "fail after create"] {
        let mut faulty = talk.resource("Faulty", fault);
        faulty.check(json!({"fault": fault, "value": "a"}));
        faulty.preview();
        faulty.create();
    }
    let mut versioned = talk.resource("Versioned", "old");
    versioned.id = "some id".to_owned();
    versioned.inputs = json!({"amount": "4"});
    versioned.state = json!({"versionedId": "some id", "count": "4"});
    versioned.diff_same();
    talk.invoke("getLookup", json!({"name": "a"}));
    talk.invoke("getLookup", json!({"name": "missing"}));
}
