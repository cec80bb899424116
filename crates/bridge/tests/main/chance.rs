//! Documents of randomly generated providers.

use std::collections::BTreeSet;
use std::sync::Arc;

use outrigger_bridge::Naming;
use outrigger_bridge::tokens::Selection;
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Value, json};

use super::encoded::{Attribute, Block, Holds, Provider, attribute};
use super::made::document;

pub(crate) type Names = &'static [&'static str];

/// Names that may cause trouble.
const ODD: Names = &[
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

/// Names that Pulumi's bridge can handle.
pub(crate) const EVEN: Names = &[
    "a",
    "a_b",
    "archive",
    "rule",
    "rules",
    "id",
    "urn",
    "name",
    "_x",
    "y_",
    "status",
    "set",
    "rule_set",
    "ip_address",
    "x509_key",
    "access",
    "child",
    "config",
    "thing_id",
    "index",
];

const DESCRIPTIONS: Names = &[
    "",
    "See `x_rule` and `x_set`, or `true`.",
    "Two\nlines\n",
    "-> **Note** a_b c_d\n[a](/b) [c](#d) [e](https://example.com)",
    "```hcl\n`true`\n```\nand \"e_f\" ~> <g> & ",
];

fn any_name(names: Names) -> impl Strategy<Value = String> + Clone {
    proptest::sample::select(names).prop_map(str::to_owned)
}

fn any_type(names: Names, tuples: bool) -> impl Strategy<Value = String> {
    let leaf = proptest::sample::select(&["string", "number", "bool", "dynamic"]).prop_map(|ty| json!(ty));
    let nested = leaf.prop_recursive(3, 12, 3, move |inner| {
        let collection = (proptest::sample::select(&["list", "set", "map"]), inner.clone());
        let object = proptest::collection::btree_map(any_name(names), inner.clone(), 0..4);
        let tuple = proptest::collection::vec(inner, 0..3);
        prop_oneof![
            collection.prop_map(|(kind, element)| json!([kind, element])),
            object.prop_map(|members| json!(["object", members])),
            tuple.prop_map(move |elements| if tuples { json!(["tuple", elements]) } else { json!("string") }),
        ]
    });
    nested.prop_map(|ty| ty.to_string())
}

fn any_attribute(names: Names, tuples: bool) -> impl Strategy<Value = Attribute> {
    let flags = proptest::sample::select(&["r", "o", "oc", "c", "rw", "os", ""]);
    let description = proptest::sample::select(DESCRIPTIONS);
    let plain = (any_name(names), any_type(names, tuples), flags, description)
        .prop_map(|(name, ty, flags, description)| Attribute { description, ..attribute(&name, &ty, flags) });
    plain.prop_recursive(2, 8, 3, move |inner| {
        (any_name(names), 1..5_u64, proptest::collection::vec(inner, 0..4)).prop_map(|(name, nesting, attributes)| {
            Attribute { holds: Holds::Nested(nesting, distinct(attributes)), ..attribute(&name, "", "o") }
        })
    })
}

fn any_block(names: Names, tuples: bool) -> impl Strategy<Value = Block> {
    let attributes = move || proptest::collection::vec(any_attribute(names, tuples), 0..5);
    let flat = attributes().prop_map(|attributes| Block { attributes: distinct(attributes), blocks: Vec::new() });
    flat.prop_recursive(3, 12, 3, move |inner| {
        let blocks = (any_name(names), 1..6_u64, 0..2_u64, 0..3_u64, inner);
        let block = (attributes(), proptest::collection::vec(blocks, 0..3));
        block.prop_map(|(attributes, mut blocks)| {
            let attributes = distinct(attributes);
            let mut seen: BTreeSet<String> = attributes.iter().map(|attribute| attribute.name.clone()).collect();
            blocks.retain(|(name, ..)| seen.insert(name.clone()));
            Block { attributes, blocks }
        })
    })
}

fn distinct(mut attributes: Vec<Attribute>) -> Vec<Attribute> {
    let mut seen = BTreeSet::new();
    attributes.retain(|attribute| seen.insert(attribute.name.clone()));
    attributes
}

pub(crate) fn any_provider(names: Names, tuples: bool) -> impl Strategy<Value = Provider> {
    (any_block(names, tuples), proptest::collection::vec(any_block(names, tuples), 5)).prop_map(
        |(configuration, blocks)| {
            let named = |names: &[&str], from: usize| {
                names.iter().zip(&blocks[from..]).map(|(name, block)| ((*name).to_owned(), block.clone())).collect()
            };
            // The types of the first two may have the same names.
            let resources = named(&["x_rule", "x_rule_set", "x_provider"], 0);
            let data_sources = named(&["x_rule", "x_set"], 3);
            Provider { configuration, resources, data_sources, functions: Vec::new() }
        },
    )
}

proptest! {
    #![proptest_config(Config::with_cases(128))]

    #[test]
    fn every_document_is_whole(provider in any_provider(ODD, true)) {
        let naming = Naming::new("x", Arc::new(provider.schemas()), &Selection::default()).unwrap();
        // A reserved name may have no free replacement, which is a reported error.
        prop_assume!(naming.tokens().resources.iter().all(|(token, _)| naming.resource(token).is_ok()));
        let (_, bytes) = document(&provider);
        let Whole(read) = serde_json::from_slice(&bytes).unwrap();
        let none = serde_json::Map::new();
        let types = read.get("types").and_then(Value::as_object).unwrap_or(&none);
        let types: BTreeSet<String> = types.keys().cloned().collect();
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
