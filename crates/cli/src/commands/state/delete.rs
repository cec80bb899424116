//! `outrigger state delete`.

use clap::Args;
use outrigger_state::{Chosen, Edit};

use super::Context;
use crate::failure::Failure;
use crate::output::data;

/// Forget resources; they stay where they are.
#[derive(Args, Debug)]
pub(super) struct Delete {
    /// The resources, by their URNs.
    #[arg(value_name = "URN", required_unless_present = "all")]
    urns: Vec<String>,
    /// Forget every resource of the stack.
    #[arg(long, conflicts_with = "urns")]
    all: bool,
    /// Forget what depends on them, too.
    #[arg(long)]
    target_dependents: bool,
    /// Forget even what is protected.
    #[arg(long)]
    force: bool,
    /// Do it without asking for confirmation.
    #[arg(short, long)]
    yes: bool,
}

impl Delete {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        context.confirm(self.yes, "the resources stay, and no stack manages them any longer")?;
        let chosen = if self.all { Chosen::All } else { Chosen::Named(self.urns) };
        let edit = Edit::Forget { chosen, dependents: self.target_dependents, protected: self.force };
        let gone = context.edit(&edit)?;
        let noun = if gone == 1 { "resource was" } else { "resources were" };
        Ok(data(&format!("{gone} {noun} forgotten."))?)
    }
}
