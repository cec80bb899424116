//! The entry of a stack's history for a run.

use std::collections::BTreeMap;

use jiff::Timestamp;
use outrigger_engine::{Ending, RunResult};
use outrigger_project::Project;
use outrigger_project::config::Item;
use outrigger_project::stack_config::StackConfig;
use outrigger_state::UpdateInfo;
use serde_json::{Map, Value as Json, json};

use crate::Work;

/// The history's record of a run besides its result.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// The user's message.
    pub message: String,
    /// Facts about the program and the machine, by Pulumi's names.
    pub environment: BTreeMap<String, String>,
    /// The stack's configuration.
    pub config: Map<String, Json>,
}

impl Entry {
    /// The entry for a run of a project.
    pub fn new(message: String, project: &Project, config: &StackConfig) -> Self {
        let facts = [
            ("exec.kind", "cli".to_owned()),
            ("exec.agent", format!("outrigger/{}", env!("CARGO_PKG_VERSION"))),
            ("pulumi.arch", std::env::consts::ARCH.to_owned()),
            ("pulumi.os", std::env::consts::OS.to_owned()),
            ("runtime.name", project.runtime.as_ref().map(|runtime| runtime.name.clone()).unwrap_or_default()),
        ];
        let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
        Self {
            message,
            environment: facts.map(|(name, value)| (name.to_owned(), value)).collect(),
            config: config.entries().iter().map(|(key, entry)| (key.to_string(), to_json(&entry.item))).collect(),
        }
    }

    /// The whole entry, when the run has ended.
    pub(crate) fn ended(&self, work: Work, result: &RunResult, started: Timestamp, ended: Timestamp) -> UpdateInfo {
        let changes = result.summary.counts.iter();
        UpdateInfo {
            kind: work.kind(),
            started,
            ended,
            message: self.message.clone(),
            environment: self.environment.clone(),
            config: Json::Object(self.config.clone()),
            succeeded: result.ending == Ending::Succeeded,
            resource_changes: changes.map(|(op, count)| (op.as_str().to_owned(), *count as u64)).collect(),
        }
    }
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
