//! Whole stacks: create, remove, export, import, tag.

use std::collections::{BTreeMap, BTreeSet};

use outrigger_diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::backend::Backend;
use crate::backend::lock::Lock;
use crate::backend::stack_name::StackName;
use crate::checkpoint::json::indented;
use crate::checkpoint::snapshot::{provider_text, read_provider};
use crate::checkpoint::table::Table;
use crate::checkpoint::{self, Checkpoint, Document};
use crate::clock::Clock;
use crate::journal::recovery;
use crate::journal::session::{Keys, Session, current, rewrite, take_over};
use crate::machine::Machine;
use crate::store::objects::Condition;
use crate::{SecretsProviderState, Snapshot};

#[derive(Serialize, Deserialize)]
struct Tags {
    version: u32,
    tags: Option<BTreeMap<String, String>>,
}

impl Backend {
    /// Creates a stack. With a secrets provider the file looks as after `pulumi stack init`.
    pub fn create_stack(
        &self,
        stack: &StackName,
        provider: Option<&SecretsProviderState>,
        machine: &dyn Machine,
        clock: &dyn Clock,
    ) -> Result<(), Diagnostic> {
        self.ensure_meta()?;
        self.with_lock(stack, machine, clock, || {
            if self.exists(stack)? {
                return Err(Diagnostic::error(
                    "stack-exists",
                    format!("stack `{stack}` of project `{}` already exists", stack.project()),
                )
                .hint(format!("Select it with `outrigger stack select {stack}`, or choose another name.")));
            }
            let text = match provider {
                Some(provider) => {
                    let deployment = checkpoint::Deployment {
                        secrets_provider: Some(provider_text(provider)),
                        ..checkpoint::Deployment::default()
                    };
                    checkpoint::write(Document::Checkpoint, &stack.qualified(), Some(clock.now()), &[], &deployment)
                }
                None => checkpoint::write_fresh(&stack.qualified()),
            };
            let path = stack.checkpoint_path();
            self.put_checkpoint(stack, None, text.as_bytes(), clock.now())
                .map_err(|error| self.failure("write the state", &path, &error))
        })
    }

    /// Removes a stack with its history and tags; its state is kept as `.bak`. A stack that has resources is removed only with `force`.
    pub fn remove_stack(
        &self,
        stack: &StackName,
        force: bool,
        machine: &dyn Machine,
        clock: &dyn Clock,
    ) -> Result<(), Diagnostic> {
        self.require(stack)?;
        self.with_lock(stack, machine, clock, || {
            if !force {
                let table = self.taken_over(stack, machine, clock)?.0;
                let only_root = table.entries.values().all(|entry| entry.node.is_root_stack());
                if !only_root || !table.operations.is_empty() {
                    let count = resources(&table);
                    let what = if count == 1 { "resource" } else { "resources" };
                    return Err(Diagnostic::error(
                        "stack-not-empty",
                        format!("stack `{stack}` still has {count} {what}"),
                    )
                    .detail("Without the stack, neither `outrigger` nor `pulumi` would know of them.")
                    .hint("Delete them with `outrigger destroy`, or remove the stack anyway with `--force`."));
                }
            }
            self.delete_files(stack)
        })
    }

    /// Removes the copies of a removed stack's earlier states.
    pub fn remove_backups(&self, stack: &StackName) -> Result<(), Diagnostic> {
        const WHAT: &str = "remove the backups";
        let mut gone = self.paths_in(WHAT, &stack.backup_directory())?;
        gone.push(format!("{}.bak", stack.checkpoint_path()));
        self.objects.delete(&gone).map_err(|error| self.failure(WHAT, &stack.backup_directory(), &error))
    }

    /// How many resources the stack has, apart from its root.
    pub fn resources(&self, stack: &StackName) -> Result<usize, Diagnostic> {
        self.require(stack)?;
        Ok(resources(&current(self, stack)?.0))
    }

    pub(crate) fn delete_files(&self, stack: &StackName) -> Result<(), Diagnostic> {
        const WHAT: &str = "remove the stack";
        let path = stack.checkpoint_path();
        let last = self.require(stack)?;
        let mut gone = vec![path.clone(), stack.tags_path()];
        gone.extend(self.paths_in(WHAT, &stack.history_directory())?);
        let kept = self.keep_beside(stack, &last).and_then(|()| self.objects.delete(&gone));
        kept.map_err(|error| self.failure(WHAT, &path, &error))?;
        recovery::discard(self.disk.as_ref(), stack, &recovery::paths(self.disk.as_ref(), stack)?)
    }

    /// The state as `stack export` prints it, including the results of an interrupted run. Secrets stay encrypted, and unknown fields are
    /// kept.
    pub fn export_stack(&self, stack: &StackName) -> Result<String, Diagnostic> {
        let (table, findings) = current(self, stack)?;
        let mut features: BTreeSet<&str> = table.entries.values().flat_map(|entry| entry.node.features()).collect();
        if table.rest.contains_key("snippets") {
            features.insert("snippets-prototype");
        }
        let features: Vec<&str> = features.into_iter().collect();
        // With results of a journal in it, the state no longer matches the stored manifest.
        let deployment = checkpoint::Deployment {
            manifest: if findings.is_empty() { table.manifest.clone() } else { None },
            ..table.deployment()
        };
        Ok(indented(&checkpoint::write(Document::Export, "", None, &features, &deployment)))
    }

    /// The same with secrets in clear.
    pub fn export_stack_shown(
        &self,
        stack: &StackName,
        keys: Keys<'_>,
        clock: &dyn Clock,
    ) -> Result<String, Diagnostic> {
        let viewed = Session::view(self, stack, keys)?;
        Ok(indented(&viewed.base.to_export(clock.now(), None)?))
    }

