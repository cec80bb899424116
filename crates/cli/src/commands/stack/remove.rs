//! `outrigger stack rm`.

use std::fs;
use std::io::ErrorKind;

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_state::StackName;

use super::Context;
use crate::failure::{Exit, Failure};
use crate::output::talk;
use crate::workspace::Workspace;

/// Remove a stack that has no resources.
#[derive(Args, Debug)]
pub(super) struct Remove {
    /// The stack; otherwise the selected one.
    #[arg(value_name = "STACK")]
    name: Option<String>,
    /// Remove it even if it has resources; they stay where they are.
    #[arg(short, long)]
    force: bool,
    /// Do it without asking.
    #[arg(short, long)]
    yes: bool,
    /// Keep the stack's file.
    #[arg(long)]
    preserve_config: bool,
}

/// How a stack is removed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// Even if it has resources.
    pub(crate) force: bool,
    /// Keep the stack's file.
    pub(crate) preserve_config: bool,
}

impl Remove {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let stack = context.stack(self.name.as_deref())?;
        if !self.yes && !context.terminal.is_interactive() {
            return Err(Diagnostic::error(
                "not-confirmed",
                format!("the removal of stack `{stack}` was not confirmed"),
            )
            .detail("There is no terminal to ask on.")
            .hint("Give `--yes` to remove it.")
            .into());
        }
        let question = format!("This removes stack `{stack}`, its history and its configuration for good. Go on?");
        if !self.yes && !context.terminal.confirm(&question) {
            return Err(Failure::said(Exit::Cancelled));
        }
        remove(&context.workspace, &stack, Manner { force: self.force, preserve_config: self.preserve_config })?;
        talk(&format!("Stack `{stack}` was removed."));
        Ok(())
    }
}

/// Removes a stack, its file, and its selection.
pub(crate) fn remove(workspace: &Workspace, stack: &StackName, manner: Manner) -> Result<(), Failure> {
    let store = &workspace.store;
    store.backend.remove_stack(stack, manner.force, &store.machine, store.clock.as_ref())?;
    let own = stack.project() == workspace.project.name;
    if own && !manner.preserve_config {
        let path = workspace.project.stack_file(stack.stack());
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Diagnostic::error(
                    "stack-config-remove",
                    format!("`{}` cannot be removed", workspace.shown(&path)),
                )
                .detail(error.to_string())
                .hint("The stack itself was removed; remove the file by hand.")
                .into());
            }
            _ => {}
        }
    }
    if workspace.selected()?.as_ref() == Some(stack) {
        workspace.select(None)?;
    }
    Ok(())
}
