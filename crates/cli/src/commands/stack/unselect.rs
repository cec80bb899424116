//! `outrigger stack unselect`.

use clap::Args;

use super::Context;
use crate::failure::Failure;
use crate::output::talk;

/// Select no stack for this project.
#[derive(Args, Debug)]
pub(super) struct Unselect {}

impl Unselect {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        context.workspace.select(None)?;
        talk("No stack is selected.");
        Ok(())
    }
}
