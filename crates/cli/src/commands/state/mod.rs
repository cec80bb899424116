//! `outrigger state`.

mod delete;
mod mark;
mod rename;

use clap::{Args, Subcommand};
use outrigger_diagnostic::Diagnostic;
use outrigger_state::StackName;
use outrigger_workspace::Workspace;
use serde_json::Value as Json;

use crate::environment::Environment;
use crate::failure::{Exit, Failure};
use crate::output::talk;
use crate::terminal::Terminal;

/// Edit the state of a stack; what exists is not touched.
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
    /// Forget resources; they stay where they are.
    Delete(delete::Delete),
    /// Protect resources: nothing deletes or replaces them.
    Protect(mark::Marked),
    /// Take the protection of resources away.
    Unprotect(mark::Marked),
    /// Have the next `up` replace resources.
    Taint(mark::Marked),
    /// Take a taint away.
    Untaint(mark::Marked),
    /// Give a resource another name.
    Rename(rename::Rename),
}

impl State {
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        let workspace = Workspace::open(environment)?;
        let stack = workspace.existing_stack(self.stack.as_deref())?;
        let context = Context { terminal, workspace, stack };
        match self.command {
            StateCommand::Delete(command) => command.run(&context),
            StateCommand::Protect(command) => command.run(&context, mark::Mark::Protect, true),
            StateCommand::Unprotect(command) => command.run(&context, mark::Mark::Protect, false),
            StateCommand::Taint(command) => command.run(&context, mark::Mark::Taint, true),
            StateCommand::Untaint(command) => command.run(&context, mark::Mark::Taint, false),
            StateCommand::Rename(command) => command.run(&context),
        }
    }
}

/// What every subcommand works on.
struct Context {
    terminal: Terminal,
    workspace: Workspace,
    stack: StackName,
}

impl Context {
    /// Changes the entries of the state, under the stack's lock.
    fn edit(&self, mut edit: impl FnMut(&mut Vec<Json>) -> Result<(), Diagnostic>) -> Result<(), Failure> {
        let store = &self.workspace.store;
        let findings = store.backend.edit_stack(&self.stack, &store.machine, store.clock.as_ref(), &mut edit)?;
        for finding in findings {
            talk(&finding.to_string());
        }
        Ok(())
    }

    /// Asks, if somebody is there to be asked; as in `pulumi`, a command without a terminal goes on.
    fn confirm(&self, yes: bool, what: &str) -> Result<(), Failure> {
        let question = format!("This edits the state of stack `{}` directly: {what}. Go on?", self.stack);
        if !yes && self.terminal.is_interactive() && !self.terminal.confirm(&question) {
            return Err(Failure::said(Exit::Cancelled));
        }
        Ok(())
    }
}

fn urn(entry: &Json) -> &str {
    entry["urn"].as_str().unwrap_or_default()
}

/// The one entry of a name.
fn position(entries: &[Json], name: &str) -> Result<usize, Diagnostic> {
    let found: Vec<usize> = (0..entries.len()).filter(|index| urn(&entries[*index]) == name).collect();
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(Diagnostic::error("state-urn-unknown", format!("the state has no resource {name}"))
            .hint("`outrigger stack --show-urns` lists the names of all resources.")),
        _ => Err(Diagnostic::error("state-urn-ambiguous", format!("the state has several entries of {name}"))
            .detail("Those that wait to be deleted have the name of the one that took their place.")
            .hint("Run `outrigger up` to delete them first.")),
    }
}
