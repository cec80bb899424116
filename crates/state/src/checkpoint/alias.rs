//! Former names of resources. A checkpoint refers to resources by their current names only, as Pulumi writes it.

use std::collections::HashMap;
use std::sync::Arc;

use outrigger_value::{ProviderReference, Urn};
use serde_json::Value as Json;

use crate::checkpoint::node::Node;
use crate::checkpoint::table::Table;

/// Rewrites every reference to a former name and drops the lists of former names. Costs nothing when there are none.
pub(crate) fn settle(table: &mut Table) {
    if table.entries.values().all(|entry| entry.node.aliases.is_empty()) {
        return;
    }
    let renamed = renames(table.entries.values().map(|entry| &entry.node));
    for entry in table.entries.values_mut() {
        if !touched(&entry.node, &renamed) {
            continue;
        }
        let Ok(mut json) = serde_json::from_str::<Json>(&entry.text) else { continue };
        rewrite(&mut json, &renamed);
        let mut out = crate::checkpoint::json::JsonWriter::new();
        out.json(&json);
        let text: Arc<str> = out.finish().into();
        if let Ok(node) = Node::parse(&text) {
            entry.text = text;
            entry.node = node;
        }
    }
}

/// Former names to present ones. A child of a renamed parent is itself renamed, unless the parent is the root stack.
fn renames<'a>(nodes: impl Iterator<Item = &'a Node>) -> HashMap<Arc<str>, Arc<str>> {
    let mut renamed: HashMap<Arc<str>, Arc<str>> = HashMap::new();
    for node in nodes {
        for alias in node.aliases.iter().filter(|alias| **alias != node.urn) {
            renamed.insert(alias.clone(), node.urn.clone());
        }
        let (Some(parent), Some(urn)) = (renamed.get(&node.parent), node.parsed_urn()) else { continue };
        if let Ok(parent) = parent.parse::<Urn>()
            && !parent.is_stack()
        {
            let name = Urn::new(urn.stack(), urn.project(), Some(&parent), urn.ty(), urn.name());
            if name != urn {
                renamed.insert(node.urn.clone(), name.as_str().into());
            }
        }
    }
    renamed
}

fn touched(node: &Node, renamed: &HashMap<Arc<str>, Arc<str>>) -> bool {
    !node.aliases.is_empty()
        || renamed.contains_key(&node.urn)
        || node.references().any(|reference| renamed.contains_key(reference.urn))
        || node.provider_reference().is_some_and(|provider| renamed.contains_key(provider.urn.as_str()))
}

fn rewrite(entry: &mut Json, renamed: &HashMap<Arc<str>, Arc<str>>) {
    let Some(fields) = entry.as_object_mut() else { return };
    fields.remove("aliases");
    let one = |value: &mut Json| {
        if let Some(now) = value.as_str().and_then(|urn| renamed.get(urn)) {
            *value = Json::String(now.to_string());
        }
    };
    let list = |value: &mut Json| value.as_array_mut().into_iter().flatten().for_each(one);
    for field in ["urn", "parent", "deletedWith"] {
        fields.get_mut(field).into_iter().for_each(one);
    }
    for field in ["dependencies", "replaceWith"] {
        fields.get_mut(field).into_iter().for_each(list);
    }
    if let Some(by_property) = fields.get_mut("propertyDependencies").and_then(Json::as_object_mut) {
        by_property.values_mut().for_each(list);
    }
    if let Some(provider) = fields.get_mut("provider")
        && let Some(mut reference) = provider.as_str().and_then(|text| text.parse::<ProviderReference>().ok())
        && let Some(urn) = renamed.get(reference.urn.as_str()).and_then(|urn| urn.parse().ok())
    {
        reference.urn = urn;
        *provider = Json::String(reference.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EntryKey;
    use crate::checkpoint::table::TextRecord;

    #[test]
    fn references_to_a_former_name_follow_it() {
        let old = "urn:pulumi:dev::shop::a:b:C::old";
        let new = "urn:pulumi:dev::shop::a:b:C::new";
        let provider = "urn:pulumi:dev::shop::pulumi:providers:a::p";
        let renamed = format!("{provider}2");
        let put = vec![
            (EntryKey(0), format!(r#"{{"urn":"{renamed}","type":"pulumi:providers:a","custom":true,"id":"1","aliases":["{provider}"]}}"#).into()),
            (EntryKey(1), format!(r#"{{"urn":"{new}","type":"a:b:C","custom":true,"id":"1","aliases":["{old}"]}}"#).into()),
            (EntryKey(2), format!(r#"{{"urn":"urn:pulumi:dev::shop::a:b:C$d:e:F::child","type":"d:e:F","custom":true,"id":"2","parent":"{old}","dependencies":["{old}"],"propertyDependencies":{{"k":["{old}"]}},"deletedWith":"{old}","provider":"{provider}::1","inputs":{{"n":1.5}}}}"#).into()),
            (EntryKey(3), r#"{"urn":"urn:pulumi:dev::shop::a:b:C::other","type":"a:b:C","custom":true,"id":"3"}"#.into()),
        ];
        let mut table = Table::default();
        table.apply(TextRecord { put, ..TextRecord::default() });
        let untouched = table.entries[&EntryKey(3)].text.clone();
        let text = table.render("organization/shop/dev", jiff::Timestamp::UNIX_EPOCH).unwrap().text;
        assert!(!text.contains(old) && !text.contains("aliases") && text.contains(&format!("{renamed}::1")), "{text}");
        assert!(text.contains(&*untouched) && text.contains(r#""n":1.5"#));
    }
}
