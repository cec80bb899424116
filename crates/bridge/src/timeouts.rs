//! The user's limits for a step (`customTimeouts`).
//!
//! Providers of the old kind keep limits in their private bytes: JSON, under a key that they all have in common, in nanoseconds.
//! Providers of the new kind look for them in the resource itself, where it has a property `timeouts`. Either way a limit counts for
//! one step and is in nobody's state. Only what the schema has a limit for is written.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use outrigger_terraform::cty::{Attributes, Type, Value as Cty};
use outrigger_terraform::schema::{Block, Nesting};
use serde_json::{Map, Value};

/// The key of limits in private bytes.
const KEY: &str = "e2bfb730-ecaa-11e6-8f88-34363bc7c4c0";

/// The attribute or block in which a resource has its limits.
pub(crate) const ATTRIBUTE: &str = "timeouts";

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

/// Whether private bytes have limits already, as providers of the old kind write them for resources that have any. Those of the new
/// kind must not be touched: a provider that finds something in them which it cannot read forgets all of them.
pub(crate) fn are_in(private: &Bytes) -> bool {
    serde_json::from_slice::<Map<String, Value>>(private).is_ok_and(|content| content.contains_key(KEY))
}

/// The private bytes with a limit for a step; `None` where the resource has no such limit, or the bytes are of another kind.
pub(crate) fn with_limit(block: &Block, private: &Bytes, step: Step, limit: Duration) -> Option<Bytes> {
    let timeouts = block.nested(ATTRIBUTE)?;
    timeouts.block.attribute(step.name())?;
    let mut content: Map<String, Value> =
        if private.is_empty() { Map::new() } else { serde_json::from_slice(private).ok()? };
    let limits = content.entry(KEY).or_insert_with(|| Value::Object(Map::new()));
    let nanoseconds = u64::try_from(limit.as_nanos()).ok()?;
    limits.as_object_mut()?.insert(step.name().to_owned(), Value::from(nanoseconds));
    serde_json::to_vec(&content).ok().map(Bytes::from)
}

/// A resource's value with a limit for a step among its own; `None` where it has no such limit.
pub(crate) fn in_value(block: &Block, value: &Cty, step: Step, limit: Duration) -> Option<Cty> {
    let ty = match (block.attribute(ATTRIBUTE), block.nested(ATTRIBUTE)) {
        (Some(attribute), _) => attribute.shape.ty(),
        (None, Some(nested)) if nested.nesting == Nesting::Single => nested.ty(),
        _ => return None,
    };
    let Type::Object(limits) = ty else { return None };
    if limits.attributes.get(step.name()) != Some(&Type::String) {
        return None;
    }
    let Cty::Map(members) = value else { return None };
    let mut given: Attributes = match members.get(ATTRIBUTE) {
        Some(Cty::Map(given)) => given.clone(),
        Some(Cty::Null) | None => limits.attributes.keys().map(|name| (Arc::clone(name), Cty::Null)).collect(),
        Some(_) => return None,
    };
    given.insert(Arc::from(step.name()), Cty::string(format!("{}s", limit.as_secs_f64())));
    let mut members = members.clone();
    members.insert(Arc::from(ATTRIBUTE), Cty::Map(given));
    Some(Cty::Map(members))
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn bytes_of_the_new_kind_are_told_from_those_of_the_old() {
        assert!(are_in(&Bytes::from_static(br#"{"e2bfb730-ecaa-11e6-8f88-34363bc7c4c0":{"create":1}}"#)));
        for other in ["", "x", "[]", r#"{"key":"dmFsdWU="}"#] {
            assert!(!are_in(&Bytes::from_static(other.as_bytes())), "{other}");
        }
    }

    #[test]
    fn a_resource_gets_a_limit_among_its_own() {
        let minute = Duration::from_secs(60);
        let value = |timeouts: Cty| Cty::Map(Attributes::from([(Arc::from(ATTRIBUTE), timeouts)]));
        let limits = |create: Cty, delete: Cty| {
            value(Cty::Map(Attributes::from([(Arc::from("create"), create), (Arc::from("delete"), delete)])))
        };
        let one = Cty::string("60s");
        let given = |value: &Cty, step: Step| in_value(&block(), value, step, minute);
        assert_eq!(given(&value(Cty::Null), Step::Create), Some(limits(one.clone(), Cty::Null)));
        let there = limits(Cty::string("1h"), Cty::string("2h"));
        assert_eq!(given(&there, Step::Delete), Some(limits(Cty::string("1h"), one)));
        assert_eq!(given(&there, Step::Update), None);
        assert_eq!(given(&value(Cty::UNKNOWN), Step::Create), None);
        assert_eq!(given(&Cty::Null, Step::Create), None);
        assert_eq!(in_value(&Block::default(), &there, Step::Create, minute), None);
    }
}
