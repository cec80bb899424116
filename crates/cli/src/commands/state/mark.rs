//! `outrigger state protect`, `unprotect`, `taint` and `untaint`.

use clap::Args;
use serde_json::Value as Json;

use super::{Context, position};
use crate::failure::Failure;
use crate::output::data;

/// Which mark is set or taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Nothing deletes or replaces it.
    Protect,
    /// The next `up` replaces it.
    Taint,
}

/// Which resources.
#[derive(Args, Debug)]
pub(super) struct Marked {
    /// The resources, by their URNs.
    #[arg(value_name = "URN", required_unless_present = "all")]
    urns: Vec<String>,
    /// Every resource of the stack.
    #[arg(long, conflicts_with = "urns")]
    all: bool,
    /// Do it without asking.
    #[arg(short, long)]
    yes: bool,
}

impl Marked {
    pub(super) fn run(self, context: &Context, mark: Mark, set: bool) -> Result<(), Failure> {
        let (field, doing) = match (mark, set) {
            (Mark::Protect, true) => ("protect", "protected"),
            (Mark::Protect, false) => ("protect", "not protected any more"),
            (Mark::Taint, true) => ("taint", "to be replaced by the next `up`"),
            (Mark::Taint, false) => ("taint", "not to be replaced any more"),
        };
        context.confirm(self.yes, &format!("resources are {doing}"))?;
        let mut changed = 0;
        context.edit(|entries| {
            let chosen: Vec<usize> = match self.all {
                // The stack's own resource and what only waits for its deletion are not made by a provider.
                true => (0..entries.len()).filter(|index| is_managed(&entries[*index])).collect(),
                false => self.urns.iter().map(|name| position(entries, name)).collect::<Result<_, _>>()?,
            };
            for index in chosen {
                let Some(entry) = entries[index].as_object_mut() else { continue };
                let was = entry.get(field) == Some(&Json::Bool(true));
                match set {
                    true => drop(entry.insert(field.to_owned(), true.into())),
                    false => drop(entry.remove(field)),
                }
                changed += usize::from(was != set);
            }
            Ok(())
        })?;
        let noun = if changed == 1 { "resource is" } else { "resources are" };
        Ok(data(&format!("{changed} {noun} now {doing}."))?)
    }
}

fn is_managed(entry: &Json) -> bool {
    let ty = entry["type"].as_str().unwrap_or_default();
    entry["custom"] == true && entry["delete"] != true && !ty.starts_with("pulumi:providers:")
}
