//! Behaviour that no framework would let a provider have.

use serde_json::json;

use super::Listed;
use super::framed::{become_unknown, begin};
use crate::peers::differential::introduction;
use crate::peers::differential::talk::{Talk, UNKNOWN};

pub(super) const SCENARIOS: &[Listed] = &[
    ("crude", "introduction", |talk| introduction(talk, json!({}))),
    ("crude", "blocks", blocks),
    ("crude", "lies", lies),
    ("crude", "places", places),
    ("crude", "imports", imports),
    ("crude", "go crashes", optional_attributes),
];

fn blocks(talk: &mut Talk) {
    begin(talk);
    let text = |text: &str| json!({"someText": text});
    talk.life("Blocks", "blocks", &[
        json!({
            "title": "t", "single": text("a"), "neededSingle": text("a"), "group": text("a"), "items": [text("a"), text("b")], "onlyItem": text("a"),
            "members": [text("b"), text("a")], "onlyMember": text("a"), "keyed": {"k": text("a"), "camelKey": text("b")},
        }),
        json!({"title": "t", "neededSingle": text("b"), "items": [text("b")], "onlyItem": text("b"), "members": [text("c")], "keyed": {"l": text("c")}}),
        json!({"title": "t", "neededSingle": {}, "items": [], "members": [], "keyed": {}}),
        json!({"title": "u"}),
    ]);
    become_unknown(
        talk,
        &json!({
            "title": "e", "single": text("a"), "neededSingle": text("a"), "group": text("a"), "items": [text("a"), text("b")],
            "onlyItem": text("a"), "members": [text("b"), text("a")], "onlyMember": text("a"), "keyed": {"k": text("a")},
        }),
        &["single", "neededSingle", "group", "items", "onlyItem", "members", "onlyMember", "keyed"]
            .map(|name| (name, json!(UNKNOWN))),
    );
    talk.life(
        "Nested",
        "nested",
        &[
            json!({"settings": [text("a"), text("b")], "object": {"needed": "n", "inners": [{"deepText": "d"}]}}),
            json!({"settings": [text("b")], "object": {"needed": "n", "sparePart": 1}}),
            json!({"object": {"sparePart": 1, "inner": [{"deepText": "d"}]}}),
            json!({}),
        ],
    );
    for inputs in [
        json!({"single": UNKNOWN, "group": UNKNOWN, "items": UNKNOWN, "onlyItem": UNKNOWN, "onlyMember": UNKNOWN, "keyed": UNKNOWN}),
        json!({"single": text(UNKNOWN), "onlyItem": text(UNKNOWN), "members": [text(UNKNOWN)], "keyed": {"k": text(UNKNOWN)}}),
        json!({"onlyItem": [text("a")]}),
        json!({"onlyItem": [text("a"), text("b")]}),
        json!({"members": [text("a"), text("b"), text("c"), text("d")]}),
    ] {
        let mut resource = talk.resource("Blocks", "tried");
        resource.check(inputs.clone());
        resource.inputs = inputs;
        resource.preview();
    }
}

fn lies(talk: &mut Talk) {
    begin(talk);
    for kind in [
        "Plain",
        "InconsistentPlan",
        "InconsistentApply",
        "UnknownAfterApply",
        "WrongType",
        "NullAfterApply",
        "Partial",
        "Json",
        "OddReplacement",
    ] {
        talk.life(
            kind,
            kind,
            &[
                json!({"value": "a", "amount": 1, "words": ["x"], "labels": {"a": "b"}}),
                json!({"value": "b", "amount": 2, "words": ["y"], "labels": {"a": "c"}}),
            ],
        );
    }
}

fn optional_attributes(talk: &mut Talk) {
    begin(talk);
    talk.resource("Spare", "spare").check(json!({"object": {"needed": "n"}}));
}

fn places(talk: &mut Talk) {
    begin(talk);
    talk.life("Places", "warned", &[json!({"value": "right", "words": ["a", "b"]}), json!({"value": "still right"})]);
    let mut wrong = talk.resource("Places", "wrong");
    wrong.check(json!({"value": "wrong"}));
    wrong.inputs = json!({"value": "wrong"});
    wrong.preview();
    wrong.create();
}

fn imports(talk: &mut Talk) {
    begin(talk);
    for kind in ["Plain", "TwoImported", "NoneImported"] {
        let mut resource = talk.resource(kind, "imported");
        resource.check(json!({"value": "a"}));
        resource.create();
        resource.import();
        resource.id = "nothing like it".to_owned();
        resource.import();
    }
}
