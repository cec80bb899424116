//! A change of any stack's file: the value can be read back and the rest stays, or the change is refused.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use outrigger_project::config::{ConfigKey, ConfigPath, Item};
use outrigger_project::stack_config::{NewValue, StackConfig};

fuzz_target!(|input: (&str, &str, u8, &[u8])| {
    let (key, value, choice, bytes) = input;
    let file = if choice & 1 == 0 { "Pulumi.dev.yaml" } else { "Pulumi.dev.json" };
    let Ok(stack) = StackConfig::parse(file, Some(bytes), "p") else { return };
    let Ok(path) = ConfigPath::parse(key, "p", choice & 2 == 0) else { return };
    let text = value.to_owned();
    let value = if choice & 4 == 0 { NewValue::Plain(text) } else { NewValue::Secure(text) };
    if let Ok(text) = stack.set(&path, value) {
        let Ok(again) = StackConfig::parse(file, Some(text.as_bytes()), "p") else { panic!("unreadable: {text:?}") };
        let (mut before, mut after) = (items(&stack), items(&again));
        assert!(after.get(&path.key).and_then(|item| item.get(&path.steps)).is_some(), "{text:?}");
        before.remove(&path.key);
        after.remove(&path.key);
        assert_eq!(before, after);
    }
    if let Ok(text) = stack.remove(&path) {
        assert!(StackConfig::parse(file, Some(text.as_bytes()), "p").is_ok(), "{text:?}");
    }
    let _ = stack.set_encryption_salt("v1:x:y");
});

fn items(stack: &StackConfig) -> BTreeMap<ConfigKey, Item> {
    stack.entries().iter().map(|(key, entry)| (key.clone(), entry.item.clone())).collect()
}
