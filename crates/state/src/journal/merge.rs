//! Merging creations into a state that another program has written since: never blindly, and each with a finding.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use serde_json::Value as Json;

use crate::checkpoint::json::JsonWriter;
use crate::checkpoint::node::Node;
use crate::checkpoint::table::{Operation, Table, TextRecord};
use crate::{EntryKey, OperationId};

/// An entry that the interrupted run created.
pub(crate) struct Creation {
    text: Arc<str>,
    node: Node,
}

impl Creation {
    pub(crate) fn parse(text: &Arc<str>) -> Option<Self> {
        Some(Self { node: Node::parse(text).ok()?, text: Arc::clone(text) })
    }

    fn is_in(&self, table: &Table) -> bool {
        table.entries.values().any(|entry| entry.node.urn == self.node.urn && entry.node.id == self.node.id)
    }
}

/// Adds the creations that the state lacks. A resource whose name now belongs to another one is added for deletion; a creation without a
/// known result stays a pending operation.
pub(crate) fn merge(table: &mut Table, created: Vec<Creation>, pending: Vec<(String, Arc<str>)>) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let missing: Vec<Creation> = created.into_iter().filter(|creation| !creation.is_in(table)).collect();
    // Providers and components are in no cloud: they are added only for resources that need them.
    let (wanted, support): (Vec<Creation>, Vec<Creation>) = missing.into_iter().partition(|creation| {
        creation.node.custom && !creation.node.is_provider() && !creation.node.external && !creation.node.id.is_empty()
    });
    let support: BTreeMap<String, Creation> =
        support.into_iter().map(|creation| (reference(&creation.node), creation)).collect();
    for creation in &wanted {
        bring_support(table, creation, &support);
    }
    // A resource that stays a pending operation cannot be referred to.
    let names: HashSet<Arc<str>> = wanted
        .iter()
        .filter(|creation| provider_of(table, creation).is_some())
        .map(|creation| creation.node.urn.clone())
        .collect();
    for creation in wanted {
        findings.push(add(table, &creation, &names));
    }
    for (kind, text) in pending {
        let Ok(node) = Node::parse(&text) else { continue };
        // Two attempts to create one name may have made two resources, so only the same attempt counts as known.
        let same =
            |operation: &Operation| operation.kind == kind && operation.node.urn == node.urn && operation.text == text;
        let known = table.operations.values().any(same);
        if !known {
            findings.push(
                Diagnostic::warning("journal-pending-kept", format!("it is not known whether {} was created", node.urn))
                    .detail("An interrupted run had begun to create it, and another program has written the state since. It is kept as a pending operation.")
                    .hint("Run `outrigger refresh` to settle it."),
            );
            begin(table, kind, text);
        }
    }
    findings
}

/// The reference to an entry: a provider's includes its id.
fn reference(node: &Node) -> String {
    if node.is_provider() { format!("{}::{}", node.urn, node.id) } else { node.urn.to_string() }
}

fn bring_support(table: &mut Table, creation: &Creation, support: &BTreeMap<String, Creation>) {
    for name in [&creation.node.provider, &creation.node.parent] {
        let Some(needed) = support.get(name.as_ref()).filter(|needed| !needed.is_in(table)) else { continue };
        let taken = has_live(table, &needed.node.urn);
        if needed.node.is_provider() || !taken {
            bring_support(table, needed, support);
            let names = HashSet::new();
            if let Some(text) = fitted(table, needed, &names, taken) {
                insert(table, text);
            }
        }
    }
}

fn add(table: &mut Table, creation: &Creation, names: &HashSet<Arc<str>>) -> Diagnostic {
    let node = &creation.node;
    let taken = has_live(table, &node.urn);
    let said = match fitted(table, creation, names, taken) {
        Some(text) => {
            insert(table, text);
            if taken {
                format!(
                    "{} (id {}) is added to the state for deletion: another resource has its name now",
                    node.urn, node.id
                )
            } else {
                format!("{} (id {}) is added to the state", node.urn, node.id)
            }
        }
        None => {
            begin(table, "creating".to_owned(), Arc::clone(&creation.text));
            format!(
                "{} (id {}) was created by a provider that the state no longer has; it is kept as a pending operation",
                node.urn, node.id
            )
        }
    };
    Diagnostic::warning("journal-merged", said)
        .detail("An interrupted run created it, and another program has written the state since, without it.")
        .hint("Run `outrigger refresh` and then `outrigger preview` before the next change.")
}

fn has_live(table: &Table, urn: &str) -> bool {
    table.entries.values().any(|entry| *entry.node.urn == *urn && !entry.node.delete)
}

