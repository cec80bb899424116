//! The rules that a provider has to keep, one by one.

use std::sync::Arc;

use outrigger_terraform::consistency::{of_plan, of_result};
use outrigger_terraform::cty::{Attributes, Number, Refinement, Type, Value};
use outrigger_terraform::schema::{Block, NestedBlock, Nesting, Shape};

use super::blocks::attribute;

fn with_blocks(nesting: Nesting) -> Block {
    let inner = Block { attributes: vec![attribute("port", Shape::Type(Type::Number), "o")], ..Block::default() };
    let nested = NestedBlock { name: "rule".into(), nesting, block: Arc::new(inner), min_items: 0, max_items: 0 };
    Block { blocks: vec![nested], ..Block::default() }
}

fn object(name: &str, value: Value) -> Value {
    Value::Map(Attributes::from([(Arc::from(name), value)]))
}

fn port(number: i64) -> Value {
    object("port", Value::Number(Number::from(number)))
}

fn unknown(refinement: Refinement) -> Value {
    Value::Unknown(Some(Box::new(refinement)))
}

fn problems(findings: &[outrigger_terraform::consistency::Finding]) -> Vec<String> {
    findings.iter().map(ToString::to_string).collect()
}

#[test]
fn blocks_are_planned_as_they_are_configured() {
    let plan = |nesting: Nesting, config: Value, planned: Value| {
        let [config, planned] = [config, planned].map(|value| object("rule", value));
        problems(&of_plan(&with_blocks(nesting), &Value::Null, &config, &planned))
    };
    for (nesting, none) in [
        (Nesting::List, Value::List(Vec::new())),
        (Nesting::Set, Value::Set(Vec::new())),
        (Nesting::Map, Value::Map(Attributes::new())),
    ] {
        assert_eq!(plan(nesting, none.clone(), none.clone()), [""; 0]);
        assert_eq!(plan(nesting, none, Value::Null), ["rule: planned as null, which blocks cannot be"]);
    }
    let set = |items: &[Value]| Value::Set(items.to_vec());
    assert_eq!(plan(Nesting::Set, set(&[port(1)]), set(&[port(2)])), [""; 0], "elements cannot be matched");
    assert_eq!(
        plan(Nesting::Set, set(&[port(1)]), set(&[Value::UNKNOWN])),
        ["rule: planned with an unknown block, although all are configured"]
    );
    assert_eq!(plan(Nesting::Set, set(&[Value::UNKNOWN]), set(&[Value::UNKNOWN])), [""; 0]);
}

#[test]
fn what_was_known_of_an_unknown_value_holds() {
    let number = |value: i64| Value::Number(Number::from(value));
    let list = |length: usize| Value::List(vec![Value::Null; length]);
    let not_null = Refinement { null: Some(false), ..Refinement::default() };
    let prefix = Refinement { prefix: Some("arn:".to_owned()), ..not_null.clone() };
    let bounds = Refinement {
        lower: Some((Number::from(2_i64), true)),
        upper: Some((Number::from(9_i64), false)),
        ..Refinement::default()
    };
    let length = Refinement { min_length: Some(1), max_length: Some(2), ..Refinement::default() };
    for (refinement, value, holds) in [
        (&not_null, Value::string("x"), true),
        (&not_null, Value::Null, false),
        (&prefix, Value::string("arn:1"), true),
        (&prefix, Value::string("urn:1"), false),
        (&bounds, number(2), true),
        (&bounds, number(1), false),
        (&bounds, number(8), true),
        (&bounds, number(9), false),
        (&bounds, Value::Null, true),
        (&length, list(0), false),
        (&length, list(1), true),
        (&length, list(3), false),
    ] {
        let block = Block { attributes: vec![attribute("a", Shape::Type(Type::Dynamic), "o")], ..Block::default() };
        let [planned, actual] = [unknown(refinement.clone()), value.clone()].map(|value| object("a", value));
        let expected: &[&str] = if holds { &[] } else { &["a: is not within what was planned for it"] };
        assert_eq!(problems(&of_result(&block, &planned, &actual)), expected, "{refinement:?}, {value:?}");
    }
}

#[test]
fn a_set_keeps_what_was_known_of_it() {
    let result = |planned: &[Value], actual: &[Value]| {
        let [planned, actual] = [planned, actual].map(|items| object("rule", Value::Set(items.to_vec())));
        problems(&of_result(&with_blocks(Nesting::Set), &planned, &actual))
    };
    let planned = [port(1), object("port", Value::UNKNOWN)];
    assert_eq!(result(&planned, &[port(7), port(1)]), [""; 0]);
    assert_eq!(result(&planned, &[port(1)]), [""; 0], "the unknown one turned out to be the same");
    assert_eq!(result(&planned, &[port(7), port(8)]), ["rule: has other elements than were planned"]);
    assert_eq!(result(&planned, &[port(1), port(2), port(3)]), ["rule: has more elements than were planned"]);
}
