//! No input makes the parser or the editors panic, and an edit changes only what was requested.

use std::collections::BTreeMap;

use outrigger_project::Project;
use outrigger_project::config::{ConfigKey, ConfigPath, Item};
use outrigger_project::stack_config::{NewValue, StackConfig};
use outrigger_syntax::{Document, Keys, Kind, Node};
use proptest::prelude::*;

const FILES: &[&str] = &[
    "name: p\nruntime: yaml\nconfig:\n  a: {type: string}\nresources:\n  x:\n    type: a:b:C\n    properties: {k: \"${y}\"}\n",
    "encryptionsalt: v1:a:b\nconfig:\n  # c\n  p:a: one # why\n  m:\n    x: 1\n    l: [1, {q: r}]\n  t: |\n    some\n    text\n",
    "config:\n  l:\n  - a\n  - b: c\n    d: e\n  - - x\n  s: {secure: abc}\n  e:\n  f: >-\n    folded\n    text\n# end",
    "{\"config\": {\"p:a\": \"x\", \"p:b\": [1, 2]}}\n",
];

/// One of the files with a few bytes changed, inserted or cut.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let sign = prop::sample::select(b" \n\t:-#[]{},&*!|>'\"%@`$~a0.\\\r\xc3\xff\x00<?".to_vec());
    let change = (any::<prop::sample::Index>(), 0..4_u8, sign);
    (prop::sample::select(FILES), prop::collection::vec(change, 0..6)).prop_map(|(file, changes)| {
        let mut bytes = file.as_bytes().to_vec();
        for (at, kind, sign) in changes {
            let at = at.index(bytes.len() + 1);
            match kind {
                0 if at < bytes.len() => bytes[at] = sign,
                1 => bytes.truncate(at.max(1)),
                2 if at < bytes.len() => _ = bytes.remove(at),
                _ => bytes.insert(at, sign),
            }
        }
        bytes
    })
}

fn check_spans(document: &Document, node: &Node) {
    let range = node.span.range();
    assert!(document.source().get(range.clone()).is_some(), "{range:?}");
    document.place(node.span);
    match &node.kind {
        Kind::List(list) => list.items.iter().for_each(|item| check_spans(document, item)),
        Kind::Object(object) => object.iter().for_each(|entry| {
            assert!(document.source().get(entry.key.span.range()).is_some());
            check_spans(document, &entry.value);
        }),
        _ => {}
    }
}

fn read(bytes: &[u8]) {
    for keys in [Keys::Text, Keys::Scalar] {
        match Document::parse_bytes_with("Pulumi.yaml", bytes, keys) {
            Ok(document) => {
                check_spans(&document, &document.root);
                drop(Project::from_document(std::path::Path::new("Pulumi.yaml"), document));
            }
            Err(found) => assert!(found.iter().all(|one| one.place.is_some() && !one.hints.is_empty()), "{found:?}"),
        }
    }
}

fn items(stack: &StackConfig) -> BTreeMap<ConfigKey, Item> {
    stack.entries().iter().map(|(key, entry)| (key.clone(), entry.item.clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read(&bytes);
    }

    #[test]
    fn any_change_of_a_file_is_read_or_refused(bytes in mutated()) {
        read(&bytes);
    }

    #[test]
    fn an_edit_gives_the_value_back_and_keeps_the_rest(
        bytes in mutated(),
        key in prop::sample::select(&["a", "p:a", "m", "m.x", "m.l[1]", "m.l[2]", "m.new", "l[0]", "l[1].b", "l[3]", "t", "s", "s.x", "e", "f", "aws:new"][..]),
        value in prop_oneof![any::<String>(), "[ -~]{0,12}", "[a-z \n#:]{0,20}"],
        secret in any::<bool>(),
        json in any::<bool>(),
    ) {
        let file = if json { "Pulumi.dev.json" } else { "Pulumi.dev.yaml" };
        let Ok(stack) = StackConfig::parse(file, Some(&bytes), "p") else { return Ok(()) };
        let path = ConfigPath::parse(key, "p", key.contains(['.', '['])).unwrap();
        let value = if secret { NewValue::Secure(value) } else { NewValue::Plain(value) };
        if let Ok(text) = stack.set(&path, value.clone()) {
            let again = StackConfig::parse(file, Some(text.as_bytes()), "p").unwrap();
            let (mut before, mut after) = (items(&stack), items(&again));
            let found = after.get(&path.key).and_then(|item| item.get(&path.steps)).cloned();
            match (&value, found) {
                (NewValue::Plain(text), Some(Item::String(found))) => prop_assert_eq!(text, &found),
                (NewValue::Secure(text), Some(Item::Secure(found))) => prop_assert_eq!(text, &found),
                (NewValue::Plain(_), Some(Item::Bool(_) | Item::Int(_) | Item::UInt(_))) => prop_assert!(!path.steps.is_empty()),
                (value, found) => prop_assert!(false, "{value:?} became {found:?}"),
            }
            before.remove(&path.key);
            after.remove(&path.key);
            prop_assert_eq!(before, after);
            prop_assert_eq!(stack.encryption_salt(), again.encryption_salt());
            // A value that was set can be removed again, without a trace.
            // A file named as JSON but written in YAML's block style may be refused: there is no small edit of it.
            let Ok(removed) = again.remove(&path) else {
                prop_assert!(json, "{path:?} cannot be removed again");
                return Ok(());
            };
            let removed = StackConfig::parse(file, Some(removed.as_bytes()), "p").unwrap();
            let left = items(&removed).get(&path.key).and_then(|item| item.get(&path.steps)).cloned();
            prop_assert!(left.is_none() || path.steps.iter().any(|step| matches!(step, outrigger_project::config::Step::Index(_))));
        }
        drop(stack.set_encryption_salt("v1:x:y"));
        drop(stack.remove(&path));
    }
}
