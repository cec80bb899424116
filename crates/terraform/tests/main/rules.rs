//! The rules for providers, one by one.

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
    assert_eq!(plan(Nesting::Set, set(&[port(1)]), set(&[port(1), port(2)])), [""; 0], "a provider may add some");
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
        let expected: &[&str] = if holds { &[] } else { &["a: does not fit the plan"] };
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
    assert_eq!(result(&planned, &[port(7), port(8)]), ["rule: has different elements than planned"]);
    assert_eq!(result(&planned, &[port(1), port(2), port(3)]), ["rule: has more elements than planned"]);
}

/// Blocks that a program leaves out are null in the plan, and empty in the state that a provider reads.
#[test]
fn blocks_that_were_left_out_may_be_none() {
    for (nesting, none, one) in [
        (Nesting::List, Value::List(Vec::new()), Value::List(vec![port(1)])),
        (Nesting::Set, Value::Set(Vec::new()), Value::Set(vec![port(1)])),
        (Nesting::Map, Value::Map(Attributes::new()), Value::Map(Attributes::from([("k".into(), port(1))]))),
    ] {
        let result = |block: &Block, planned: &Value, actual: &Value| {
            problems(&of_result(block, &object("rule", planned.clone()), &object("rule", actual.clone())))
        };
        let block = with_blocks(nesting);
        assert_eq!(result(&block, &Value::Null, &none), [""; 0]);
        assert_eq!(result(&block, &one, &one), [""; 0]);
        assert_eq!(result(&block, &Value::Null, &one).len(), 1, "{nesting:?}");
        assert_eq!(result(&block, &one, &none).len(), 1, "{nesting:?}");
        // The same one level deeper.
        let outer = NestedBlock { name: "rule".into(), nesting, block: Arc::new(block), min_items: 0, max_items: 0 };
        let outer = Block { blocks: vec![outer], ..Block::default() };
        let around = |inner: &Value| match nesting {
            Nesting::List => Value::List(vec![object("rule", inner.clone())]),
            Nesting::Set => Value::Set(vec![object("rule", inner.clone())]),
            _ => Value::Map(Attributes::from([("k".into(), object("rule", inner.clone()))])),
        };
        assert_eq!(result(&outer, &around(&Value::Null), &around(&none)), [""; 0], "{nesting:?}");
        assert_eq!(result(&outer, &around(&Value::Null), &around(&one)).len(), 1, "{nesting:?}");
    }
}

#[test]
fn elements_that_were_known_in_part_become_what_was_known() {
    let element = |port: i64, made: Value| {
        Value::Map(Attributes::from([("port".into(), Value::Number(Number::from(port))), ("made".into(), made)]))
    };
    let made = |port: i64| element(port, Value::string("m"));
    let result = |planned: &[Value], actual: &[Value]| {
        let [planned, actual] = [planned, actual].map(|items| object("rule", Value::Set(items.to_vec())));
        problems(&of_result(&with_blocks(Nesting::Set), &planned, &actual))
    };
    let planned = [element(1, Value::UNKNOWN), element(2, Value::UNKNOWN)];
    assert_eq!(result(&planned, &[made(2), made(1)]), [""; 0]);
    for others in [[made(1), made(3)], [made(3), made(4)]] {
        assert_eq!(result(&planned, &others), ["rule: has different elements than planned"]);
    }
    assert_eq!(result(&planned, &[made(1)]), ["rule: has different elements than planned"], "one was lost");
    // In a large set, only the elements that were fully known are checked.
    let many: Vec<Value> = (0..2000).map(|port| element(port, Value::UNKNOWN)).chain([made(7)]).collect();
    let became = |last: i64| (0..2000).map(made).chain([made(last)]).collect::<Vec<_>>();
    assert_eq!(result(&many, &became(7)), [""; 0]);
    let without: Vec<Value> = (8..2000).map(made).collect();
    assert_eq!(result(&many, &without), ["rule: has different elements than planned"]);
}
