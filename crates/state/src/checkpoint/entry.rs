//! One resource of a state file: [`Resource`] to JSON text and back.

use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;
use outrigger_value::{CustomTimeouts, Urn};
use serde_json::Value as Json;

use crate::checkpoint::fields::{Fields, malformed};
use crate::checkpoint::json::JsonWriter;
use crate::checkpoint::property::{Secrets, read_value, write_map, write_value};
use crate::{OperationKind, Resource};

/// A resource as JSON in the form of state files, its secrets through the crypter.
pub fn resource_to_json(resource: &Resource, crypter: &dyn Crypter) -> Result<String, Diagnostic> {
    write_entry(resource, Secrets::Sealed(crypter))
}

/// The text of an entry, with fields in Pulumi's order.
pub(crate) fn write_entry(resource: &Resource, secrets: Secrets<'_>) -> Result<String, Diagnostic> {
    let mut out = JsonWriter::new();
    out.raw("{");
    text(&mut out, "urn", resource.urn.as_str());
    out.key("custom");
    out.bool(resource.custom);
    flag(&mut out, "delete", resource.delete);
    optional(&mut out, "id", resource.id.as_deref());
    text(&mut out, "type", resource.ty());
    for (key, map) in [("inputs", &resource.inputs), ("outputs", &resource.outputs)] {
        if !map.is_empty() {
            out.key(key);
            write_map(&mut out, map, secrets)?;
        }
    }
    optional(&mut out, "parent", resource.parent.as_ref().map(Urn::as_str));
    flag(&mut out, "protect", resource.protect);
    flag(&mut out, "taint", resource.taint);
    flag(&mut out, "external", resource.external);
    urns(&mut out, "dependencies", &resource.dependencies);
    list(&mut out, "initErrors", &resource.init_errors);
    optional(&mut out, "provider", resource.provider.as_ref().map(ToString::to_string).as_deref());
    if !resource.property_dependencies.is_empty() {
        out.key("propertyDependencies");
        out.raw("{");
        for (key, dependencies) in &resource.property_dependencies {
            out.key(key);
            out.strings(dependencies.iter().map(Urn::as_str));
        }
        out.raw("}");
    }
    flag(&mut out, "pendingReplacement", resource.pending_replacement);
    list(&mut out, "additionalSecretOutputs", &resource.additional_secret_outputs);
    urns(&mut out, "aliases", &resource.aliases);
    timeouts(&mut out, &resource.custom_timeouts);
    optional(&mut out, "importID", resource.import_id.as_deref());
    flag(&mut out, "retainOnDelete", resource.retain_on_delete);
    optional(&mut out, "deletedWith", resource.deleted_with.as_ref().map(Urn::as_str));
    urns(&mut out, "replaceWith", &resource.replace_with);
    optional(&mut out, "created", resource.created.as_deref());
    optional(&mut out, "modified", resource.modified.as_deref());
    optional(&mut out, "sourcePosition", resource.source_position.as_deref());
    list(&mut out, "ignoreChanges", &resource.ignore_changes);
    list(&mut out, "hideDiff", &resource.hide_diff);
    list(&mut out, "replaceOnChanges", &resource.replace_on_changes);
    if let Some(trigger) = &resource.replacement_trigger {
        out.key("replacementTrigger");
        write_value(&mut out, trigger, secrets)?;
    }
    flag(&mut out, "refreshBeforeUpdate", resource.refresh_before_update);
    for (key, value) in &resource.extra {
        out.key(key);
        out.json(value);
    }
    out.raw("}");
    Ok(out.finish())
}

fn text(out: &mut JsonWriter, key: &str, value: &str) {
    out.key(key);
    out.string(value);
}

fn optional(out: &mut JsonWriter, key: &str, value: Option<&str>) {
    if let Some(value) = value.filter(|value| !value.is_empty()) {
        text(out, key, value);
    }
}

fn flag(out: &mut JsonWriter, key: &str, value: bool) {
    if value {
        out.key(key);
        out.bool(true);
    }
}

