//! `outrigger stack rm`.

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_state::StackName;
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
    /// Do it without asking for confirmation.
    #[arg(short, long)]
    yes: bool,
    /// Keep the stack's file.
    #[arg(long)]
    preserve_config: bool,
    /// Remove the backups of its state, too.
    #[arg(long)]
    remove_backups: bool,
}

impl Remove {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let stack = context.stack(self.name.as_deref())?;
        if !self.yes && !context.terminal.is_interactive() {
            let summary = format!("the removal of stack `{stack}` was not confirmed");
            let diagnostic = Diagnostic::error("not-confirmed", summary)
                .detail("There is no terminal to ask for confirmation.")
                .hint("Pass `--yes` to remove it.");
            return Err(Failure::new(Exit::Unconfirmed, diagnostic));
        }
        if !self.yes && !self.confirmed(&stack, context)? {
            return Err(Failure::said(Exit::Cancelled));
        }
        let removal =
            Removal { force: self.force, preserve_config: self.preserve_config, remove_backups: self.remove_backups };
        context.workspace.remove_stack(&stack, removal)?;
        talk(&format!("Stack `{stack}` was removed."));
        Ok(())
    }

    /// Asks for confirmation. If resources would be orphaned, a `y` is not enough.
    fn confirmed(&self, stack: &StackName, context: &Context<'_>) -> Result<bool, Failure> {
        let left = context.workspace.store.backend.resources(stack)?;
        let goes = match (self.preserve_config, self.remove_backups) {
            (true, false) => "its history",
            (false, false) => "its history and its configuration",
            (true, true) => "its history and its backups",
            (false, true) => "its history, its configuration and its backups",
        };
        if !self.force || left == 0 {
            let question = format!("This removes stack `{stack}` and {goes} for good. Continue?");
            return Ok(context.terminal.confirm(&question));
        }
        let (resources, they, them) = if left == 1 {
            ("1 resource".to_owned(), "It", "it")
        } else {
            (format!("{left} resources"), "They", "them")
        };
        let warning = format!(
            "Stack `{stack}` still has {resources}. {they} will keep running, and no stack will manage {them}.\n\
             This removes the stack and {goes} for good."
        );
        Ok(context.terminal.confirm_by_name(&warning, stack.stack()))
    }
}
