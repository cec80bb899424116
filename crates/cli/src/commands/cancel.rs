//! `outrigger cancel`.

use clap::Args;
use outrigger_workspace::Workspace;

use crate::environment::Environment;
use crate::failure::{Exit, Failure};
use crate::output::{data, talk};
use crate::terminal::Terminal;

/// Remove the lock of a stack whose update is gone.
#[derive(Args, Debug)]
pub(crate) struct Cancel {
    /// The stack; otherwise the selected one.
    #[arg(value_name = "STACK", conflicts_with = "stack")]
    name: Option<String>,
    /// The stack to work on; otherwise PULUMI_STACK or the selected one.
    #[arg(short, long)]
    stack: Option<String>,
    /// Do it without asking.
    #[arg(short, long)]
    yes: bool,
}

impl Cancel {
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        let workspace = Workspace::open(environment)?;
        let stack = workspace.existing_stack(self.name.or(self.stack).as_deref())?;
        let question = format!("This removes the lock of stack `{stack}`, even if an update is still at work. Go on?");
        if !self.yes && terminal.is_interactive() && !terminal.confirm(&question) {
            return Err(Failure::said(Exit::Cancelled));
        }
        let (findings, removed) = workspace.cancel(&stack)?;
        for finding in findings {
            talk(&finding.to_string());
        }
        for holder in &removed {
            talk(&format!("Removed the lock of {}.", holder.description));
        }
        let word = if removed.is_empty() { "was not locked" } else { "is free" };
        Ok(data(&format!("Stack `{stack}` {word}."))?)
    }
}
