//! `outrigger stack rename`.

use std::fs;

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_state::StackName;

use super::Context;
use crate::failure::Failure;
use crate::output::talk;

/// Give the stack another name. Its resources keep what they are; their URNs change with it.
#[derive(Args, Debug)]
pub(super) struct Rename {
    /// The new name.
    #[arg(value_name = "NAME")]
    name: String,
}

impl Rename {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let old = context.stack(None)?;
        let workspace = &context.workspace;
        let new = StackName::parse(&self.name, Some(old.project()))?;
        if new.project() != old.project() {
            return Err(Diagnostic::error("stack-rename-project", "a stack cannot be moved to another project")
                .detail(format!("It belongs to `{}`, and the new name to `{}`.", old.project(), new.project()))
                .hint("Give a name without a project.")
                .into());
        }
        let store = &workspace.store;
        store.backend.rename_stack(&old, &new, &store.machine, store.clock.as_ref())?;
        let own = old.project() == workspace.project.name;
        let (from, to) = (workspace.project.stack_file(old.stack()), workspace.project.stack_file(new.stack()));
        if own && from.exists() {
            fs::rename(&from, &to).map_err(|error| {
                Diagnostic::error(
                    "stack-config-write",
                    format!("`{}` cannot be renamed to `{}`", workspace.shown(&from), workspace.shown(&to)),
                )
                .detail(error.to_string())
                .hint("The stack itself was renamed; rename its file by hand.")
            })?;
        }
        if workspace.selected()?.as_ref() == Some(&old) {
            workspace.select(Some(&new))?;
        }
        talk(&format!("Renamed stack `{old}` to `{new}`."));
        Ok(())
    }
}
