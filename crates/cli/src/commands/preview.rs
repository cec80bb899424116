//! `outrigger preview`.

use clap::Args;
use outrigger_workspace::Work;

use crate::arguments::{Configuring, Reading, Showing, StackChoice, Working};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::{self, Request};
use crate::terminal::Terminal;

/// Show the changes that `up` would make.
#[derive(Args, Debug)]
pub(crate) struct Preview {
    #[command(flatten)]
    choice: StackChoice,
    #[command(flatten)]
    configuring: Configuring,
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
        let mut request = Request::new(Work::Up, None, self.choice, &self.configuring, &self.working, self.showing)?;
        request.asked.refresh = self.reading.refresh;
        request.expect_no_changes = self.expect_no_changes;
        operation::run(&request, environment, terminal)
    }
}
