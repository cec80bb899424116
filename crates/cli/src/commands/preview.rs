//! `outrigger preview`.

use clap::Args;
use outrigger_engine::PendingCreates;

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
            work: Work::Up,
            extent: Extent::Preview,
            stack: self.choice.stack,
            parallel: self.working.parallel,
            targets: self.working.targets()?,
            refresh: self.reading.refresh,
            expect_no_changes: self.expect_no_changes,
            pending_creates: PendingCreates::Keep,
            diff: self.showing.diff,
            json: self.showing.json,
            show_secrets: self.showing.show_secrets,
        };
        operation::run(&request, environment, terminal)
    }
}
