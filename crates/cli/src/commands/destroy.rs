//! `outrigger destroy`.

use clap::Args;

use super::stack::remove;
use crate::arguments::{Confirming, Enduring, Reading, Showing, StackChoice, Working};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::{self, Extent, Request, Work};
use crate::output::talk;
use crate::terminal::Terminal;
use crate::workspace::Workspace;

/// Delete everything in the stack.
#[derive(Args, Debug)]
pub(crate) struct Destroy {
    #[command(flatten)]
    choice: StackChoice,
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
        let extent = Extent::of(self.confirming, self.preview_only);
        let request = Request {
            continue_on_error: self.enduring.continue_on_error,
            refresh: self.reading.refresh,
            ..Request::new(Work::Destroy, extent, self.choice, &self.working, &self.showing)?
        };
        operation::run(&request, environment, terminal)?;
        if self.preview_only {
            return Ok(());
        }
        let workspace = Workspace::open(environment)?;
        let stack = workspace.stack(request.stack.as_deref(), environment)?;
        if self.remove {
            remove::remove(&workspace, &stack, remove::Manner { force: false, preserve_config: false })?;
            talk(&format!("Stack `{stack}` was removed."));
        } else if request.targets.is_empty() && !request.json {
            talk(&format!(
                "\nStack `{stack}` is empty; its history and configuration are kept. \
                 Run `outrigger stack rm {stack}` to remove it."
            ));
        }
        Ok(())
    }
}
