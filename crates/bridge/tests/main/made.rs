//! Documents of providers that were made up: what Pulumi's bridge does not have, and whatever chance brings.

use std::collections::BTreeSet;
use std::sync::Arc;

use outrigger_bridge::Naming;
use outrigger_bridge::document::{About, write_document};
use outrigger_bridge::members::Id;
use outrigger_bridge::tokens::Selection;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::encoded::{Attribute, Block, Function, Holds, Provider, attribute};

fn document(provider: &Provider) -> (Naming, Vec<u8>) {
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
        "outputs": {"type": "object", "additionalProperties": {"type": "string"}},
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

const NAMES: &[&str] = &[
    "a",
    "aB",
    "a_b",
    "a__b",
    "hive",
    "rule",
    "rules",
    "id",
    "urn",
    "pulumi",
    "pulumi_info",
    "name",
    "key-two",
    "_x",
    "y_",
    "status",
];

fn any_name() -> impl Strategy<Value = String> {
    proptest::sample::select(NAMES).prop_map(str::to_owned)
}

fn any_type() -> impl Strategy<Value = String> {
    let leaf = proptest::sample::select(&["string", "number", "bool", "dynamic"]).prop_map(|ty| json!(ty));
    let nested = leaf.prop_recursive(3, 12, 3, |inner| {
        let collection = (proptest::sample::select(&["list", "set", "map"]), inner.clone());
        let object = proptest::collection::btree_map(any_name(), inner.clone(), 0..4);
        let tuple = proptest::collection::vec(inner, 0..3);
        prop_oneof![
            collection.prop_map(|(kind, element)| json!([kind, element])),
            object.prop_map(|members| json!(["object", members])),
            tuple.prop_map(|elements| json!(["tuple", elements])),
        ]
    });
    nested.prop_map(|ty| ty.to_string())
}

fn any_attribute() -> impl Strategy<Value = Attribute> {
    let flags = proptest::sample::select(&["r", "o", "oc", "c", "rw", "os", ""]);
    let description = proptest::sample::select(&["", "See `x_a`.", "Two\nlines"]);
    let plain = (any_name(), any_type(), flags, description)
        .prop_map(|(name, ty, flags, description)| Attribute { description, ..attribute(&name, &ty, flags) });
    plain.prop_recursive(2, 8, 3, |inner| {
        (any_name(), 1..5_u64, proptest::collection::vec(inner, 0..4)).prop_map(|(name, nesting, attributes)| {
            Attribute { holds: Holds::Nested(nesting, attributes), ..attribute(&name, "", "o") }
        })
    })
}

fn any_block() -> impl Strategy<Value = Block> {
    let attributes = || proptest::collection::vec(any_attribute(), 0..5);
    let flat = attributes().prop_map(|attributes| Block { attributes, blocks: Vec::new() });
    flat.prop_recursive(3, 12, 3, move |inner| {
        let blocks = (any_name(), 1..6_u64, 0..2_u64, 0..3_u64, inner);
        let block = (attributes(), proptest::collection::vec(blocks, 0..3));
        block.prop_map(|(attributes, blocks)| Block { attributes, blocks })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_document_is_whole(configuration in any_block(), blocks in proptest::collection::vec(any_block(), 4)) {
        let named = |names: [&str; 2], from: usize| {
            names.iter().zip(&blocks[from..]).map(|(name, block)| ((*name).to_owned(), block.clone())).collect()
        };
        let provider = Provider {
            configuration,
            resources: named(["x_rule", "x_rule_set"], 0),
            data_sources: named(["x_rule", "x_get_rule"], 2),
            functions: Vec::new(),
        };
        let naming = Naming::new("x", Arc::new(provider.schemas()), &Selection::default()).unwrap();
        // A reserved name may have no free replacement, which is an error in words.
        prop_assume!(naming.tokens().resources.iter().all(|(token, _)| naming.resource(token).is_ok()));
        let (_, bytes) = document(&provider);
        let Whole(read) = serde_json::from_slice(&bytes).unwrap();
        let types: BTreeSet<String> = read["types"].as_object().unwrap().keys().cloned().collect();
        references(&read, &mut |reference| {
            if let Some(token) = reference.strip_prefix("#/types/") {
                assert!(types.contains(token), "{token} is not there");
            }
        });
    }
}

fn references(value: &Value, visit: &mut dyn FnMut(&str)) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                visit(reference);
            }
            members.values().for_each(|value| references(value, visit));
        }
        Value::Array(elements) => elements.iter().for_each(|value| references(value, visit)),
        _ => {}
    }
}

/// JSON in which no object has a member twice.
struct Whole(Value);

impl<'de> serde::Deserialize<'de> for Whole {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor).map(Self)
    }
}

struct WholeVisitor;

impl<'de> serde::de::Visitor<'de> for WholeVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON without numbers")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Whole(element)) = elements.next_element()? {
            array.push(element);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = serde_json::Map::new();
        while let Some((key, Whole(value))) = members.next_entry::<String, Whole>()? {
            if object.insert(key.clone(), value).is_some() {
                return Err(serde::de::Error::custom(format!("`{key}` is there twice")));
            }
        }
        Ok(Value::Object(object))
    }
}
