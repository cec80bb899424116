use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::Listed;
use crate::peers::differential::introduction;
use crate::peers::differential::talk::{Talk, UNKNOWN, secret};

pub(super) const SCENARIOS: &[Listed] = &[
    ("random", "introduction", |talk| introduction(talk, json!({}))),
    ("random", "lives", lives),
    ("random", "unknowns", unknowns),
    ("random", "secrets", secrets),
    ("random", "mistakes", mistakes),
    ("random", "crash", crash),
    ("random", "parameters", parameters),
    ("random", "parameters by value", by_value),
    ("random", "nothing included", nothing_included),
];

fn lives(talk: &mut Talk) {
    talk.begin(json!({}));
    talk.life("Pet", "pet", &[json!({}), json!({"length": 3}), json!({"length": 3, "prefix": "a", "separator": "_"})]);
    talk.life(
        "String",
        "string",
        &[
            json!({"length": 8}),
            json!({"length": 8, "keepers": {"a": "1", "camelCase": "2", "snake_case": "3"}}),
            json!({"length": 12, "special": false, "minUpper": 2, "overrideSpecial": "!?"}),
        ],
    );
    talk.life("Password", "password", &[json!({"length": 9, "numeric": true}), json!({"length": 10, "number": false})]);
    talk.life(
        "Integer",
        "integer",
        &[json!({"min": 1, "max": 1_000_000_000}), json!({"min": 5, "max": 5, "seed": "a"})],
    );
    talk.life(
        "Shuffle",
        "shuffle",
        &[
            json!({"inputs": ["a", "b", "c"], "seed": "fixed"}),
            json!({"inputs": ["a", "b", "c", "d"], "seed": "fixed", "resultCount": 2}),
        ],
    );
    talk.life("Id", "id", &[json!({"byteLength": 4}), json!({"byteLength": 4, "prefix": "p-"})]);
    talk.life("Uuid", "uuid", &[json!({}), json!({"keepers": {"a": "1"}})]);
    talk.life("Bytes", "bytes", &[json!({"length": 5}), json!({"length": 6})]);
}

fn unknowns(talk: &mut Talk) {
    talk.begin(json!({}));
    for (kind, inputs) in [
        ("Pet", json!({"length": UNKNOWN, "prefix": "a"})),
        ("String", json!({"length": 4, "keepers": UNKNOWN})),
        ("String", json!({"length": 4, "keepers": {"a": UNKNOWN}})),
        ("Integer", json!({"min": UNKNOWN, "max": UNKNOWN})),
        ("Shuffle", json!({"inputs": UNKNOWN})),
        ("Shuffle", json!({"inputs": ["a", UNKNOWN]})),
    ] {
        let mut resource = talk.resource(kind, "unknown");
        resource.check(inputs);
        resource.preview();
    }
    let mut pet = talk.resource("Pet", "known-before");
    pet.check(json!({"length": 1}));
    pet.create();
    let old = pet.inputs.clone();
    pet.check(json!({"length": UNKNOWN}));
    pet.diff(&old, &[]);
    pet.diff(&old, &["length"]);
    pet.update(&old, true);
}

fn secrets(talk: &mut Talk) {
    talk.begin(json!({}));
    talk.life(
        "Pet",
        "pet",
        &[
            json!({"prefix": secret(json!("a"))}),
            json!({"prefix": secret(json!("b")), "keepers": secret(json!({"a": "b"}))}),
        ],
    );
    let mut password = talk.resource("Password", "password");
    password.check(json!({"length": secret(json!(5))}));
    let inputs = password.inputs.clone();
    // An engine does not do this after the answer to `Configure`, but it is answered.
    password.call("Create", json!({"properties": inputs, "preview": true}));
    password.create();
    let state = password.state.clone();
    let id = password.id.clone();
    password.call("Diff", json!({"id": id, "olds": state, "news": {"length": secret(json!(5))}, "oldInputs": inputs}));
    password.call("Read", json!({"id": id, "properties": state, "inputs": inputs}));
    password.call("Read", json!({"id": "imported password"}));
}

