//! The history entry of a finished command, and the copies of the state that go with it.

use std::collections::BTreeMap;
use std::io;

use jiff::Timestamp;
use outrigger_diagnostic::Diagnostic;
use serde::Serialize;
use serde_json::Value as Json;

use crate::backend::Backend;
use crate::backend::stack_name::StackName;
use crate::store::objects::{Condition, Objects};

/// The kind of command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum UpdateKind {
    /// `up`.
    Update,
    /// `refresh`.
    Refresh,
    /// `destroy`.
    Destroy,
}

/// The history entry of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateInfo {
    /// The kind of command.
    pub kind: UpdateKind,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Timestamp,
    /// The user's message.
    pub message: String,
    /// Facts such as the commit, by name.
    pub environment: BTreeMap<String, String>,
    /// The configuration as in the stack's file: `{"project:key": "value"}`, secrets as `{"secure": CIPHERTEXT}`.
    pub config: Json,
    /// Whether the command succeeded.
    pub succeeded: bool,
    /// How many resources had each operation.
    pub resource_changes: BTreeMap<String, u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Stored<'a> {
    kind: UpdateKind,
    start_time: i64,
    message: &'a str,
    environment: &'a BTreeMap<String, String>,
    config: &'a Json,
    version: u32,
    result: &'static str,
    end_time: i64,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    resource_changes: &'a BTreeMap<String, u64>,
}

/// Writes the pair of history files, as `pulumi` does after each command except a preview.
pub(crate) fn write_history(
    objects: &dyn Objects,
    stack: &StackName,
    now: Timestamp,
    info: &UpdateInfo,
    checkpoint: &[u8],
) -> io::Result<()> {
    let stored = Stored {
        kind: info.kind,
        start_time: info.started.as_second(),
        message: &info.message,
        environment: &info.environment,
        config: &info.config,
        version: 0,
        result: if info.succeeded { "succeeded" } else { "failed" },
        end_time: info.ended.as_second(),
        resource_changes: &info.resource_changes,
    };
    let prefix = format!("{}/{}-{}", stack.history_directory(), stack.stack(), now.as_nanosecond());
    let text = serde_json::to_vec(&stored).map_err(io::Error::other)?;
    objects.put(&format!("{prefix}.history.json"), &text, Condition::Always)?;
    objects.put(&format!("{prefix}.checkpoint.json"), checkpoint, Condition::Always)
}

/// Writes the copy of the state into the backups.
pub(crate) fn write_backup(
    objects: &dyn Objects,
    stack: &StackName,
    now: Timestamp,
    checkpoint: &[u8],
) -> io::Result<()> {
    let path = format!("{}/{}.{}.json", stack.backup_directory(), stack.stack(), now.as_nanosecond());
    objects.put(&path, checkpoint, Condition::Always)
}

const READ: &str = "read the history";

impl Backend {
    /// The history of a stack, latest command first: objects as `pulumi` stores them.
    pub fn history(&self, stack: &StackName) -> Result<Vec<Json>, Diagnostic> {
        self.require(stack)?;
        let mut paths = self.paths_in(READ, &stack.history_directory())?;
        paths.retain(|path| path.ends_with(".history.json"));
        // The names end with the time, in a fixed number of digits.
        paths.sort();
        let mut found = Vec::new();
        for path in paths.iter().rev() {
            let object = self.get(READ, path)?;
            // An unreadable entry is left out; the others remain useful.
            found.extend(object.and_then(|object| serde_json::from_slice::<Json>(&object.bytes).ok()));
        }
        Ok(found)
    }

    pub(crate) fn copy_history(&self, old: &StackName, new: &StackName) -> Result<(), Diagnostic> {
        for path in self.paths_in(READ, &old.history_directory())? {
            let Some(object) = self.get(READ, &path)? else { continue };
            let name = path.rsplit('/').next().unwrap_or(&path);
            let rest = name.strip_prefix(old.stack()).unwrap_or(name);
            let path = format!("{}/{}{rest}", new.history_directory(), new.stack());
            (self.objects.put(&path, &object.bytes, Condition::Always))
                .map_err(|error| self.failure("write the history", &path, &error))?;
        }
        Ok(())
    }
}
