//! `outrigger up`.

use clap::Args;

use crate::arguments::{Confirming, Enduring, Reading, Showing, StackChoice, Working};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::{self, Extent, Request, Work};
use crate::terminal::Terminal;

/// Bring the stack to what the program says.
#[derive(Args, Debug)]
pub(crate) struct Up {
    #[command(flatten)]
    choice: StackChoice,
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
    /// Fail if anything was changed.
    #[arg(long)]
    expect_no_changes: bool,
}

impl Up {
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        let extent = Extent::of(self.confirming, false);
        let request = Request {
            continue_on_error: self.enduring.continue_on_error,
            refresh: self.reading.refresh,
            expect_no_changes: self.expect_no_changes,
            ..Request::new(Work::Up, extent, self.choice, &self.working, &self.showing)?
        };
        operation::run(&request, environment, terminal)
    }
}
