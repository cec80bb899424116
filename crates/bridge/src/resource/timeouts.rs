//! The user's time limits for a step (`customTimeouts`).
//!
//! SDK-based providers keep limits in their private bytes: JSON, under a key that all of them use, in nanoseconds. Framework-based providers
//! look for them in the resource itself, in a property `timeouts`. Either way a limit is for one step and is not stored in the state. Only
//! limits that the schema has are written.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use outrigger_terraform::Stored;
use outrigger_terraform::cty::{Attributes, Type, Value as Cty};
use outrigger_terraform::schema::{Block, Nesting};
use serde_json::{Map, Value};

/// The key of limits in private bytes.
const KEY: &str = "e2bfb730-ecaa-11e6-8f88-34363bc7c4c0";

/// The attribute or block that holds a resource's limits.
pub(crate) const ATTRIBUTE: &str = "timeouts";

/// The operation that a limit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Read,
    Update,
    Delete,
}

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Read => "read",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }
}

/// Whether private bytes belong to an SDK-based provider, judged by their contents: limits of resources that have any, the schema's version as a
/// string, a mark of an import. Those of framework-based providers must not be touched: a provider that cannot read something in them drops all
/// of them. It keeps every entry as a base64 string, which is never a number.
pub(crate) fn is_of_old_kind(private: &Bytes) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    serde_json::from_slice::<Map<String, Value>>(private).is_ok_and(|content| {
        content.contains_key(KEY)
            || content.get("schema_version").and_then(Value::as_str).is_some_and(is_number)
            || content.get(".import_before_read") == Some(&Value::Bool(true))
    })
}

/// The private bytes with a limit for a step; `None` if the resource has no such limit, or the bytes are of another kind.
pub(crate) fn with_limit(block: &Block, private: &Bytes, step: Operation, limit: Duration) -> Option<Bytes> {
    let timeouts = block.nested(ATTRIBUTE)?;
    timeouts.block.attribute(step.name())?;
    let mut content: Map<String, Value> =
        if private.is_empty() { Map::new() } else { serde_json::from_slice(private).ok()? };
    let limits = content.entry(KEY).or_insert_with(|| Value::Object(Map::new()));
    let nanoseconds = u64::try_from(limit.as_nanos()).ok()?;
    limits.as_object_mut()?.insert(step.name().to_owned(), Value::from(nanoseconds));
    serde_json::to_vec(&content).ok().map(Bytes::from)
}

