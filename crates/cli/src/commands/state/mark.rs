//! `outrigger state protect`, `unprotect`, `taint` and `untaint`.

use clap::Args;
use outrigger_state::{Chosen, Edit, Mark};

use super::Context;
use crate::failure::Failure;
use crate::output::data;

/// Which resources.
#[derive(Args, Debug)]
pub(super) struct Marked {
    /// The resources, by their URNs.
    #[arg(value_name = "URN", required_unless_present = "all")]
    urns: Vec<String>,
    /// Every resource of the stack.
    #[arg(long, conflicts_with = "urns")]
    all: bool,
    /// Do it without asking for confirmation.
    #[arg(short, long)]
    yes: bool,
}

impl Marked {
    pub(super) fn run(self, context: &Context, mark: Mark, set: bool) -> Result<(), Failure> {
        let doing = match (mark, set) {
            (Mark::Protect, true) => "protected",
            (Mark::Protect, false) => "not protected any more",
            (Mark::Taint, true) => "to be replaced by the next `up`",
            (Mark::Taint, false) => "not to be replaced any more",
        };
        context.confirm(self.yes, &format!("resources are {doing}"))?;
        let chosen = if self.all { Chosen::All } else { Chosen::Named(self.urns) };
        let changed = context.edit(&Edit::Mark { chosen, mark, set })?;
        let noun = if changed == 1 { "resource is" } else { "resources are" };
        Ok(data(&format!("{changed} {noun} now {doing}."))?)
    }
}
