//! `outrigger up`.

use clap::Args;
use outrigger_workspace::Work;

use crate::arguments::{Configuring, Confirming, Enduring, Reading, Showing, StackChoice, Working};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::{self, Request};
use crate::terminal::Terminal;

/// Create, update and delete resources to match the program.
#[derive(Args, Debug)]
pub(crate) struct Up {
    #[command(flatten)]
    choice: StackChoice,
    #[command(flatten)]
    configuring: Configuring,
    #[command(flatten)]
    confirming: Confirming,
    #[command(flatten)]
    enduring: Enduring,
    #[command(flatten)]
    pub(crate) working: Working,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    showing: Showing,
    /// Allow this update to delete every resource of the stack if the program has none.
    #[arg(long)]
    delete_all: bool,
    /// Fail if anything was changed.
    #[arg(long)]
    expect_no_changes: bool,
}

impl Up {
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        let mut request =
            Request::new(Work::Up, Some(self.confirming), self.choice, &self.configuring, &self.working, self.showing)?;
        request.asked.continue_on_error = self.enduring.continue_on_error;
        request.asked.refresh = self.reading.refresh;
        request.asked.delete_all = self.delete_all;
        request.expect_no_changes = self.expect_no_changes;
        operation::run(&request, environment, terminal)
    }
}
