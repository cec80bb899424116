//! What the stack's history says of a run.

use std::collections::BTreeMap;

use jiff::Timestamp;
use outrigger_engine::{Ending, RunResult};
use outrigger_project::config::Item;
use outrigger_state::UpdateInfo;
use serde_json::{Value as Json, json};

use super::surroundings::Surroundings;
use super::{Extent, Request};

/// The entry of the history for a run that has ended.
pub(super) fn chronicle(
    request: &Request,
    surroundings: &Surroundings,
    result: &RunResult,
    started: Timestamp,
) -> UpdateInfo {
    let message = match &request.extent {
        Extent::Preview => String::new(),
        Extent::Full { message, .. } => message.clone(),
    };
    let entries = surroundings.stack_config.entries().iter();
    let config: serde_json::Map<String, Json> =
        entries.map(|(key, entry)| (key.to_string(), to_json(&entry.item))).collect();
    let changes = result.summary.counts.iter();
    UpdateInfo {
        kind: request.work.kind(),
        started,
        ended: Timestamp::now(),
        message,
        environment: environment(surroundings),
        config: Json::Object(config),
        succeeded: result.ending == Ending::Succeeded,
        resource_changes: changes.map(|(op, count)| (op.as_str().to_owned(), *count as u64)).collect(),
    }
}

fn environment(surroundings: &Surroundings) -> BTreeMap<String, String> {
    let runtime = surroundings.workspace.project.runtime.as_ref();
    let facts = [
        ("exec.kind", "cli".to_owned()),
        ("exec.agent", format!("outrigger/{}", env!("CARGO_PKG_VERSION"))),
        ("pulumi.arch", std::env::consts::ARCH.to_owned()),
        ("pulumi.os", std::env::consts::OS.to_owned()),
        ("runtime.name", runtime.map(|runtime| runtime.name.clone()).unwrap_or_default()),
    ];
    facts.into_iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// As the stack's file has it: secrets stay ciphertexts.
fn to_json(item: &Item) -> Json {
    match item {
        Item::Null => Json::Null,
        Item::Bool(value) => json!(value),
        Item::Int(value) => json!(value),
        Item::UInt(value) => json!(value),
        Item::Float(value) => json!(value),
        Item::String(text) => json!(text),
        Item::Secure(ciphertext) => json!({"secure": ciphertext}),
        Item::List(items) => items.iter().map(to_json).collect(),
        Item::Map(map) => Json::Object(map.iter().map(|(key, item)| (key.clone(), to_json(item))).collect()),
    }
}
