//! Package schemas of every Terraform provider among the peers, compared with those of Pulumi's own bridge.

use std::collections::BTreeSet;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use outrigger_bridge::Naming;
use outrigger_bridge::document::{About, RegistryName, base_document, write_document};
use outrigger_bridge::tokens::Selection;
use outrigger_terraform::schema::Schemas;
use serde_json::Value;

use super::{go_document, name_of, providers, schemas};

#[tokio::test]
async fn every_provider_has_the_document_that_the_other_bridge_gives_it() {
    let cache = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for provider in providers() {
        let name = name_of(&provider).unwrap();
        let (_, theirs) = go_document(&[provider.to_str().unwrap()], cache.path()).await;
        let ours = document_of(name, schemas(&provider).await, &Selection::default(), &theirs);
        wrong.extend(differences(&ours, &theirs).into_iter().map(|found| format!("{name}: {found}")));
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

#[tokio::test]
async fn a_part_of_a_provider_has_the_same_document_under_another_name() {
    let provider = providers().into_iter().find(|provider| name_of(provider) == Some("tls")).unwrap();
    let path = provider.to_str().unwrap();
    let cache = tempfile::tempdir().unwrap();
    let includes = "tls_private_key,tls_certificate";
    let (package, theirs) = go_document(&[path, "--include", includes, "--provider-name", "mine"], cache.path()).await;
    assert_eq!(package.name, "mine");
    let selection = Selection {
        package: Some("mine".to_owned()),
        includes: includes.split(',').map(str::to_owned).collect(),
        excludes: Vec::new(),
    };
    let ours = document_of("tls", schemas(&provider).await, &selection, &theirs);
    assert_eq!(differences(&ours, &theirs), Vec::<String>::new());
    assert_eq!(ours["resources"].as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn the_package_that_is_not_made_from_a_provider_yet_has_a_document() {
    let cache = tempfile::tempdir().unwrap();
    let (_, theirs) = go_document(&[], cache.path()).await;
    let mut bytes = Vec::new();
    base_document(theirs["version"].as_str().unwrap(), &mut bytes).unwrap();
    let ours: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(differences(&ours, &theirs), Vec::<String>::new());
}

/// The origin of a provider appears in several places, with other wording if it is Pulumi's.
#[tokio::test]
async fn a_provider_from_a_registry_has_an_origin() {
    let provider = providers().into_iter().find(|provider| name_of(provider) == Some("random")).unwrap();
    for namespace in ["acme", "pulumi"] {
        let cache = tempfile::tempdir().unwrap();
        let platform = format!("linux_{}", if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" });
        let folder = cache.path().join(format!("registry.example.com/{namespace}/random/3.6.0/{platform}"));
        std::fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(&provider, folder.join("terraform-provider-random_v3.6.0")).unwrap();
        let address = format!("registry.example.com/{namespace}/random");
        let (package, theirs) = go_document(&[&address, "3.6.0"], cache.path()).await;
        assert_eq!(package.version, "3.6.0");
        let naming = Naming::new("random", Arc::new(schemas(&provider).await), &Selection::default()).unwrap();
        let ours = written(&naming, &theirs, Some(RegistryName { namespace, name: "random" }));
        assert_eq!(differences(&ours, &theirs), Vec::<String>::new());
    }
}

/// Our document, with the parameters of theirs.
pub(crate) fn document_of(provider: &str, schemas: Schemas, selection: &Selection, theirs: &Value) -> Value {
    let naming = Naming::new(provider, Arc::new(schemas), selection).unwrap();
    written(&naming, theirs, None)
}

fn written(naming: &Naming, theirs: &Value, origin: Option<RegistryName<'_>>) -> Value {
    let text = |pointer: &str| theirs.pointer(pointer).and_then(Value::as_str).unwrap();
    let about = About {
        version: &text("/version").parse().unwrap(),
        base_version: text("/parameterization/baseProvider/version"),
        parameter: &STANDARD.decode(text("/parameterization/parameter")).unwrap(),
        origin,
    };
    let mut bytes = Vec::new();
    write_document(naming, &about, &mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// The differences, except the intended ones.
pub(crate) fn differences(ours: &Value, theirs: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", ours, theirs, &mut found);
    found
}

fn compare(path: &str, ours: &Value, theirs: &Value, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(one), Value::Object(other)) => {
            let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for key in keys {
                let path = format!("{path}/{key}");
                match (one.get(key), other.get(key)) {
                    (Some(ours), Some(theirs)) => compare(&path, ours, theirs, found),
                    (Some(ours), None) => {
                        // The other bridge, in this version, has no provider functions.
                        let function = ours.get("multiArgumentInputs").is_some() && path.starts_with("/functions/");
                        if !function {
                            found.push(format!("{path}: only ours: {}", short(ours)));
                        }
                    }
                    (None, Some(theirs)) => found.push(format!("{path}: only theirs: {}", short(theirs))),
                    (None, None) => {}
                }
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (at, (ours, theirs)) in one.iter().zip(other).enumerate() {
                compare(&format!("{path}/{at}"), ours, theirs, found);
            }
        }
        // The provider's own deprecation message is kept.
        (Value::String(_), Value::String(word)) if path.ends_with("/deprecationMessage") && word == "Deprecated" => {}
        _ if ours == theirs => {}
        _ => found.push(format!("{path}: {} instead of {}", short(ours), short(theirs))),
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(300).collect()
}
