//! Changes of existing resources: the providers on the plugin framework.

use serde_json::{Value, json};

use super::Listed;
use super::framed::begin;
use crate::peers::differential::talk::{Talk, UNKNOWN, secret};

pub(super) const SCENARIOS: &[Listed] = &[
    ("wide", "replacements", replacements),
    ("wide", "plans", plans),
    ("wide", "checks", checks),
    ("wide", "secrets", secrets),
    ("wide", "versions", versions),
    ("wide", "drift", drift),
    ("wide", "faults", faults),
    ("wide", "panic", panic),
    ("narrow", "replacements", replacements),
    ("narrow", "secrets", secrets),
    ("narrow", "versions", versions),
];

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
