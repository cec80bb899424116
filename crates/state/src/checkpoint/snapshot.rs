//! A whole state: read from and written to documents, and checked for features that this build does not support.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;
use serde_json::{Value as Json, json};

use crate::checkpoint::entry::{operation_kind, operation_name, read_entry, write_entry};
use crate::checkpoint::property::Secrets;
use crate::checkpoint::{self, Deployment, Document, not_an_entry};
use crate::{PendingOperation, Resource, SecretsProviderState, Snapshot};

/// The features that Pulumi 3.250.0 knows: every reader refuses a file with another one.
pub(crate) const KNOWN_FEATURES: [&str; 7] = [
    "refreshBeforeUpdate",
    "views",
    "hooks",
    "taint",
    "replaceWith",
    "snippets-prototype",
    "extensionParameterization",
];

/// Fields of a resource whose meaning this build does not implement.
const RESOURCE_OBSTACLES: [(&str, &str); 4] = [
    ("viewOf", "it is a view of another resource, which only that resource's provider may change"),
    ("resourceHooks", "hooks of a program must run when it changes"),
    ("extensionRef", "its provider needs an extension parameter"),
    ("snippetID", "it belongs to a snippet that must be evaluated on every update"),
];

/// Fields of the deployment whose meaning this build does not implement.
const DEPLOYMENT_OBSTACLES: [(&str, &str); 2] = [
    ("snippets", "it has snippets that must be evaluated on every update"),
    ("extensions", "it has extension parameters that providers need"),
];

impl Snapshot {
    /// The features of this state that this build does not support. A command that changes anything must stop if there is one.
    pub fn obstacles(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let filled = |value: &Json| match value {
            Json::Null => false,
            Json::String(text) => !text.is_empty(),
            Json::Array(items) => !items.is_empty(),
            Json::Object(map) => !map.is_empty(),
            _ => true,
        };
        for (field, why) in DEPLOYMENT_OBSTACLES {
            if self.extra.get(field).is_some_and(filled) {
                found.push(obstacle(&format!("`{field}` of the state"), why));
            }
        }
        let pending = self.pending.iter().map(|operation| &operation.resource);
        for resource in self.resources.iter().chain(pending) {
            for (field, why) in RESOURCE_OBSTACLES {
                if resource.extra.get(field).is_some_and(filled) {
                    found.push(obstacle(&format!("`{field}` of resource {}", resource.urn), why));
                }
            }
        }
        found
    }

    /// Writes the state as `stack export` prints it, on one line. `secrets` encrypts; without it secrets are shown in clear.
    pub fn to_export(&self, time: Timestamp, secrets: Option<&dyn Crypter>) -> Result<String, Diagnostic> {
        let how = secrets.map_or(Secrets::Shown, Secrets::Sealed);
        let mut deployment =
            Deployment { secrets_provider: self.secrets_provider.as_ref().map(provider_text), ..Deployment::default() };
        let mut features = BTreeSet::new();
        for resource in &self.resources {
            let text = write_entry(resource, how)?;
            // The text was just written, so it can be read.
            features.extend(
                crate::checkpoint::node::Node::parse(&text).iter().flat_map(|node| node.features().collect::<Vec<_>>()),
            );
            deployment.resources.push(text.into());
        }
        for operation in &self.pending {
            let text = write_entry(&operation.resource, how)?;
            deployment.operations.push((operation_name(operation.kind).to_owned(), text.into()));
        }
        for (key, value) in &self.extra {
            deployment.rest.insert(key.clone(), value.to_string());
        }
        if deployment.rest.contains_key("snippets") {
            features.insert("snippets-prototype");
        }
        let features: Vec<&str> = features.into_iter().collect();
        Ok(checkpoint::write(Document::Export, "", Some(time), &features, &deployment))
    }

    /// Reads a deployment's entries, decrypting every secret.
    pub(crate) fn decode(deployment: &Deployment, crypter: &dyn Crypter, file: &str) -> Result<Self, Diagnostic> {
        let parse = |text: &str| serde_json::from_str::<Json>(text).map_err(|_| not_an_entry(file));
        let mut snapshot = Self {
            secrets_provider: deployment
                .secrets_provider
                .as_deref()
                .map(|text| read_provider(text, file))
                .transpose()?,
            ..Self::default()
        };
        for text in &deployment.resources {
            snapshot.resources.push(Arc::new(read_one(text, crypter, file)?));
        }
        for (name, text) in &deployment.operations {
            let resource = Arc::new(read_one(text, crypter, file)?);
            let Some(kind) = operation_kind(name) else {
                return Err(Diagnostic::error(
                    "state-operation-unknown",
                    format!("the state has a pending operation of the unknown kind `{name}`"),
                )
                .detail(format!("It is for resource {} in {file}.", resource.urn))
                .hint("Use a newer version of Outrigger, or the tool that wrote it."));
            };
            snapshot.pending.push(PendingOperation { kind, resource });
        }
        for (key, text) in &deployment.rest {
            snapshot.extra.insert(key.clone(), parse(text)?);
        }
        Ok(snapshot)
    }
}

fn obstacle(what: &str, why: &str) -> Diagnostic {
    Diagnostic::error("state-not-understood", format!("{what} needs something that this build does not support"))
        .detail(format!("In Pulumi this means: {why}. Continuing without it could do harm, so nothing was started."))
        .hint("Use `pulumi` for this stack until Outrigger supports it.")
}

