//! `outrigger state delete`.

use clap::Args;
use outrigger_state::{Chosen, Edit};

use super::Context;
use crate::failure::Failure;
use crate::output::data;

/// Remove resources from the state. The resources themselves stay, unmanaged.
#[derive(Args, Debug)]
pub(super) struct Delete {
    /// The resources: URNs, names, or patterns, in which `*` stands for any text without a colon and `**` for any text.
    #[arg(value_name = "RESOURCE", required_unless_present = "all")]
    resources: Vec<String>,
    /// Remove every resource of the stack from the state.
    #[arg(long, conflicts_with = "resources")]
    all: bool,
    /// Also remove the resources that depend on them.
    #[arg(long)]
    target_dependents: bool,
    /// Also remove protected resources.
    #[arg(long)]
    force: bool,
    /// Do not ask for confirmation.
    #[arg(short, long)]
    yes: bool,
}

impl Delete {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let outline = context.outline()?;
        let (chosen, named) = context.chosen(&outline, &self.resources, self.all)?;
        let what = match &named[..] {
            [one] => format!("`{}` ({})", one.urn.name(), one.urn.ty()),
            many => format!("{} resources", many.len()),
        };
        let dependents = if self.target_dependents { " and everything that depends on it" } else { "" };
        let question = format!("Remove {what}{dependents} from the state of `{}`?", context.stack);
        let stay = if named.len() == 1 { "The resource stays, unmanaged." } else { "The resources stay, unmanaged." };
        context.confirm(self.yes, &named, &format!("{question} {stay}"))?;
        let all = chosen == Chosen::All;
        let edit = Edit::Forget { chosen, dependents: self.target_dependents, protected: self.force };
        let gone = context.edit(&edit)?;
        Ok(data(&match &named[..] {
            [one] if gone == 1 => {
                format!("Removed `{}` from the state. The resource itself was not deleted.", one.urn.name())
            }
            _ if all && gone == 0 => "The state has no resources.".to_owned(),
            _ => format!("Removed {gone} resources from the state. The resources themselves were not deleted."),
        })?)
    }
}
