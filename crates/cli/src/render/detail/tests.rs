//! Differences of resources, as a person reads them.

use std::sync::Arc;

use outrigger_engine::Step;
use outrigger_provider::{Diff, PropertyDiff};
use outrigger_value::Urn;

use super::*;

fn map(pairs: &[(&str, Value)]) -> PropertyMap {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}

fn object(pairs: &[(&str, Value)]) -> Value {
    Value::Map(map(pairs))
}

fn list(items: &[&str]) -> Value {
    Value::List(items.iter().map(|item| (*item).into()).collect())
}

fn resource(inputs: PropertyMap) -> Option<Arc<Resource>> {
    let mut resource = Resource::new(Urn::new("dev", "shop", None, "a:b:C", "x"), true);
    resource.inputs = inputs;
    Some(Arc::new(resource))
}

fn step(old: Option<PropertyMap>, new: Option<PropertyMap>, diff: Option<Diff>) -> Step {
    let op = match (&old, &new) {
        (None, _) => StepOp::Create,
        (_, None) => StepOp::Delete,
        _ => StepOp::Update,
    };
    let urn = Urn::new("dev", "shop", None, "a:b:C", "x");
    Step { op, urn, old: old.and_then(resource), new: new.and_then(resource), diff: diff.map(Arc::new) }
}

fn shown(step: &Step, secrets: Secrets) -> String {
    anstream::adapter::strip_str(&in_full(step, secrets)).to_string()
}

#[track_caller]
fn check(old: Value, new: Value, expected: &str) {
    let step = step(Some(map(&[("it", old)])), Some(map(&[("it", new)])), None);
    assert_eq!(shown(&step, Secrets::Hidden), expected);
}

#[test]
fn nested_values_are_shown_nested() {
    check(
        object(&[("port", 80.0.into()), ("rules", object(&[("a", 1.0.into()), ("b", true.into())]))]),
        object(&[("port", 80.0.into()), ("rules", object(&[("a", 2.0.into()), ("c", true.into())]))]),
        "        ~ it:\n            ~ rules:\n                ~ a: 1 -> 2\n                - b: true\n                + c: true\n",
    );
}

#[test]
fn an_element_that_moved_is_not_rewritten() {
    check(
        list(&["a", "b", "c", "d"]),
        list(&["d", "a", "b", "c"]),
        "        ~ it:\n            ~ [3] -> [0]: moved: \"d\"\n",
    );
    check(list(&["a", "b"]), list(&["new", "a", "b"]), "        ~ it:\n            + [0]: \"new\"\n");
    check(list(&["a", "b", "c"]), list(&["a", "c"]), "        ~ it:\n            - [1]: \"b\"\n");
    check(list(&["a", "b"]), list(&["a", "B"]), "        ~ it:\n            ~ [1]: \"b\" -> \"B\"\n");
}

#[test]
fn objects_in_lists_are_known_by_name() {
    let rule = |name: &str, port: f64| object(&[("name", name.into()), ("port", port.into())]);
    check(
        Value::List(vec![rule("web", 80.0), rule("ssh", 22.0)]),
        Value::List(vec![rule("ssh", 2222.0), rule("web", 80.0)]),
        "        ~ it:\n            ~ [1] -> [0]:\n                ~ port: 22 -> 2222\n",
    );
}