/// A resource's value with a limit for a step; `None` if it has no such limit.
pub(crate) fn in_value(block: &Block, value: &Cty, step: Operation, limit: Duration) -> Option<Cty> {
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

/// A stored resource with a limit for a step; `None` if it has no such limit.
pub(crate) fn in_stored(block: &Block, own: &Stored, step: Operation, limit: Duration) -> Option<Stored> {
    if is_of_old_kind(&own.private) {
        let private = with_limit(block, &own.private, step, limit)?;
        return Some(Stored { private, ..own.clone() });
    }
    let state = in_value(block, &own.state, step, limit)?;
    Some(Stored { state, ..own.clone() })
}

/// Removes the limit for a step from an answer: it was for this step alone.
pub(crate) fn out_of_stored(answer: &mut Stored, ordered: &Stored, own: &Stored, step: Operation) {
    out_of_value(&mut answer.state, &ordered.state, &own.state);
    if let Some(private) = without_limit(&answer.private, &ordered.private, &own.private, step) {
        answer.private = private;
    }
}

/// Restores the resource's own limits where an answer has the changed ones.
pub(crate) fn out_of_value(answer: &mut Cty, ordered: &Cty, own: &Cty) {
    let limits = |value: &Cty| value.get(ATTRIBUTE).cloned();
    let (ordered, own) = (limits(ordered), limits(own));
    if ordered != own
        && let (Cty::Map(members), Some(own)) = (answer, own)
        && let Some(limits) = members.get_mut(ATTRIBUTE)
        && Some(&*limits) == ordered.as_ref()
    {
        *limits = own;
    }
}

/// Private bytes without a limit that was added to them; `None` if it is not in them. The rest may have changed: the mark of an import is gone
/// after the first read.
fn without_limit(answer: &Bytes, ordered: &Bytes, own: &Bytes, step: Operation) -> Option<Bytes> {
    if ordered == own {
        return None;
    }
    if answer == ordered {
        return Some(own.clone());
    }
    let content = |bytes: &Bytes| serde_json::from_slice::<Map<String, Value>>(bytes).ok();
    let limit = |content: &Map<String, Value>| content.get(KEY)?.get(step.name()).cloned();
    let (mut content, ordered, own) = (content(answer)?, content(ordered)?, content(own).unwrap_or_default());
    if limit(&content) != limit(&ordered) {
        return None;
    }
    let limits = content.get_mut(KEY)?.as_object_mut()?;
    match limit(&own) {
        Some(before) => drop(limits.insert(step.name().to_owned(), before)),
        None => drop(limits.remove(step.name())),
    }
    if limits.is_empty() && !own.contains_key(KEY) {
        content.remove(KEY);
    }
    // The private bytes of a provider that has nothing to keep.
    if content.is_empty() {
        return Some(Bytes::new());
    }
    serde_json::to_vec(&content).ok().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::test_support::{attribute, nested};

    fn block() -> Block {
        let limits = vec![attribute("create", Type::String, "o"), attribute("delete", Type::String, "o")];
        Block { blocks: vec![nested("timeouts", Nesting::Single, 0, limits)], ..Block::default() }
    }

    fn limited(private: &'static str, step: Operation, limit: Duration) -> Option<Value> {
        let private = with_limit(&block(), &Bytes::from_static(private.as_bytes()), step, limit)?;
        Some(serde_json::from_slice(&private).unwrap())
    }

    #[test]
    fn a_limit_is_added_to_what_is_there() {
        let five = Duration::from_secs(300);
        assert_eq!(limited("", Operation::Create, five), Some(json!({KEY: {"create": 300_000_000_000_u64}})));
        let kept = limited(r#"{"schema_version":"1"}"#, Operation::Delete, five).unwrap();
        assert_eq!(kept, json!({"schema_version": "1", KEY: {"delete": 300_000_000_000_u64}}));
        let there = r#"{"e2bfb730-ecaa-11e6-8f88-34363bc7c4c0":{"create":1,"delete":2}}"#;
        let changed = limited(there, Operation::Create, five).unwrap();
        assert_eq!(changed, json!({KEY: {"create": 300_000_000_000_u64, "delete": 2}}));
    }

    #[test]
    fn what_has_no_limit_gets_none() {
        let minute = Duration::from_secs(60);
        assert_eq!(limited("", Operation::Update, minute), None);
        assert_eq!(with_limit(&Block::default(), &Bytes::new(), Operation::Create, minute), None);
        // Bytes of framework-based providers, and bytes of neither kind.
        for private in ["\u{1}", "[]", r#"{"e2bfb730-ecaa-11e6-8f88-34363bc7c4c0":7}"#] {
            assert_eq!(limited(private, Operation::Create, minute), None, "{private}");
        }
        assert_eq!(limited("", Operation::Create, Duration::MAX), None);
    }

    #[test]
    fn bytes_of_the_new_kind_are_told_from_those_of_the_old() {
        for old in [
            r#"{"e2bfb730-ecaa-11e6-8f88-34363bc7c4c0":{"create":1}}"#,
            r#"{"schema_version":"1"}"#,
            r#"{".import_before_read":true}"#,
        ] {
            assert!(is_of_old_kind(&Bytes::from_static(old.as_bytes())), "{old}");
        }
        // Framework-based providers have a mark of an import, too, and can choose any names.
        let new = [r#"{"key":"dmFsdWU="}"#, r#"{".import_before_read":"dHJ1ZQ=="}"#, r#"{"schema_version":"MQ=="}"#];
        for other in ["", "x", "[]", "{}", r#"{"schema_version":""}"#].into_iter().chain(new) {
            assert!(!is_of_old_kind(&Bytes::from_static(other.as_bytes())), "{other}");
        }
    }

    /// The private bytes after a step that was limited to a minute; `answered` makes the provider's answer from the bytes that it got.
    fn left(own: &str, answered: impl FnOnce(&str) -> String) -> String {
        let own = Stored { private: Bytes::copy_from_slice(own.as_bytes()), ..Stored::NOTHING };
        let ordered = in_stored(&block(), &own, Operation::Delete, Duration::from_secs(60)).unwrap();
        assert!(ordered.private != own.private);
        let private = Bytes::from(answered(std::str::from_utf8(&ordered.private).unwrap()));
        let mut answer = Stored { private, ..Stored::NOTHING };
        out_of_stored(&mut answer, &ordered, &own, Operation::Delete);
        String::from_utf8(answer.private.to_vec()).unwrap()
    }

    #[test]
    fn a_limit_is_taken_out_of_private_bytes() {
        let imported = r#"{".import_before_read":true}"#;
        for own in [
            r#"{"schema_version" : "1"}"#,
            r#"{"e2bfb730-ecaa-11e6-8f88-34363bc7c4c0":{"create":1,"delete":2}}"#,
            r#"{"e2bfb730-ecaa-11e6-8f88-34363bc7c4c0":{}}"#,
            imported,
        ] {
            assert_eq!(left(own, str::to_owned), own, "as they were");
        }
        // Providers remove their mark of an import.
        let unmarked = |text: &str| text.replace(r#"".import_before_read":true,"#, "");
        assert_eq!(left(imported, unmarked), "");
        let versioned = r#"{".import_before_read":true,"schema_version":"1"}"#;
        assert_eq!(left(versioned, unmarked), r#"{"schema_version":"1"}"#);
        let limited = r#"{".import_before_read":true,"e2bfb730-ecaa-11e6-8f88-34363bc7c4c0":{"delete":2}}"#;
        assert_eq!(left(limited, unmarked), unmarked(limited));
        // Other contents stay as they are.
        for other in ["", "x", "{}", r#"{"e2bfb730-ecaa-11e6-8f88-34363bc7c4c0":{"delete":3}}"#] {
            assert_eq!(left(imported, |_| other.to_owned()), other);
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
        let given = |value: &Cty, step: Operation| in_value(&block(), value, step, minute);
        assert_eq!(given(&value(Cty::Null), Operation::Create), Some(limits(one.clone(), Cty::Null)));
        let there = limits(Cty::string("1h"), Cty::string("2h"));
        assert_eq!(given(&there, Operation::Delete), Some(limits(Cty::string("1h"), one)));
        assert_eq!(given(&there, Operation::Update), None);
        assert_eq!(given(&value(Cty::UNKNOWN), Operation::Create), None);
        assert_eq!(given(&Cty::Null, Operation::Create), None);
        assert_eq!(in_value(&Block::default(), &there, Operation::Create, minute), None);
    }

    #[test]
    fn a_limit_is_taken_out_of_a_value() {
        let minute = Duration::from_secs(60);
        let value = |timeouts: Cty| Cty::Map(Attributes::from([(Arc::from(ATTRIBUTE), timeouts)]));
        let own = Stored { state: value(Cty::Null), ..Stored::NOTHING };
        let ordered = in_stored(&block(), &own, Operation::Create, minute).unwrap();
        assert!(ordered.state != own.state && ordered.private == own.private);
        let mut same = ordered.clone();
        out_of_stored(&mut same, &ordered, &own, Operation::Create);
        assert_eq!(same.state, own.state);
        for other in [value(Cty::UNKNOWN), Cty::Null] {
            let mut answer = Stored { state: other.clone(), ..Stored::NOTHING };
            out_of_stored(&mut answer, &ordered, &own, Operation::Create);
            assert_eq!(answer.state, other);
        }
        assert!(in_stored(&block(), &own, Operation::Read, minute).is_none());
    }
}