/// The entry's text without references to missing entries. `None` if its provider cannot be found.
fn fitted(table: &Table, creation: &Creation, names: &HashSet<Arc<str>>, delete: bool) -> Option<Arc<str>> {
    let there = |urn: &str| names.contains(urn) || table.entries.values().any(|entry| *entry.node.urn == *urn);
    let mut json: Json = serde_json::from_str(&creation.text).ok()?;
    let fields = json.as_object_mut()?;
    // The program that wrote the state does not know the run's renames. Applying one now would give this name to an entry that still has
    // the old one; kept as two resources, both stay known, and the next run finds which of them the program registers.
    fields.remove("aliases");
    for field in ["parent", "deletedWith"] {
        if fields.get(field).and_then(Json::as_str).is_some_and(|urn| !there(urn)) {
            fields.remove(field);
        }
    }
    let keep = |list: &mut Json| {
        if let Some(items) = list.as_array_mut() {
            items.retain(|item| item.as_str().is_some_and(there));
        }
    };
    for field in ["dependencies", "replaceWith"] {
        fields.get_mut(field).into_iter().for_each(keep);
    }
    if let Some(by_property) = fields.get_mut("propertyDependencies").and_then(Json::as_object_mut) {
        by_property.values_mut().for_each(keep);
    }
    match provider_of(table, creation)? {
        Provided::AsItSays => {}
        Provided::By(other) => drop(fields.insert("provider".to_owned(), Json::String(other))),
    }
    if delete {
        fields.insert("delete".to_owned(), Json::Bool(true));
    }
    let mut out = JsonWriter::new();
    out.json(&json);
    Some(out.finish().into())
}

/// The provider of an entry.
enum Provided {
    /// The one that it names, if any.
    AsItSays,
    /// Another provider of the same name.
    By(String),
}

/// The provider of an entry in the state as it is now; `None` if it is missing.
fn provider_of(table: &Table, creation: &Creation) -> Option<Provided> {
    let Some(provider) = creation.node.provider_reference() else { return Some(Provided::AsItSays) };
    let providers = || table.entries.values().filter(|entry| *entry.node.urn == *provider.urn.as_str());
    if providers().any(|entry| *entry.node.id == *provider.id) {
        return Some(Provided::AsItSays);
    }
    providers().find(|entry| !entry.node.delete).map(|other| Provided::By(reference(&other.node)))
}

fn insert(table: &mut Table, text: Arc<str>) {
    let key = table.entries.last_key_value().map_or(0, |(key, _)| key.0 + 1);
    table.apply(TextRecord { put: vec![(EntryKey(key), text)], ..TextRecord::default() });
}

fn begin(table: &mut Table, kind: String, text: Arc<str>) {
    let id = table.operations.last_key_value().map_or(0, |(id, _)| id.0 + 1);
    table.apply(TextRecord { begin: vec![(OperationId(id), kind, text)], ..TextRecord::default() });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, id: &str, aliases: &[&str]) -> Arc<str> {
        let urn = |name: &str| format!("urn:pulumi:dev::shop::a:b:C::{name}");
        let aliases: Vec<String> = aliases.iter().map(|name| urn(name)).collect();
        serde_json::json!({"urn": urn(name), "type": "a:b:C", "custom": true, "id": id, "aliases": aliases})
            .to_string()
            .into()
    }

    #[test]
    fn what_stays_pending_is_not_referred_to() {
        let urn = |name: &str| format!("urn:pulumi:dev::shop::a:b:C::{name}");
        let orphan = serde_json::json!({
            "urn": urn("orphan"), "type": "a:b:C", "custom": true, "id": "1",
            "provider": "urn:pulumi:dev::shop::pulumi:providers:a::gone::9",
        });
        let other = serde_json::json!({
            "urn": urn("other"), "type": "a:b:C", "custom": true, "id": "2", "dependencies": [urn("orphan")],
            "propertyDependencies": {"p": [urn("orphan")]},
        });
        let mut table = Table::default();
        let created = [orphan, other].map(|entry| Creation::parse(&entry.to_string().into()).unwrap());
        merge(&mut table, created.into(), Vec::new());
        table.render("dev", jiff::Timestamp::UNIX_EPOCH).map_err(drop).unwrap();
        assert_eq!(table.entries.values().map(|entry| entry.node.id.as_ref()).collect::<Vec<_>>(), ["2"]);
        assert_eq!(table.operations.len(), 1);
    }

    #[test]
    fn a_rename_is_not_brought_along() {
        let mut table = Table::default();
        table.apply(TextRecord { put: vec![(EntryKey(0), entry("old", "1", &[]))], ..TextRecord::default() });
        let created = Creation::parse(&entry("new", "2", &["old"])).unwrap();
        merge(&mut table, vec![created], Vec::new());
        table.render("dev", jiff::Timestamp::UNIX_EPOCH).map_err(drop).unwrap();
        let found: Vec<_> =
            table.entries.values().map(|entry| (entry.node.urn.to_string(), entry.node.id.as_ref())).collect();
        let urn = |name: &str| format!("urn:pulumi:dev::shop::a:b:C::{name}");
        assert_eq!(found, [(urn("old"), "1"), (urn("new"), "2")]);
    }
}