    /// Replaces a stack's state with an exported one, whose name is for messages. Returns warnings. With `force`, resources of another
    /// stack are accepted.
    pub fn import_stack(
        &self,
        stack: &StackName,
        (document, name): (&[u8], &str),
        force: bool,
        keys: Keys<'_>,
        machine: &dyn Machine,
        clock: &dyn Clock,
    ) -> Result<Vec<Diagnostic>, Diagnostic> {
        self.require(stack)?;
        let checkpoint = checkpoint::read(document, Document::Export, name)?;
        let mut deployment = checkpoint.deployment.unwrap_or_default();
        let mut findings = Vec::new();
        for (kind, text) in std::mem::take(&mut deployment.operations) {
            let urn = crate::checkpoint::node::Node::parse(&text).map(|node| node.urn).unwrap_or_default();
            findings.push(
                Diagnostic::warning(
                    "import-pending-dropped",
                    format!("the pending operation `{kind}` of {urn} was dropped"),
                )
                .detail("An import starts without pending operations, as in `pulumi`.")
                .hint("Run `outrigger refresh` if you do not know whether that resource exists."),
            );
        }
        let shown = deployment.resources.iter().any(|text| text.contains(r#""plaintext""#));
        let provider = deployment.secrets_provider.clone();
        let mut table = Table::from_checkpoint(Checkpoint { deployment: Some(deployment) }, name)?;
        foreign(&table, stack, force, &mut findings)?;
        if shown {
            // Secrets that were exported in clear must not be stored in clear.
            let provider = provider.as_deref().map(|text| read_provider(text, name)).transpose()?;
            let Some(provider) = provider.filter(|provider| !provider.kind.is_empty()) else {
                return Err(Diagnostic::error(
                    "import-secrets-in-clear",
                    "the imported file has secrets in clear and no secrets provider",
                )
                .hint("Export it again without `--show-secrets`."));
            };
            let crypter = keys(&provider)?;
            let snapshot = Snapshot::decode(&table.deployment(), crypter.as_ref(), name)?;
            table.reencode(&snapshot, crypter.as_ref())?;
        }
        self.with_lock(stack, machine, clock, || {
            // The results of an interrupted run belong to the state that is replaced.
            self.taken_over(stack, machine, clock)?;
            rewrite(self, stack, &mut table, clock)
        })?;
        Ok(findings)
    }

    /// The stack's tags.
    pub fn tags(&self, stack: &StackName) -> Result<BTreeMap<String, String>, Diagnostic> {
        let path = stack.tags_path();
        let Some(object) = self.get("read the tags", &path)? else { return Ok(BTreeMap::new()) };
        match serde_json::from_slice::<Tags>(&object.bytes) {
            Ok(Tags { version: 1, tags }) => Ok(tags.unwrap_or_default()),
            _ => Err(Diagnostic::error("tags-unreadable", "the stack's tags cannot be read")
                .detail(format!("{} is not a tags file of version 1.", self.objects.describe(&path)))
                .hint("Restore or remove the file.")),
        }
    }

    /// Sets the stack's tags; without any, the file is removed.
    pub fn set_tags(&self, stack: &StackName, tags: &BTreeMap<String, String>) -> Result<(), Diagnostic> {
        let path = stack.tags_path();
        let done = if tags.is_empty() {
            self.objects.delete(std::slice::from_ref(&path))
        } else {
            serde_json::to_vec(&Tags { version: 1, tags: Some(tags.clone()) })
                .map_err(std::io::Error::other)
                .and_then(|bytes| self.objects.put(&path, &bytes, Condition::Always))
        };
        done.map_err(|error| self.failure("write the tags", &path, &error))
    }

    pub(crate) fn taken_over(
        &self,
        stack: &StackName,
        machine: &dyn Machine,
        clock: &dyn Clock,
    ) -> Result<(Table, String, Vec<Diagnostic>), Diagnostic> {
        let leftovers = recovery::leftovers(self.disk.as_ref(), stack)?;
        recovery::refuse_running(&leftovers, machine)?;
        take_over(self, stack, clock, leftovers)
    }

    pub(crate) fn with_lock<T>(
        &self,
        stack: &StackName,
        machine: &dyn Machine,
        clock: &dyn Clock,
        work: impl FnOnce() -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        let (lock, _) = Lock::acquire(self, stack, machine, clock)?;
        let result = work();
        let released = lock.release();
        result.and_then(|value| released.map(|()| value))
    }
}

/// Refuses resources of another stack, which are a sign of the wrong file.
fn foreign(table: &Table, stack: &StackName, force: bool, findings: &mut Vec<Diagnostic>) -> Result<(), Diagnostic> {
    for entry in table.entries.values() {
        let Some(urn) = entry.node.parsed_urn().filter(|urn| urn.stack() != stack.stack()) else { continue };
        let summary = format!("resource {urn} belongs to stack `{}`, not to `{stack}`", urn.stack());
        if !force {
            return Err(Diagnostic::error("import-foreign", summary)
                .detail("Importing another stack's state makes two stacks own the same resources.")
                .hint("Choose the right stack with `--stack`, or import it anyway with `--force`."));
        }
        findings.push(Diagnostic::warning("import-foreign", summary));
    }
    Ok(())
}

/// How many resources would be orphaned without the state, counting pending operations.
fn resources(table: &Table) -> usize {
    table.entries.values().filter(|entry| !entry.node.is_root_stack()).count() + table.operations.len()
}
