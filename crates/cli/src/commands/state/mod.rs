//! `outrigger state`.

mod delete;
mod mark;
mod rename;

use clap::{Args, Subcommand};
use outrigger_state::{Edit, Mark, StackName};
use outrigger_workspace::Workspace;

use crate::environment::Environment;
use crate::failure::{Exit, Failure};
use crate::output::talk;
use crate::terminal::Terminal;

/// Edit a stack's state without touching the resources themselves.
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
            StateCommand::Protect(command) => command.run(&context, Mark::Protect, true),
            StateCommand::Unprotect(command) => command.run(&context, Mark::Protect, false),
            StateCommand::Taint(command) => command.run(&context, Mark::Taint, true),
            StateCommand::Untaint(command) => command.run(&context, Mark::Taint, false),
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
    /// Edits the state, under the stack's lock. Answers how many entries were changed.
    fn edit(&self, edit: &Edit) -> Result<usize, Failure> {
        let store = &self.workspace.store;
        let edited = store.backend.edit_stack(&self.stack, &store.machine, store.clock.as_ref(), edit)?;
        for finding in edited.findings {
            talk(&finding.to_string());
        }
        Ok(edited.changed)
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
