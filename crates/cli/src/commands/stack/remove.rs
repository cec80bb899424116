//! `outrigger stack rm`.

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_workspace::Removal;

use super::Context;
use crate::failure::{Exit, Failure};
use crate::output::talk;

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
        let removal = Removal { force: self.force, preserve_config: self.preserve_config };
        context.workspace.remove_stack(&stack, removal)?;
        talk(&format!("Stack `{stack}` was removed."));
        Ok(())
    }
}
