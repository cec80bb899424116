use serde_json::json;

use super::Listed;
use crate::peers::differential::introduction;
use crate::peers::differential::talk::{Talk, UNKNOWN, secret};

pub(super) const SCENARIOS: &[Listed] =
    &[("null", "introduction", |talk| introduction(talk, json!({}))), ("null", "lives", lives)];

fn lives(talk: &mut Talk) {
    talk.begin(json!({}));
    talk.life(
        "Resource",
        "a",
        &[json!({}), json!({"triggers": {"a": "1"}}), json!({"triggers": {"a": "2", "b_c": "3", "bC": "4"}})],
    );
    talk.life("Resource", "b", &[json!({"triggers": {"a": secret(json!("1"))}}), json!({})]);
    let mut resource = talk.resource("Resource", "c");
    resource.check(json!({"triggers": {"a": UNKNOWN}}));
    resource.preview();
    resource.check(json!({"triggers": UNKNOWN}));
    resource.preview();
    resource.check(json!({"resourceId": "mine"}));
    resource.create();
    talk.invoke("getDataSource", json!({"inputs": {"a": "b"}}));
    talk.invoke("getDataSource", json!({"inputs": {"a": "b"}, "hasComputedDefault": "given"}));
    talk.invoke("getDataSource", json!({"inputs": "not a map"}));
    talk.invoke("getDataSource", json!({"inputs": {"a": UNKNOWN}}));
    talk.invoke("getDataSource", json!({"nothing": 1}));
    talk.method("terraformConfig", json!({"__self__": "a"}));
}
