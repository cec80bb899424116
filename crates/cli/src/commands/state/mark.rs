//! `outrigger state protect`, `unprotect`, `taint` and `untaint`.

use clap::Args;
use outrigger_state::{Edit, Mark};

use super::Context;
use crate::failure::Failure;
use crate::output::data;

/// Which resources.
#[derive(Args, Debug)]
pub(super) struct Marked {
    /// The resources: URNs, names, or patterns, in which `*` stands for any text without a colon and `**` for any text.
    #[arg(value_name = "RESOURCE", required_unless_present = "all")]
    resources: Vec<String>,
    /// Every resource of the stack.
    #[arg(long, conflicts_with = "resources")]
    all: bool,
    /// Do not ask for confirmation.
    #[arg(short, long)]
    yes: bool,
}

/// The words for setting a mark, or removing it: the question, the report, its end, and the state without a change.
struct Words {
    ask: &'static str,
    done: &'static str,
    end: &'static str,
    already: &'static str,
}

fn words(mark: Mark, set: bool) -> Words {
    let (ask, done, end, already) = match (mark, set) {
        (Mark::Protect, true) => ("Protect", "Protected", ".", "protected already"),
        (Mark::Protect, false) => ("Unprotect", "Unprotected", ".", "not protected"),
        (Mark::Taint, true) => ("Taint", "Tainted", ": the next `up` replaces", "tainted already"),
        (Mark::Taint, false) => ("Untaint", "Untainted", ".", "not tainted"),
    };
    Words { ask, done, end, already }
}

impl Marked {
    pub(super) fn run(self, context: &Context, mark: Mark, set: bool) -> Result<(), Failure> {
        let Words { ask, done, end, already } = words(mark, set);
        let outline = context.outline()?;
        let (chosen, named) = context.chosen(&outline, &self.resources, self.all)?;
        let what = match &named[..] {
            [one] => format!("`{}` ({})", one.urn.name(), one.urn.ty()),
            many => format!("{} resources", many.len()),
        };
        context.confirm(self.yes, &named, &format!("{ask} {what} of `{}`?", context.stack))?;
        let changed = context.edit(&Edit::Mark { chosen, mark, set })?;
        let replaced = |it: &str| if end == "." { end.to_owned() } else { format!("{end} {it}.") };
        Ok(data(&match (changed, named.len()) {
            (0, 1) => format!("Nothing to do: the resource is {already}."),
            (0, _) => format!("Nothing to do: the resources are {already}."),
            (1, _) => format!("{done} 1 resource{}", replaced("it")),
            (count, _) => format!("{done} {count} resources{}", replaced("them")),
        })?)
    }
}
