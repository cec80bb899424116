//! `outrigger state`.

mod delete;
mod list;
mod mark;
mod rename;
mod selection;
mod show;

use std::collections::BTreeSet;

use clap::{Args, Subcommand};
use outrigger_state::{Chosen, Edit, Mark, Outline, Outlined, StackName};
use outrigger_workspace::Workspace;
use outrigger_workspace::json::Secrets;

use crate::environment::Environment;
use crate::failure::{Exit, Failure};
use crate::output::talk;
use crate::render::diagnostic::report;
use crate::terminal::Terminal;

/// How many resources a question lists.
const LISTED: usize = 10;

/// Show and edit a stack's state without touching the resources themselves.
#[derive(Args, Debug)]
pub(crate) struct State {
    /// The stack to work on; otherwise PULUMI_STACK or the selected one.
    #[arg(short, long, global = true, value_name = "STACK")]
    stack: Option<String>,
    #[command(subcommand)]
    command: StateCommand,
}

#[derive(Debug, Subcommand)]
enum StateCommand {
    /// List the URNs of the state's resources.
    #[command(visible_alias = "ls")]
    List(list::List),
    /// Show a resource in the state.
    Show(show::Show),
    /// Remove resources from the state without deleting them.
    Delete(delete::Delete),
    /// Protect resources from being deleted or replaced.
    Protect(mark::Marked),
    /// Remove the protection of resources.
    Unprotect(mark::Marked),
    /// Mark resources for replacement by the next `up`.
    Taint(mark::Marked),
    /// Remove the mark for replacement.
    Untaint(mark::Marked),
    /// Rename a resource in the state.
    Rename(rename::Rename),
}

impl State {
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        let workspace = Workspace::open(environment)?;
        let stack = workspace.existing_stack(self.stack.as_deref())?;
        let context = Context { terminal, workspace, stack };
        match self.command {
            StateCommand::List(command) => command.run(&context),
            StateCommand::Show(command) => command.run(&context),
            StateCommand::Delete(command) => command.run(&context),
            StateCommand::Protect(command) => command.run(&context, Mark::Protect, true),
            StateCommand::Unprotect(command) => command.run(&context, Mark::Protect, false),
            StateCommand::Taint(command) => command.run(&context, Mark::Taint, true),
            StateCommand::Untaint(command) => command.run(&context, Mark::Taint, false),
            StateCommand::Rename(command) => command.run(&context),
        }
    }
}

/// The stack that a subcommand works on, and its surroundings.
struct Context {
    terminal: Terminal,
    workspace: Workspace,
    stack: StackName,
}

impl Context {
    /// Edits the state, under the stack's lock. Returns how many entries were changed.
    fn edit(&self, edit: &Edit) -> Result<usize, Failure> {
        let store = &self.workspace.store;
        let edited = store.backend.edit_stack(&self.stack, &store.machine, store.clock.as_ref(), edit)?;
        for finding in edited.findings {
            report(&finding);
        }
        Ok(edited.changed)
    }

    /// The entries of the state.
    fn outline(&self) -> Result<Outline, Failure> {
        Ok(self.workspace.outline(&self.stack, Secrets::Hidden)?)
    }

    /// The named entries, each once, in the state's order.
    fn select<'a>(outline: &'a Outline, texts: &[String]) -> Result<Vec<&'a Outlined>, Failure> {
        let mut urns = BTreeSet::new();
        for text in texts {
            urns.extend(selection::select(&outline.entries, text)?.into_iter().map(|entry| &entry.urn));
        }
        Ok(outline.entries.iter().filter(|entry| !entry.delete && urns.contains(&entry.urn)).collect())
    }

    /// The entries to edit, and those of them to show in a question.
    fn chosen<'a>(
        &self,
        outline: &'a Outline,
        texts: &[String],
        all: bool,
    ) -> Result<(Chosen, Vec<&'a Outlined>), Failure> {
        if all {
            let managed = |entry: &&Outlined| entry.custom && !entry.delete && entry.urn.provider_package().is_none();
            return Ok((Chosen::All, outline.entries.iter().filter(managed).collect()));
        }
        let named = Self::select(outline, texts)?;
        Ok((Chosen::Named(named.iter().map(|entry| entry.urn.to_string()).collect()), named))
    }

    /// Asks on a terminal; as in `pulumi`, a command without a terminal needs no confirmation.
    fn confirm(&self, yes: bool, named: &[&Outlined], question: &str) -> Result<(), Failure> {
        if yes || !self.terminal.is_interactive() {
            return Ok(());
        }
        if named.len() > 1 {
            for entry in named.iter().take(LISTED) {
                talk(&format!("  {} ({})", entry.urn.name(), entry.urn.ty()));
            }
            if named.len() > LISTED {
                talk(&format!("  and {} more", named.len() - LISTED));
            }
        }
        if self.terminal.confirm(question) { Ok(()) } else { Err(Failure::said(Exit::Cancelled)) }
    }
}
