//! `outrigger preview`.

use clap::Args;

use crate::arguments::{Reading, Showing, StackChoice, Working};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::{self, Extent, Request, Work};
use crate::terminal::Terminal;

/// Show what `up` would do.
#[derive(Args, Debug)]
pub(crate) struct Preview {
    #[command(flatten)]
    choice: StackChoice,
    #[command(flatten)]
    working: Working,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    showing: Showing,
    /// Fail if anything would be changed.
    #[arg(long)]
    expect_no_changes: bool,
}

impl Preview {
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        let request = Request {
            refresh: self.reading.refresh,
            expect_no_changes: self.expect_no_changes,
            ..Request::new(Work::Up, Extent::Preview, self.choice, &self.working, &self.showing)?
        };
        operation::run(&request, environment, terminal)
    }
}