fn mistakes(talk: &mut Talk) {
    talk.begin(json!({}));
    for (kind, inputs) in [
        ("Pet", json!({"length": "three"})),
        ("Pet", json!({"lenght": 3})),
        ("Pet", json!({"length": "3"})),
        ("Pet", json!({"length": 1.5})),
        ("Pet", json!({"length": true})),
        ("Pet", json!({"length": null})),
        ("Pet", json!({"prefix": 7})),
        ("Pet", json!({"prefix": ["a"]})),
        ("String", json!({})),
        ("String", json!({"length": 0})),
        ("String", json!({"length": 4, "minLower": 9})),
        ("String", json!({"length": 4, "numeric": true, "number": false})),
        ("String", json!({"length": 4, "keepers": ["a"]})),
        ("String", json!({"length": 4, "keepers": {"a": 1, "b": true, "c": null}})),
        ("Password", json!({"length": -1})),
        ("Shuffle", json!({})),
        ("Integer", json!({"min": 9, "max": 1})),
    ] {
        let mut resource = talk.resource(kind, "mistaken");
        resource.check(inputs.clone());
        resource.inputs = inputs;
        resource.preview();
    }
    let mut string = talk.resource("String", "string");
    string.id = "abc".to_owned();
    string.import();
    string.refresh();
    string.state = json!({"length": 3, "result": "abc", "__meta": "{\"schema_version\":\"99\"}"});
    string.refresh();
    string.diff_same();
    string.state = json!({"length": 3, "result": "abc", "__meta": "not JSON"});
    string.refresh();
    string.state = json!({"length": "a", "result": "abc", "extra": 1});
    string.refresh();
    string.delete();
    let mut uuid = talk.resource("Uuid", "uuid");
    uuid.id = "not a uuid".to_owned();
    uuid.import();
    uuid.id = "8d31ed26-1b1b-4e2c-a3a4-11a9ab9bd6a3".to_owned();
    uuid.import();
    // State as an older version of the provider wrote it.
    let mut old = talk.resource("Password", "old");
    old.id = "none".to_owned();
    old.state = json!({"id": "none", "length": 3, "result": "abc", "__meta": "{\"schema_version\":\"1\"}"});
    old.inputs = json!({"length": 3});
    old.refresh();
    old.diff_same();
    let inputs = old.inputs.clone();
    old.update(&inputs, true);
}

/// Inputs that the check refuses make the provider crash, and nothing works afterwards.
fn crash(talk: &mut Talk) {
    talk.begin(json!({}));
    let mut string = talk.resource("String", "string");
    string.inputs = json!({"length": 4, "minLower": 9});
    string.create();
    string.check(json!({"length": 1}));
    string.preview();
    string.import();
    string.delete();
    talk.call("Cancel", json!({}));
}

fn parameters(talk: &mut Talk) {
    let program = talk.program();
    for args in [
        json!(["--help"]),
        json!(["./no/such/terraform-provider-a"]),
        json!(["/bin/sh"]),
        json!([program, "1.0.0"]),
        json!(["a/b/c/d"]),
        json!(["hashicorp/random", "not a version"]),
        json!([program, "--no-such-flag"]),
    ] {
        talk.call("Parameterize", json!({"args": {"args": args}}));
    }
    for value in
        ["", "e30=", "bm90IEpTT04=", "eyJsb2NhbCI6eyJwYXRoIjoiIn19", "eyJsb2NhbCI6eyJwYXRoIjoiL2Jpbi9zaCJ9fQ=="]
    {
        talk.call("Parameterize", json!({"value": {"name": "random", "version": "0.0.0", "value": value}}));
    }
    let args = json!([program, "--include", "random_pet,random_uuid", "--provider-name", "renamed"]);
    talk.call("Parameterize", json!({"args": {"args": args}}));
    talk.call("GetSchema", json!({}));
    talk.configure(json!({}));
    let token = "renamed:index/pet:Pet";
    let urn = format!("urn:pulumi:dev::differential::{token}::pet");
    talk.call("Check", json!({"urn": urn, "name": "pet", "type": token, "news": {}}));
    talk.call(
        "Create",
        json!({"urn": urn, "name": "pet", "type": token, "properties": {"prefix": "a"}, "preview": true}),
    );
}

/// As an SDK does it, which has the parameters in it.
fn by_value(talk: &mut Talk) {
    let value = json!({"local": {"path": talk.program()}, "includes": ["random_pet"], "providerName": "renamed"});
    let value = STANDARD.encode(value.to_string());
    talk.call("Parameterize", json!({"value": {"name": "renamed", "version": "0.0.0", "value": value}}));
    talk.call("GetSchema", json!({"subpackageName": "renamed", "subpackageVersion": "0.0.0"}));
    talk.call("GetSchema", json!({"version": 1}));
    talk.call("GetMapping", json!({"key": "terraform", "provider": "renamed"}));
}

fn nothing_included(talk: &mut Talk) {
    let args = [talk.program(), "--include".to_owned(), "random_pet,random_nothing".to_owned()];
    talk.call("Parameterize", json!({"args": {"args": args}}));
    talk.call("GetSchema", json!({}));
}