fn list(out: &mut JsonWriter, key: &str, values: &[String]) {
    if !values.is_empty() {
        out.key(key);
        out.strings(values);
    }
}

fn urns(out: &mut JsonWriter, key: &str, values: &[Urn]) {
    if !values.is_empty() {
        out.key(key);
        out.strings(values.iter().map(Urn::as_str));
    }
}

fn timeouts(out: &mut JsonWriter, timeouts: &CustomTimeouts) {
    if *timeouts == CustomTimeouts::default() {
        return;
    }
    out.key("customTimeouts");
    out.raw("{");
    let CustomTimeouts { create, update, delete, read } = *timeouts;
    for (key, value) in [("create", create), ("update", update), ("delete", delete), ("read", read)] {
        if value != 0.0 {
            out.key(key);
            out.number(value);
        }
    }
    out.raw("}");
}

/// Reads an entry. Unknown fields go into `extra`.
pub(crate) fn read_entry(entry: Json, crypter: &dyn Crypter) -> Result<Resource, Diagnostic> {
    let Json::Object(fields) = entry else {
        return Err(malformed("(unnamed)", "resources", "an entry is not an object"));
    };
    let mut fields = Fields { name: "(unnamed)".to_owned(), fields };
    let Some(name) = fields.text("urn")? else {
        return Err(malformed("(unnamed)", "urn", "it is missing"));
    };
    fields.name.clone_from(&name);
    let urn: Urn = name.parse().map_err(|_| fields.wrong("urn", "it is not a URN"))?;
    let custom = fields.flag("custom")?;
    let ty = fields.text("type")?;
    let mut resource = Resource::new(urn, custom);
    if ty.as_deref() != Some(resource.ty()) {
        return Err(fields.wrong("type", "it is missing or differs from the type in the URN"));
    }
    resource.id = fields.text("id")?;
    resource.delete = fields.flag("delete")?;
    resource.inputs = fields.properties("inputs", crypter)?;
    resource.outputs = fields.properties("outputs", crypter)?;
    resource.parent = fields.urn("parent")?;
    resource.provider = match fields.text("provider")? {
        Some(reference) => Some(reference.parse().map_err(|_| fields.wrong("provider", "it is not URN::ID"))?),
        None => None,
    };
    resource.dependencies = fields.urns("dependencies")?;
    resource.property_dependencies = fields.property_dependencies()?;
    resource.protect = fields.flag("protect")?;
    resource.taint = fields.flag("taint")?;
    resource.external = fields.flag("external")?;
    resource.retain_on_delete = fields.flag("retainOnDelete")?;
    resource.pending_replacement = fields.flag("pendingReplacement")?;
    resource.refresh_before_update = fields.flag("refreshBeforeUpdate")?;
    resource.init_errors = fields.texts("initErrors")?;
    resource.additional_secret_outputs = fields.texts("additionalSecretOutputs")?;
    resource.aliases = fields.urns("aliases")?;
    resource.import_id = fields.text("importID")?;
    resource.deleted_with = fields.urn("deletedWith")?;
    resource.replace_with = fields.urns("replaceWith")?;
    resource.custom_timeouts = fields.timeouts()?;
    resource.ignore_changes = fields.texts("ignoreChanges")?;
    resource.replace_on_changes = fields.texts("replaceOnChanges")?;
    resource.hide_diff = fields.hidden()?;
    resource.replacement_trigger = match fields.take("replacementTrigger") {
        Some(value) => {
            Some(read_value(value, Some(crypter)).map_err(|error| fields.unreadable("replacementTrigger", error))?)
        }
        None => None,
    };
    resource.created = fields.text("created")?;
    resource.modified = fields.text("modified")?;
    resource.source_position = fields.text("sourcePosition")?;
    resource.extra = fields.fields.into_iter().collect();
    Ok(resource)
}

