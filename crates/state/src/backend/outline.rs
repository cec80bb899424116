//! A state without the properties of its resources: read in one pass, with only the stack's outputs decoded.

use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;
use outrigger_value::{PropertyMap, Urn};

use crate::Resource;
use crate::backend::Backend;
use crate::backend::stack_name::StackName;
use crate::checkpoint::integrity::verify;
use crate::checkpoint::node::Node;
use crate::checkpoint::snapshot::{read_one, read_provider};
use crate::checkpoint::{self, Document, Scanned};
use crate::journal::recovery;
use crate::journal::session::{Keys, crypter, current};

/// The outline of a state.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The entries, in the state's order.
    pub entries: Vec<Outlined>,
    /// Pending operations: the operation in Pulumi's words, and the resource.
    pub pending: Vec<(String, Urn)>,
    /// The stack's outputs.
    pub outputs: PropertyMap,
    /// When the state was last written, RFC 3339.
    pub last_update: Option<String>,
    /// Findings on the way, such as the recovered results of an interrupted run.
    pub findings: Vec<Diagnostic>,
}

/// An entry of a state, without its properties.
#[derive(Clone, Debug)]
pub struct Outlined {
    /// Its name.
    pub urn: Urn,
    /// The provider's id.
    pub id: Option<String>,
    /// Its parent.
    pub parent: Option<Urn>,
    /// The resources that it depends on.
    pub dependencies: Vec<Urn>,
    /// It awaits deletion.
    pub delete: bool,
    /// It is managed by a provider; otherwise it is a component, or the stack itself.
    pub custom: bool,
    /// Nothing deletes or replaces it.
    pub protect: bool,
    /// The next update replaces it.
    pub taint: bool,
}

impl Backend {
    /// The outline of a stack's state, with the results of an interrupted run. Takes no lock and writes nothing.
    pub fn outline(&self, stack: &StackName, keys: Keys<'_>) -> Result<Outline, Diagnostic> {
        let file = self.show(stack);
        let (outline, findings) = self.scan(stack, |found| outline(found, keys, &file))?;
        Ok(Outline { findings, ..outline })
    }

    /// One entry of a stack's state with its properties; of several with that name, the one that is not awaiting deletion.
    pub fn resource(&self, stack: &StackName, urn: &Urn, keys: Keys<'_>) -> Result<Option<Resource>, Diagnostic> {
        let file = self.show(stack);
        let (found, _) = self.scan(stack, |found| {
            let mut chosen = None;
            for text in &found.resources {
                let node = Node::parse(text).map_err(|_| checkpoint::not_an_entry(&file))?;
                if *node.urn == *urn.as_str() && (chosen.is_none() || !node.delete) {
                    chosen = Some(*text);
                }
            }
            let crypter = opener(found, keys, &file)?;
            chosen.map(|text| read_one(text, crypter.as_ref(), &file)).transpose()
        })?;
        Ok(found)
    }

    /// Reads a stack's state, with the results of an interrupted run.
    fn scan<T>(
        &self,
        stack: &StackName,
        read: impl FnOnce(&Scanned<'_>) -> Result<T, Diagnostic>,
    ) -> Result<(T, Vec<Diagnostic>), Diagnostic> {
        if recovery::paths(self.disk.as_ref(), stack)?.is_empty() {
            let object = self.require(stack)?;
            let found = checkpoint::scan(&object.bytes, Document::Checkpoint, &self.show(stack))?;
            return Ok((read(&found.unwrap_or_default())?, Vec::new()));
        }
        let (table, findings) = current(self, stack)?;
        Ok((read(&table.deployment().scanned())?, findings))
    }
}

/// Opens the secrets of a state.
fn opener(found: &Scanned<'_>, keys: Keys<'_>, file: &str) -> Result<Arc<dyn Crypter>, Diagnostic> {
    let provider = found.secrets_provider.map(|text| read_provider(text, file)).transpose()?;
    crypter(provider.as_ref().filter(|provider| !provider.kind.is_empty()), keys)
}

fn outline(found: &Scanned<'_>, keys: Keys<'_>, file: &str) -> Result<Outline, Diagnostic> {
    let parse = |text: &&str| Node::parse(text).map_err(|_| checkpoint::not_an_entry(file));
    let nodes = found.resources.iter().map(parse).collect::<Result<Vec<Node>, _>>()?;
    verify(&nodes).map_err(|violation| violation.on_read(file))?;
    let root = nodes.iter().position(|node| node.is_root_stack() && !node.delete);
    let outputs = match root.and_then(|index| found.resources.get(index)) {
        Some(text) => read_one(text, opener(found, keys, file)?.as_ref(), file)?.outputs,
        None => PropertyMap::new(),
    };
    let mut pending = Vec::new();
    for (kind, text) in &found.operations {
        pending.extend(parse(text)?.parsed_urn().map(|urn| (kind.clone(), urn)));
    }
    let entries = nodes.into_iter().filter_map(|node| {
        Some(Outlined {
            urn: node.parsed_urn()?,
            id: Some(node.id.into()).filter(|id: &String| !id.is_empty()),
            parent: node.parent.parse().ok(),
            dependencies: node.dependencies.iter().filter_map(|urn| urn.parse().ok()).collect(),
            delete: node.delete,
            custom: node.custom,
            protect: node.protect,
            taint: node.taint,
        })
    });
    let last_update = found.manifest.and_then(checkpoint::last_update);
    Ok(Outline { entries: entries.collect(), pending, outputs, last_update, findings: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{World, append, begin, info, keys, run, stack, urn};
    use crate::{Record, Resource};
    use outrigger_value::Value;

    #[test]
    fn an_outline_has_what_the_state_and_the_journal_hold() {
        World::each(|world| {
            assert!(world.backend().outline(&stack(), &keys).unwrap().entries.is_empty());
            let opened = world.open();
            assert_eq!(run(&opened.session), 5);
            let mut root = Resource::new(Urn::new("dev", "shop", None, "pulumi:pulumi:Stack", "shop-dev"), false);
            root.outputs.insert("password".into(), Value::secret("canary".into()));
            append(&opened.session, Record { put: vec![(crate::EntryKey(9), root.into())], ..Record::default() })
                .unwrap();
            append(&opened.session, begin(7, "three")).unwrap();
            let unfinished = world.backend().outline(&stack(), &keys).unwrap();
            assert_eq!((unfinished.findings.len(), unfinished.pending), (1, vec![("creating".into(), urn("three"))]));
            opened.session.finish(info()).unwrap();
            let outline = world.backend().outline(&stack(), &keys).unwrap();
            assert_eq!(outline.outputs["password"], Value::secret("canary".into()));
            assert!(outline.last_update.is_some() && outline.findings.is_empty());
            for outline in [outline.entries, unfinished.entries] {
                let ids: Vec<Option<&str>> = outline.iter().map(|entry| entry.id.as_deref()).collect();
                assert_eq!(ids, [None, Some("p1"), Some("one"), Some("two")]);
            }
        });
    }
}