#[test]
fn texts_are_compared_by_line_and_json_by_structure() {
    check(
        "#!/bin/sh\nset -e\necho one\necho two\nexit 0\n".into(),
        "#!/bin/sh\nset -e\necho ONE\necho two\nexit 0\n".into(),
        "        ~ it:\n              … 1 line is the same\n              set -e\n            - echo one\n            + echo ONE\n              echo two\n              … 1 line is the same\n",
    );
    check(
        r#"{"Statement":[{"Action":"s3:Get","Effect":"Allow"}]}"#.into(),
        r#"{"Statement": [{"Action": "s3:*", "Effect": "Allow"}]}"#.into(),
        "        ~ it (JSON):\n            ~ Statement:\n                ~ [0]:\n                    ~ Action: \"s3:Get\" -> \"s3:*\"\n",
    );
    check(r#"{"a":1}"#.into(), "{\n\"a\": 1}".into(), "        ~ it: the same JSON, written differently\n");
}

#[test]
fn of_a_long_text_that_becomes_unknown_only_the_length_is_shown() {
    check("a\nb\n".into(), Value::Unknown, "        ~ it: (2 lines) -> (known after up)\n");
    check("x".repeat(1234).into(), Value::Unknown, "        ~ it: (1,234 characters) -> (known after up)\n");
    check("short".into(), Value::Unknown, "        ~ it: \"short\" -> (known after up)\n");
    let secret = Value::secret("x".repeat(1234).into());
    check(secret, Value::Unknown, "        ~ it: [secret] (changed)\n");
}

#[test]
fn secrets_stay_hidden_wherever_they_are() {
    let tree = |text: &str| object(&[("user", "u".into()), ("password", Value::secret(text.into()))]);
    check(tree("canary-1"), tree("canary-2"), "        ~ it:\n            ~ password: [secret] (changed)\n");
    let whole = |text: &str| Value::secret(object(&[("password", text.into())]));
    check(whole("canary-1"), whole("canary-2"), "        ~ it: [secret] (changed)\n");
    // A value that a secret replaces, and one that replaces a secret, are secret too.
    check("canary-1".into(), Value::secret("canary-2".into()), "        ~ it: [secret] (changed)\n");
    let created = step(None, Some(map(&[("it", whole("canary"))])), None);
    assert_eq!(shown(&created, Secrets::Hidden), "        + it: [secret]\n");
    assert!(shown(&created, Secrets::Shown).contains("canary"));
    // A change that the provider announces inside a secret.
    let detailed = [("it.password".to_owned(), PropertyDiff { kind: DiffKind::Update, input: true })].into();
    let diff = Diff { detailed: Some(detailed), ..Diff::default() };
    let (old, new) = (map(&[("it", whole("canary-1"))]), map(&[("it", whole("canary-2"))]));
    let text = shown(&step(Some(old), Some(new), Some(diff)), Secrets::Hidden);
    assert_eq!(text, "        ~ it:\n            ~ password: [secret] (changed)\n");
}

#[test]
fn what_the_provider_says_decides_and_what_forces_a_replacement_is_named() {
    let detail = |path: &str, kind: DiffKind| (path.to_owned(), PropertyDiff { kind, input: true });
    let detailed = [
        detail("prefix", DiffKind::UpdateReplace),
        detail("zones[0]", DiffKind::Update),
        detail("zones[1]", DiffKind::Add),
        detail("fixed", DiffKind::Update),
        detail("id", DiffKind::Update),
    ];
    let diff = Diff { detailed: Some(detailed.into()), ..Diff::default() };
    let old = map(&[("prefix", "a".into()), ("zones", list(&["x"])), ("quiet", 1.0.into()), ("fixed", "f".into())]);
    let new =
        map(&[("prefix", Value::Unknown), ("zones", list(&["w", "x"])), ("quiet", 2.0.into()), ("fixed", "f".into())]);
    assert_eq!(
        shown(&step(Some(old), Some(new), Some(diff)), Secrets::Hidden),
        "        ~ fixed: \"f\" (the provider reports a change)\n        ~ id: (known after up) (the provider reports a change)\n        ~ prefix: \"a\" -> (known after up) (forces replacement)\n        ~ zones:\n            + [0]: \"w\"\n"
    );
}

#[test]
fn what_is_new_is_shown_whole_and_long_texts_are_cut() {
    let text: String = (1..=25).map(|number| format!("line {number}\n")).collect();
    let inputs = map(&[("tags", object(&[("a", "1".into())])), ("text", text.into()), ("__defaults", list(&[]))]);
    let text = shown(&step(None, Some(inputs), None), Secrets::Hidden);
    assert!(text.starts_with("        + tags: {\"a\":\"1\"}\n        + text:\n            + line 1\n"), "{text}");
    assert!(text.ends_with("            + line 20\n            … 5 more lines\n"), "{text}");
}

#[test]
fn hidden_differences_are_said_to_be_hidden() {
    let mut new = Resource::clone(&resource(map(&[("noise", 2.0.into())])).unwrap());
    new.hide_diff = vec!["noise".to_owned()];
    let mut step = step(Some(map(&[("noise", 1.0.into())])), Some(PropertyMap::new()), None);
    step.new = Some(Arc::new(new));
    assert_eq!(shown(&step, Secrets::Hidden), "        ~ noise: (its changes are not shown: `hideDiffs`)\n");
}
