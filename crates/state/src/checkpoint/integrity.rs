//! Pulumi's integrity rules for a state, checked on every read and write.

use std::collections::{HashMap, HashSet};

use outrigger_diagnostic::Diagnostic;

use crate::checkpoint::node::{Kind, Node};

/// A violated rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The resource, or its position.
    pub(crate) resource: String,
    /// The problem.
    pub(crate) rule: String,
}

impl Violation {
    fn new(resource: &str, rule: impl Into<String>) -> Self {
        Self { resource: resource.to_owned(), rule: rule.into() }
    }

    /// The error for a file that was read and is refused.
    pub(crate) fn on_read(&self, file: &str) -> Diagnostic {
        Diagnostic::error("state-integrity", format!("the state is not sound: {}", self.rule))
            .detail(format!("Resource {} in {file} breaks a rule that both Pulumi and Outrigger rely on, so it is not used.", self.resource))
            .hint("Export it with `outrigger stack export`, correct it, and import it with `outrigger stack import`.")
            .hint("Earlier states are in `.pulumi/backups` and `.pulumi/history` beside the stack, and in the stack's `.json.bak` file.")
    }

    /// The error for a state that is therefore not written.
    pub(crate) fn on_write(&self, file: &str) -> Diagnostic {
        Diagnostic::error("state-integrity-write", format!("the new state would not be sound: {}", self.rule))
            .detail(format!(
                "Resource {} would break a rule that both Pulumi and Outrigger rely on. {file} was left as it was.",
                self.resource
            ))
            .hint("Nothing is lost: every result is in the journal. Please report this, with the journal below `.pulumi/outrigger`.")
    }
}

/// Checks entries in their order.
pub(crate) fn verify<'a>(nodes: impl IntoIterator<Item = &'a Node>) -> Result<(), Violation> {
    let nodes: Vec<&Node> = nodes.into_iter().collect();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut providers: HashSet<(&str, &str)> = HashSet::new();
    let mut kept: HashMap<&str, u32> = HashMap::new();
    for (index, node) in nodes.iter().enumerate() {
        if node.urn.is_empty() {
            return Err(Violation::new(&format!("number {index}"), "a resource has no `urn`"));
        }
        let urn = node.urn.as_ref();
        if node.kind == Kind::Untyped {
            return Err(Violation::new(urn, "a resource has no type"));
        }
        if node.parsed_urn().is_none() {
            return Err(Violation::new(
                urn,
                "a resource's URN is not of the form urn:pulumi:STACK::PROJECT::TYPE::NAME",
            ));
        }
        if !node.custom && !node.id.is_empty() {
            return Err(Violation::new(urn, "a component has an id"));
        }
        if node.is_provider() {
            if node.id.is_empty() {
                return Err(Violation::new(urn, "a provider has no id"));
            }
            providers.insert((urn, node.id.as_ref()));
        }
        if !node.provider.is_empty() {
            let Some((provider, id)) = node.provider_reference().and(node.provider.rsplit_once("::")) else {
                return Err(Violation::new(urn, format!("its provider reference `{}` is not URN::ID", node.provider)));
            };
            if !node.pending_replacement && !providers.contains(&(provider, id)) {
                let later = nodes.iter().skip(index).any(|other| *other.urn == *provider && *other.id == *id);
                let how = if later { "comes after it" } else { "is missing" };
                return Err(Violation::new(urn, format!("its provider {provider} with id {id} {how}")));
            }
        }
        for reference in node.references() {
            if !seen.contains(reference.urn) {
                let later = nodes.iter().skip(index).any(|other| *other.urn == *reference.urn);
                let how = if later { "comes after it" } else { "is missing" };
                return Err(Violation::new(urn, format!("`{}` names {}, which {how}", reference.field, reference.urn)));
            }
        }
        seen.insert(urn);
        if !node.delete {
            let count = kept.entry(urn).or_default();
            *count += 1;
            if *count > 1 {
                return Err(Violation::new(urn, "it is listed twice, and neither entry is marked for deletion"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(json: serde_json::Value) -> Node {
        serde_json::from_value(json).unwrap()
    }

    fn custom(name: &str, more: serde_json::Value) -> Node {
        let mut entry = serde_json::json!({
            "urn": format!("urn:pulumi:dev::shop::a:b:C::{name}"), "type": "a:b:C", "custom": true, "id": name,
        });
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        node(entry)
    }

    fn provider(id: &str) -> Node {
        node(serde_json::json!({
            "urn": "urn:pulumi:dev::shop::pulumi:providers:a::p", "type": "pulumi:providers:a", "custom": true, "id": id,
        }))
    }

    fn broken(nodes: &[Node]) -> String {
        verify(nodes).unwrap_err().rule
    }

    #[test]
    fn a_sound_state_passes() {
        let uses = serde_json::json!({
            "provider": "urn:pulumi:dev::shop::pulumi:providers:a::p::1",
            "dependencies": ["urn:pulumi:dev::shop::a:b:C::x"],
            "propertyDependencies": {"k": ["urn:pulumi:dev::shop::a:b:C::x"], "none": null},
        });
        let old = custom("x", serde_json::json!({"delete": true, "id": "old"}));
        verify(&[provider("1"), custom("x", serde_json::json!({})), custom("y", uses), old.clone(), old]).unwrap();
    }

    #[test]
    fn each_rule_is_enforced() {
        let x = || custom("x", serde_json::json!({}));
        let y = |more: serde_json::Value| custom("y", more);
        let urn = "urn:pulumi:dev::shop::a:b:C::x";
        assert!(broken(&[node(serde_json::json!({"type": "a:b:C"}))]).contains("no `urn`"));
        assert!(broken(&[node(serde_json::json!({"urn": urn}))]).contains("no type"));
        assert!(broken(&[node(serde_json::json!({"urn": "x", "type": "a:b:C"}))]).contains("not of the form"));
        assert!(broken(&[node(serde_json::json!({"urn": urn, "type": "a:b:C", "id": "1"}))]).contains("component"));
        assert!(broken(&[provider("")]).contains("no id"));
        assert!(broken(&[y(serde_json::json!({"provider": "nonsense"}))]).contains("URN::ID"));
        let reference = serde_json::json!({"provider": "urn:pulumi:dev::shop::pulumi:providers:a::p::2"});
        assert!(broken(&[provider("1"), y(reference.clone())]).contains("is missing"));
        assert!(broken(&[y(reference.clone()), provider("2")]).contains("comes after"));
        let mut pending = y(reference);
        pending.pending_replacement = true;
        verify(&[pending]).unwrap();
        for (field, value) in [
            ("parent", serde_json::json!(urn)),
            ("dependencies", serde_json::json!([urn])),
            ("propertyDependencies", serde_json::json!({"k": [urn]})),
            ("deletedWith", serde_json::json!(urn)),
            ("replaceWith", serde_json::json!([urn])),
        ] {
            let refers = y(serde_json::json!({field: value}));
            let rule = broken(std::slice::from_ref(&refers));
            assert!(rule.contains(field) && rule.contains("is missing"), "{rule}");
            assert!(broken(&[refers, x()]).contains("comes after"));
        }
        assert!(broken(&[x(), x()]).contains("twice"));
    }
}