/// Reads one entry, decrypting its secrets.
pub(crate) fn read_one(text: &str, crypter: &dyn Crypter, file: &str) -> Result<Resource, Diagnostic> {
    read_entry(serde_json::from_str(text).map_err(|_| not_an_entry(file))?, crypter)
}

/// The text of `secrets_providers`.
pub(crate) fn provider_text(provider: &SecretsProviderState) -> String {
    if provider.state.is_null() {
        json!({"type": provider.kind}).to_string()
    } else {
        // Pulumi writes the type first; equal texts then mean equal settings.
        let kind = Json::String(provider.kind.clone());
        format!(r#"{{"type":{kind},"state":{}}}"#, provider.state)
    }
}

/// Parses the text of `secrets_providers`; an empty type means that there is none.
pub(crate) fn read_provider(text: &str, file: &str) -> Result<SecretsProviderState, Diagnostic> {
    let mut value: Json = serde_json::from_str(text).map_err(|_| not_an_entry(file))?;
    let kind = value.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
    let state = value.get_mut("state").map(Json::take).unwrap_or_default();
    Ok(SecretsProviderState { kind, state })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::read;
    use crate::checkpoint::table::Table;
    use crate::testing::Mirror;

    fn document(version: u64, features: &[&str], deployment: &Json) -> Vec<u8> {
        json!({"version": version, "features": features, "deployment": deployment}).to_string().into_bytes()
    }

    fn refusal(bytes: &[u8]) -> Diagnostic {
        let result = read(bytes, Document::Export, "f.json");
        result.and_then(|checkpoint| Table::from_checkpoint(checkpoint, "f.json")).unwrap_err()
    }

    #[test]
    fn versions_and_features_that_are_not_known_are_refused_by_name() {
        let empty = json!({"manifest": {"time": "", "magic": "", "version": ""}});
        read(&document(3, &[], &empty), Document::Export, "f").unwrap();
        read(&document(4, &["taint", "views"], &empty), Document::Export, "f").unwrap();
        assert_eq!(refusal(&document(5, &[], &empty)).code, "state-too-new");
        assert_eq!(refusal(&document(2, &[], &empty)).code, "state-too-old");
        let unknown = refusal(&document(4, &["taint", "byteString"], &empty));
        assert!(unknown.summary.ends_with("byteString"), "{unknown:?}");
    }

    #[test]
    fn a_damaged_file_is_refused_at_its_place() {
        let good = document(3, &[], &json!({"manifest": {"magic": "", "version": ""}, "resources": []}));
        for cut in 1..good.len() {
            let error = refusal(&good[..cut]);
            assert!(error.code == "state-unreadable" && error.place.is_some(), "{cut}: {error:?}");
        }
        let tampered = json!({"manifest": {"magic": "x", "version": "v3.250.0"}});
        assert_eq!(refusal(&document(3, &[], &tampered)).code, "state-integrity");
        assert_eq!(refusal(&[0x1f, 0x8b, 8]).code, "state-compressed");
        let orphan = json!({"resources": [{"urn": "urn:pulumi:d::p::a:b:C::x", "type": "a:b:C", "parent": "urn:pulumi:d::p::a:b:C::y"}]});
        let error = refusal(&document(3, &[], &orphan));
        assert!(error.code == "state-integrity" && error.detail.unwrap().contains("f.json"));
    }

    #[test]
    fn a_whole_state_comes_back_with_what_is_not_known_and_says_what_cannot_be_obeyed() {
        let provider = "urn:pulumi:dev::shop::pulumi:providers:a::p";
        let deployment = json!({
            "manifest": {"time": "2026-01-01T00:00:00Z", "magic": "", "version": ""},
            "secrets_providers": {"type": "passphrase", "state": {"salt": "s"}},
            "resources": [
                {"urn": provider, "custom": true, "id": "1", "type": "pulumi:providers:a"},
                {"urn": "urn:pulumi:dev::shop::a:b:C::x", "custom": true, "id": "2", "type": "a:b:C", "provider": format!("{provider}::1"), "viewOf": provider, "taint": true},
            ],
            "pending_operations": [{"resource": {"urn": "urn:pulumi:dev::shop::a:b:C::y", "custom": true, "type": "a:b:C"}, "type": "creating"}],
            "metadata": {"integrity_error": {"version": "v1"}},
            "snippets": [{"uuid": "u"}],
            "future": [1],
        });
        let read = |bytes: &[u8]| {
            let checkpoint = read(bytes, Document::Export, "f").unwrap();
            Snapshot::decode(&checkpoint.deployment.unwrap(), &Mirror, "f").unwrap()
        };
        let snapshot = read(&document(4, &["taint", "views", "snippets-prototype"], &deployment));
        let text = snapshot.to_export(Timestamp::UNIX_EPOCH, Some(&Mirror)).unwrap();
        assert_eq!(read(text.as_bytes()), snapshot);
        let mut json: Json = serde_json::from_str(&text).unwrap();
        assert_eq!(json["features"], json!(["snippets-prototype", "taint", "views"]));
        json["deployment"]["manifest"] = deployment["manifest"].clone();
        assert_eq!(json["deployment"], deployment);
        let obstacles: Vec<String> = snapshot.obstacles().into_iter().map(|obstacle| obstacle.summary).collect();
        assert!(
            obstacles.len() == 2 && obstacles[0].contains("snippets") && obstacles[1].contains("viewOf"),
            "{obstacles:?}"
        );
    }
}