/// The name of an operation in `pending_operations`.
pub(crate) fn operation_name(kind: OperationKind) -> &'static str {
    match kind {
        OperationKind::Creating => "creating",
        OperationKind::Updating => "updating",
        OperationKind::Deleting => "deleting",
        OperationKind::Reading => "reading",
        OperationKind::Importing => "importing",
    }
}

/// The operation with that name.
pub(crate) fn operation_kind(name: &str) -> Option<OperationKind> {
    Some(match name {
        "creating" => OperationKind::Creating,
        "updating" => OperationKind::Updating,
        "deleting" => OperationKind::Deleting,
        "reading" => OperationKind::Reading,
        "importing" => OperationKind::Importing,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Mirror;
    use outrigger_value::{
        Archive, ArchiveSource, Asset, AssetSource, OutputValue, PropertyMap, ResourceReference, Value,
    };
    use serde_json::json;

    fn entry(more: Json) -> Json {
        let mut entry = json!({"urn": "urn:pulumi:dev::shop::a:b:C::x", "custom": true, "type": "a:b:C"});
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        entry
    }

    fn round_trip(json: &Json) -> Json {
        let resource = read_entry(json.clone(), &Mirror).unwrap();
        serde_json::from_str(&write_entry(&resource, Secrets::Sealed(&Mirror)).unwrap()).unwrap()
    }

    fn values() -> PropertyMap {
        let urn: Urn = "urn:pulumi:dev::shop::a:b:C::y".parse().unwrap();
        let asset = |source| Value::from(Asset { hash: "h".into(), source });
        let reference = |id: Option<Value>| {
            Value::from(ResourceReference { urn: urn.clone(), id: id.map(Box::new), package_version: "1.0.0".into() })
        };
        let nested = PropertyMap::from([("inner".to_owned(), Value::secret("<canary&>".into()))]);
        let list = vec![
            Value::Null,
            Value::Bool(true),
            Value::Number(1.5e-9),
            Value::Number(f64::NEG_INFINITY),
            Value::Unknown,
            "<text> & \u{2028}".into(),
            asset(AssetSource::Text("t".into())),
            asset(AssetSource::Path("p".into())),
            asset(AssetSource::Uri("u".into())),
            asset(AssetSource::Elided),
            reference(None),
            reference(Some(Value::Unknown)),
            reference(Some("id".into())),
            Value::from(Archive { hash: "h".into(), source: ArchiveSource::Path("p".into()) }),
            Value::from(Archive {
                hash: "h".into(),
                source: ArchiveSource::Assets([("a".to_owned(), asset(AssetSource::Text("t".into())))].into()),
            }),
            Value::secret(Value::Map(nested)),
            Value::List(vec![]),
            Value::Map(PropertyMap::new()),
        ];
        PropertyMap::from([("list".to_owned(), Value::List(list))])
    }

    #[test]
    fn every_kind_of_value_comes_back_and_no_secret_is_in_clear() {
        let mut resource = Resource::new("urn:pulumi:dev::shop::a:b:C::x".parse().unwrap(), true);
        resource.inputs = values();
        resource.replacement_trigger = Some(Value::secret("canary".into()));
        let text = write_entry(&resource, Secrets::Sealed(&Mirror)).unwrap();
        assert!(!text.contains("canary"), "{text}");
        let parse = |text: &str| read_entry(serde_json::from_str(text).unwrap(), &Mirror).unwrap();
        assert_eq!(parse(&text), resource);
        let shown = write_entry(&resource, Secrets::Shown).unwrap();
        assert!(shown.contains(r#""plaintext":"\"canary\"""#), "{shown}");
        assert_eq!(parse(&shown), resource);
        assert!(!write_entry(&resource, Secrets::Withheld).unwrap().contains("canary"));
    }

    #[test]
    fn special_values_have_pulumis_form() {
        let output = |value, secret| Value::Output(Box::new(OutputValue { value, secret, dependencies: Vec::new() }));
        let cases = [
            (
                Value::Number(f64::NAN),
                json!({"4dabf18193072939515e22adb298388d": "8ad145fe-0d11-4827-bfd7-1abcbf086f5c", "value": format!("{:016x}", f64::NAN.to_bits())}),
            ),
            (
                Value::secret(Value::secret("x".into())),
                json!({"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:\"x\""}),
            ),
            (Value::Secret(Box::new(Value::List(vec![Value::secret("x".into())]))), Json::Null),
            (output(None, false), json!("04da6b54-80e4-46f7-96ec-b56ff0331ba9")),
            (
                output(Some("x".into()), true),
                json!({"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:\"x\""}),
            ),
        ];
        for (value, expected) in cases {
            let mut out = JsonWriter::new();
            write_value(&mut out, &value, Secrets::Sealed(&Mirror)).unwrap();
            let json: Json = serde_json::from_str(&out.finish()).unwrap();
            if expected.is_null() {
                // The outer layer covers the inner one: its text has the inner secret as plain JSON.
                let opened = Mirror.decrypt(json["ciphertext"].as_str().unwrap()).unwrap();
                assert_eq!(
                    opened,
                    r#"[{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","ciphertext":"\"x\""}]"#
                );
            } else {
                assert_eq!(json, expected);
            }
        }
    }

    #[test]
    fn every_field_survives_known_or_not() {
        let urn = "urn:pulumi:dev::shop::a:b:C::y";
        let full = entry(json!({
            "delete": true, "id": "i", "inputs": {"a": 1}, "outputs": {"b": [1.25, null]}, "parent": urn, "protect": true,
            "taint": true, "external": true, "dependencies": [urn], "initErrors": ["e"],
            "provider": "urn:pulumi:dev::shop::pulumi:providers:a::p::1", "propertyDependencies": {"a": [urn], "b": []},
            "pendingReplacement": true, "additionalSecretOutputs": ["s"], "aliases": [urn],
            "customTimeouts": {"create": 1.5, "read": 60}, "importID": "m", "retainOnDelete": true, "deletedWith": urn,
            "replaceWith": [urn], "created": "2026-01-01T00:00:00.5Z", "modified": "2026-01-01T00:00:00Z",
            "sourcePosition": "project:///Pulumi.yaml#1,2", "stackTrace": [{"sourcePosition": "project:///x#1"}],
            "ignoreChanges": ["a.b"], "hideDiff": ["a[\"b.c\"][0][*]"], "replaceOnChanges": ["*"],
            "replacementTrigger": {"n": 1}, "refreshBeforeUpdate": true, "viewOf": urn,
            "resourceHooks": {"BeforeCreate": ["h"]}, "extensionRef": "r", "fromTheFuture": {"x": [1, 2.5]},
        }));
        assert_eq!(round_trip(&full), full);
        let bare = entry(json!({}));
        assert_eq!(round_trip(&bare), bare);
        let empty =
            entry(json!({"id": "", "inputs": {}, "dependencies": null, "customTimeouts": {}, "protect": false}));
        assert_eq!(round_trip(&empty), bare, "empty fields are left out");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_resource_and_field() {
        for (field, value) in [
            ("type", json!("other:b:C")),
            ("id", json!(1)),
            ("protect", json!("yes")),
            ("inputs", json!([])),
            ("outputs", json!({"a": {"4dabf18193072939515e22adb298388d": "nonsense"}})),
            ("inputs", json!({"a": {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}})),
            ("dependencies", json!(["x"])),
            ("provider", json!("x")),
            ("customTimeouts", json!({"boil": 3})),
            ("hideDiff", json!([[true]])),
        ] {
            let error = read_entry(entry(json!({field: value})), &Mirror).unwrap_err();
            assert!(error.summary.contains(field) && error.summary.contains("::x"), "{error:?}");
        }
        let refused = read_entry(
            entry(
                json!({"inputs": {"a": {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:a:b"}}}),
            ),
            &outrigger_secrets::Locked,
        );
        let error = refused.unwrap_err();
        assert!(error.code == "passphrase-missing" && error.notes[0].contains("::x"), "{error:?}");
    }
}
