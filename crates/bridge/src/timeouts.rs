//! The user's limits for a step (`customTimeouts`).
//!
//! Providers of the old kind keep limits in their private bytes: JSON, under a key that they all have in common, in nanoseconds. There
//! a limit counts for one step and is in nobody's state. Only what the schema has a limit for is written.

use std::time::Duration;

use bytes::Bytes;
use outrigger_terraform::schema::Block;
use serde_json::{Map, Value};

/// The key of limits in private bytes.
const KEY: &str = "e2bfb730-ecaa-11e6-8f88-34363bc7c4c0";

/// What a limit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Making it.
    Create,
    /// Changing it.
    Update,
    /// Removing it.
    Delete,
}

impl Step {
    fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }
}

/// The private bytes with a limit for a step; `None` where the resource has no such limit, or the bytes are of another kind.
pub(crate) fn with_limit(block: &Block, private: &Bytes, step: Step, limit: Duration) -> Option<Bytes> {
    let timeouts = block.nested("timeouts")?;
    timeouts.block.attribute(step.name())?;
    let mut content: Map<String, Value> =
        if private.is_empty() { Map::new() } else { serde_json::from_slice(private).ok()? };
    let limits = content.entry(KEY).or_insert_with(|| Value::Object(Map::new()));
    let nanoseconds = u64::try_from(limit.as_nanos()).ok()?;
    limits.as_object_mut()?.insert(step.name().to_owned(), Value::from(nanoseconds));
    serde_json::to_vec(&content).ok().map(Bytes::from)
}
