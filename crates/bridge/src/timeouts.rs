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

#[cfg(test)]
mod tests {
    use outrigger_terraform::cty::Type;
    use outrigger_terraform::schema::Nesting;
    use serde_json::json;

    use super::*;
    use crate::chance::{attribute, nested};

    fn block() -> Block {
        let limits = vec![attribute("create", Type::String, "o"), attribute("delete", Type::String, "o")];
        Block { blocks: vec![nested("timeouts", Nesting::Single, 0, limits)], ..Block::default() }
    }

    fn limited(private: &'static str, step: Step, limit: Duration) -> Option<Value> {
        let private = with_limit(&block(), &Bytes::from_static(private.as_bytes()), step, limit)?;
        Some(serde_json::from_slice(&private).unwrap())
    }

    #[test]
    fn a_limit_is_added_to_what_is_there() {
        let five = Duration::from_secs(300);
        assert_eq!(limited("", Step::Create, five), Some(json!({KEY: {"create": 300_000_000_000_u64}})));
        let kept = limited(r#"{"schema_version":"1"}"#, Step::Delete, five).unwrap();
        assert_eq!(kept, json!({"schema_version": "1", KEY: {"delete": 300_000_000_000_u64}}));
        let there = r#"{"e2bfb730-ecaa-11e6-8f88-34363bc7c4c0":{"create":1,"delete":2}}"#;
        let changed = limited(there, Step::Create, five).unwrap();
        assert_eq!(changed, json!({KEY: {"create": 300_000_000_000_u64, "delete": 2}}));
    }

    #[test]
    fn what_has_no_limit_gets_none() {
        let minute = Duration::from_secs(60);
        assert_eq!(limited("", Step::Update, minute), None);
        assert_eq!(with_limit(&Block::default(), &Bytes::new(), Step::Create, minute), None);
        // Bytes of providers of the new kind, and what is none of both.
        for private in ["\u{1}", "[]", r#"{"e2bfb730-ecaa-11e6-8f88-34363bc7c4c0":7}"#] {
            assert_eq!(limited(private, Step::Create, minute), None, "{private}");
        }
        assert_eq!(limited("", Step::Create, Duration::MAX), None);
    }
}
