//! Documents of made-up providers, with features that Pulumi's bridge does not have.

use std::sync::Arc;

use outrigger_bridge::Naming;
use outrigger_bridge::document::{About, write_document};
use outrigger_bridge::resources::Id;
use outrigger_bridge::tokens::Selection;
use serde_json::{Value, json};

use super::encoded::{Attribute, Block, Function, Provider, attribute};

pub(crate) fn document(provider: &Provider) -> (Naming, Vec<u8>) {
    let naming = Naming::new("x", Arc::new(provider.schemas()), &Selection::default()).unwrap();
    let about =
        About { version: &semver::Version::new(2, 0, 0), base_version: "v1.2.3", parameter: b"{}", origin: None };
    let mut bytes = Vec::new();
    write_document(&naming, &about, &mut bytes).unwrap();
    (naming, bytes)
}

fn parsed(provider: &Provider) -> Value {
    serde_json::from_slice(&document(provider).1).unwrap()
}

#[test]
fn functions_have_arguments_by_their_places() {
    let pair = r#"["object",{"left_part":"string","tag":["list",["object",{"key":"string"}]]}]"#;
    let join = Function {
        parameters: vec![("some_text", r#""string""#, false), ("limit", r#""number""#, true)],
        variadic: Some(("part", pair, false)),
        result: r#"["map","string"]"#,
    };
    let split = Function { parameters: Vec::new(), variadic: None, result: pair };
    let functions = vec![("join_all".to_owned(), join), ("split".to_owned(), split)];
    let read = parsed(&Provider { functions, ..Provider::default() });
    let expected = json!({
        "description": "In short.\n",
        "inputs": {
            "properties": {
                "someText": {"type": "string"},
                "limit": {"type": "number"},
                "part": {"type": "array", "items": {"$ref": "#/types/x:index/joinAllPart:joinAllPart"}},
            },
            "type": "object",
            "required": ["someText"],
        },
        "multiArgumentInputs": ["someText", "limit", "part"],
        "outputs": {
            "properties": {"result": {"type": "object", "additionalProperties": {"type": "string"}}},
            "type": "object",
            "required": ["result"],
        },
    });
    assert_eq!(read["functions"]["x:index/joinAll:joinAll"], expected);
    let result = json!({
        "properties": {
            "leftPart": {"type": "string"},
            "tags": {"type": "array", "items": {"$ref": "#/types/x:index/splitResultTags:splitResultTags"}},
        },
        "type": "object",
        "required": ["leftPart", "tags"],
    });
    assert_eq!(read["functions"]["x:index/split:split"]["outputs"], result);
    let types: Vec<&String> = read["types"].as_object().unwrap().keys().collect();
    let expected = [
        "x:index/joinAllPart:joinAllPart",
        "x:index/joinAllPartTags:joinAllPartTags",
        "x:index/splitResultTags:splitResultTags",
    ];
    assert_eq!(types, expected);
}

#[test]
fn what_the_provider_says_of_something_deprecated_is_kept() {
    let deprecated = |name, reason| Attribute { deprecation: Some(reason), ..attribute(name, r#""string""#, "o") };
    let attributes = vec![deprecated("old", "Use `new_one` instead."), deprecated("older", "")];
    let resources = vec![("x_a".to_owned(), Block { attributes, ..Block::default() })];
    let read = parsed(&Provider { resources, ..Provider::default() });
    let inputs = &read["resources"]["x:index/a:A"]["inputProperties"];
    let reason = inputs["old"]["deprecationMessage"].as_str().unwrap();
    assert!(reason.starts_with("Use <span") && reason.contains("`newOne`"), "{reason}");
    assert_eq!(inputs["older"]["deprecationMessage"], "Deprecated");
}

#[test]
fn a_tuple_is_anything() {
    let attributes = vec![attribute("both", r#"["list",["tuple",["string","number"]]]"#, "c")];
    let resources = vec![("x_a".to_owned(), Block { attributes, ..Block::default() })];
    let read = parsed(&Provider { resources, ..Provider::default() });
    let expected = json!({"type": "array", "items": {"$ref": "pulumi.json#/Any"}});
    assert_eq!(read["resources"]["x:index/a:A"]["properties"]["boths"], expected);
}

#[test]
fn what_is_asked_for_is_named_once() {
    let attributes = vec![attribute("id", r#""string""#, "oc")];
    let resources = vec![("x_a".to_owned(), Block { attributes, ..Block::default() })];
    let (naming, _) = document(&Provider { resources, ..Provider::default() });
    let first = naming.resource("x:index/a:A").unwrap().unwrap();
    assert!(Arc::ptr_eq(&first, &naming.resource("x:index/a:A").unwrap().unwrap()));
    assert_eq!(first.id, Id::Property("aId".into()));
    assert!(naming.resource("x:index/b:B").unwrap().is_none());
    assert!(naming.data_source("x:index/getA:getA").unwrap().is_none());
}
