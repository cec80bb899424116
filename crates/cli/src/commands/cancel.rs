//! `outrigger cancel`.

use clap::Args;
use outrigger_state::{Life, LockHolder, StackName};
use outrigger_workspace::Workspace;

use crate::environment::Environment;
use crate::failure::{Exit, Failure};
use crate::output::{data, talk};
use crate::render::diagnostic::report;
use crate::terminal::Terminal;

/// Release the lock of an interrupted update.
#[derive(Args, Debug)]
pub(crate) struct Cancel {
    /// The stack; otherwise the selected one.
    #[arg(value_name = "STACK", conflicts_with = "stack")]
    name: Option<String>,
    /// The stack to work on; otherwise PULUMI_STACK or the selected one.
    #[arg(short, long)]
    stack: Option<String>,
    /// Release it without asking for confirmation.
    #[arg(short, long)]
    yes: bool,
}

impl Cancel {
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        let workspace = Workspace::open(environment)?;
        let stack = workspace.existing_stack(self.name.or(self.stack).as_deref())?;
        let holders = workspace.lock_holders(&stack)?;
        if !self.yes && terminal.is_interactive() && !confirmed(&stack, &holders, terminal) {
            return Err(Failure::said(Exit::Cancelled));
        }
        let (findings, removed) = workspace.cancel(&stack)?;
        for finding in findings {
            report(&finding);
        }
        for holder in &removed {
            talk(&format!("Removed the lock of {}.", holder.description));
            if holders.iter().any(|(known, life)| known.path == holder.path && *life == Life::Running) {
                talk(
                    "That run is alive. It finishes its calls under way, starts nothing new, and saves its results in \
                     its journal.",
                );
            }
        }
        let word = if removed.is_empty() { "was not locked" } else { "is free" };
        Ok(data(&format!("Stack `{stack}` {word}."))?)
    }
}

/// Asks for confirmation. If a run that holds the lock is alive, or may be, a `y` is not enough.
fn confirmed(stack: &StackName, holders: &[(LockHolder, Life)], terminal: Terminal) -> bool {
    let alive = |wanted: Life| holders.iter().find(|(_, life)| *life == wanted).map(|(holder, _)| &holder.description);
    let warning = match (alive(Life::Running), alive(Life::Unknown)) {
        (Some(holder), _) => format!("A run of stack `{stack}` is alive on this machine: {holder}."),
        (None, Some(holder)) => format!(
            "The lock of stack `{stack}` is held by {holder}. This machine cannot check whether that run is alive."
        ),
        (None, None) => return terminal.confirm(&format!("This removes the lock of stack `{stack}`. Continue?")),
    };
    terminal.confirm_by_name(&warning, stack.stack())
}
