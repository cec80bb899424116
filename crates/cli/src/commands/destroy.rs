//! `outrigger destroy`.

use clap::Args;
use outrigger_workspace::{Removal, Work, Workspace};

use crate::arguments::{Configuring, Confirming, Enduring, Reading, Showing, StackChoice, Working};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::{self, Request};
use crate::output::talk;
use crate::terminal::Terminal;

/// Delete everything in the stack.
#[derive(Args, Debug)]
pub(crate) struct Destroy {
    #[command(flatten)]
    choice: StackChoice,
    #[command(flatten)]
    configuring: Configuring,
    #[command(flatten)]
    confirming: Confirming,
    #[command(flatten)]
    enduring: Enduring,
    #[command(flatten)]
    working: Working,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    showing: Showing,
    /// Only show what would be deleted.
    #[arg(long, conflicts_with = "remove")]
    preview_only: bool,
    /// Remove the stack and its file afterwards.
    #[arg(long, conflicts_with = "target")]
    remove: bool,
}

impl Destroy {
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        let confirming = (!self.preview_only).then_some(self.confirming);
        let mut request =
            Request::new(Work::Destroy, confirming, self.choice, &self.configuring, &self.working, self.showing)?;
        request.asked.continue_on_error = self.enduring.continue_on_error;
        request.asked.refresh = self.reading.refresh;
        operation::run(&request, environment, terminal)?;
        if self.preview_only {
            return Ok(());
        }
        let workspace = Workspace::open(environment)?;
        let stack = workspace.stack(request.asked.stack.as_deref())?;
        if self.remove {
            workspace.remove_stack(&stack, Removal::default())?;
            talk(&format!("Stack `{stack}` was removed."));
        } else if request.asked.targets.is_empty() && !request.showing.json {
            talk(&format!(
                "\nStack `{stack}` is empty; its history and configuration are kept. \
                 Run `outrigger stack rm {stack}` to remove it."
            ));
        }
        Ok(())
    }
}
