//! `outrigger up`.

use clap::Args;
use outrigger_engine::PendingCreates;

use crate::arguments::{Confirming, Reading, Showing, StackChoice, Working};
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
        let Confirming { yes, skip_preview, message } = self.confirming;
        let request = Request {
            work: Work::Up,
            extent: Extent::Full { yes, skip_preview, message },
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
