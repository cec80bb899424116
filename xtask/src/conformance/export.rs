//! A stack's export with permitted differences masked, and nothing else.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

/// The key that marks a special object in Pulumi's property encoding, and the mark of a secret.
const SIGNATURE: &str = "4dabf18193072939515e22adb298388d";
const SECRET: &str = "1b47061264138c4ac30d75fd1eb44270";

/// Whether to compare the plain texts of secrets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Secrets {
    /// The export shows plain texts.
    Shown,
    /// Only the presence of a secret counts.
    Masked,
}

/// Masks times, ids that look like UUIDs, ciphertexts, the manifest and the places of resources in the program, and turns the
/// list of resources into a set by URN and a property's dependencies into a set: their order is that of a Go map in `pulumi`.
pub(super) fn masked(export: &str, secrets: Secrets) -> Result<Value> {
    let mut export: Value = serde_json::from_str(export).context("the export is not JSON")?;
    if let Some(deployment) = export.get_mut("deployment").and_then(Value::as_object_mut) {
        deployment.remove("manifest");
        if let Some(state) = deployment.get_mut("secrets_providers").and_then(|providers| providers.get_mut("state")) {
            replace(state, "salt", "<salt>");
        }
        if let Some(resources) = deployment.get_mut("resources") {
            *resources = by_urn(resources.take());
        }
    }
    mask(&mut export, secrets);
    Ok(export)
}

fn mask(value: &mut Value, secrets: Secrets) {
    match value {
        Value::Object(object) => {
            if object.get(SIGNATURE).and_then(Value::as_str) == Some(SECRET) {
                mask_secret(object, secrets);
            }
            object.values_mut().for_each(|value| mask(value, secrets));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| mask(value, secrets)),
        Value::String(text) => *text = without_uuids(text),
        // 1 and 1.0 are the same number to every reader of the file.
        Value::Number(number) => {
            if let Some(number) = number.as_f64().and_then(serde_json::Number::from_f64) {
                *value = Value::Number(number);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn mask_secret(object: &mut Map<String, Value>, secrets: Secrets) {
    if let Some(ciphertext) = object.get_mut("ciphertext") {
        *ciphertext = json!("<ciphertext>");
    }
    if secrets == Secrets::Masked
        && let Some(plaintext) = object.remove("plaintext")
    {
        drop(plaintext);
        object.insert("ciphertext".to_owned(), json!("<ciphertext>"));
    }
}

/// The resources by URN; those that await deletion beside the live one.
fn by_urn(resources: Value) -> Value {
    let Value::Array(resources) = resources else { return resources };
    let mut set: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for mut resource in resources {
        for key in ["created", "modified"] {
            replace(&mut resource, key, "<time>");
        }
        if let Some(object) = resource.as_object_mut() {
            object.remove("sourcePosition");
            object.remove("stackTrace");
        }
        if let Some(properties) = resource.get_mut("propertyDependencies").and_then(Value::as_object_mut) {
            for dependencies in properties.values_mut().filter_map(Value::as_array_mut) {
                dependencies.sort_by_key(Value::to_string);
            }
        }
        let urn = resource.get("urn").and_then(Value::as_str).unwrap_or("<no urn>").to_owned();
        let doomed = resource.get("delete").and_then(Value::as_bool) == Some(true);
        set.entry(if doomed { format!("{urn} (to be deleted)") } else { urn }).or_default().push(resource);
    }
    let set = set.into_iter().map(|(key, mut resources)| {
        resources.sort_by_key(Value::to_string);
        let value = if resources.len() == 1 { resources.remove(0) } else { Value::Array(resources) };
        (key, value)
    });
    Value::Object(set.collect())
}

fn replace(object: &mut Value, key: &str, with: &str) {
    if let Some(value) = object.get_mut(key) {
        *value = json!(with);
    }
}

/// Replaces everything in the form of a UUID.
fn without_uuids(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let free = !masked.ends_with(|last: char| last.is_ascii_hexdigit());
        match rest.get(..36) {
            Some(candidate) if free && is_uuid(candidate) => {
                masked.push_str("<uuid>");
                rest = rest.get(36..).unwrap_or_default();
            }
            _ => {
                masked.push(first);
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
    }
    masked
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_resources(resources: Value) -> Value {
        let export = json!({"version": 3, "deployment": {"manifest": {"time": "now"}, "resources": resources}});
        masked(&export.to_string(), Secrets::Shown).unwrap()["deployment"].clone()
    }

    #[test]
    fn resources_are_a_set_by_urn_and_times_are_masked_but_present() {
        let one = json!({"urn": "a", "created": "x", "sourcePosition": "y", "stackTrace": []});
        let two = json!({"urn": "b", "id": "1"});
        assert_eq!(of_resources(json!([one, two])), of_resources(json!([two, one])));
        assert_eq!(
            of_resources(json!([one, two])),
            json!({"resources": {"a": {"urn": "a", "created": "<time>"}, "b": {"urn": "b", "id": "1"}}})
        );
        assert_ne!(of_resources(json!([one])), of_resources(json!([{"urn": "a"}])));
    }

    #[test]
    fn what_a_property_depends_on_is_a_set() {
        let one = |order: [&str; 2]| of_resources(json!([{"urn": "a", "propertyDependencies": {"p": order}}]));
        assert_eq!(one(["x", "y"]), one(["y", "x"]));
        assert_ne!(one(["x", "y"]), one(["x", "z"]));
        let all = |order: [&str; 2]| of_resources(json!([{"urn": "a", "dependencies": order}]));
        assert_ne!(all(["x", "y"]), all(["y", "x"]));
    }

    #[test]
    fn what_waits_for_its_deletion_does_not_hide_what_lives() {
        let living = json!({"urn": "a", "id": "1"});
        let doomed = json!({"urn": "a", "id": "2", "delete": true});
        let both = of_resources(json!([living, doomed]));
        assert_eq!(both["resources"]["a"]["id"], "1");
        assert_eq!(both["resources"]["a (to be deleted)"]["id"], "2");
        assert_ne!(both, of_resources(json!([living])));
    }

    #[test]
    fn uuids_are_masked_wherever_they_stand_and_nothing_else_is() {
        assert_eq!(without_uuids("urn::3a1B8c6e-0000-4000-8000-1234567890ab"), "urn::<uuid>");
        assert_eq!(without_uuids("3a1b8c6e-0000-4000-8000-1234567890a"), "3a1b8c6e-0000-4000-8000-1234567890a");
        assert_eq!(without_uuids("\u{1F603} hello-world"), "\u{1F603} hello-world");
    }

    #[test]
    fn a_secret_stays_a_secret_and_its_text_counts_when_shown() {
        let secret = |text: &str| json!([{"urn": "a", "outputs": {"s": {SIGNATURE: SECRET, "plaintext": text}}}]);
        assert_ne!(of_resources(secret("1")), of_resources(secret("2")));
        assert_ne!(of_resources(secret("1")), of_resources(json!([{"urn": "a", "outputs": {"s": "1"}}])));
        let export = |resources: Value| json!({"deployment": {"resources": resources}}).to_string();
        let sealed = json!([{"urn": "a", "outputs": {"s": {SIGNATURE: SECRET, "ciphertext": "v1:x"}}}]);
        assert_eq!(
            masked(&export(secret("1")), Secrets::Masked).unwrap(),
            masked(&export(sealed), Secrets::Masked).unwrap()
        );
    }

    #[test]
    fn numbers_compare_by_value() {
        assert_eq!(of_resources(json!([{"urn": "a", "n": 1}])), of_resources(json!([{"urn": "a", "n": 1.0}])));
    }
}
