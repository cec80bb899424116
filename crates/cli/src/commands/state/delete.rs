//! `outrigger state delete`.

use std::collections::BTreeSet;

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use serde_json::Value as Json;

use super::{Context, position, urn};
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
    /// Do it without asking.
    #[arg(short, long)]
    yes: bool,
}

impl Delete {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        context.confirm(self.yes, "resources are forgotten, and nobody manages them any more")?;
        let mut gone = 0;
        context.edit(|entries| {
            let condemned = self.condemned(entries)?;
            gone = condemned.len();
            let mut index = 0;
            entries.retain(|_| {
                index += 1;
                !condemned.contains(&(index - 1))
            });
            Ok(())
        })?;
        let noun = if gone == 1 { "resource was" } else { "resources were" };
        Ok(data(&format!("{gone} {noun} forgotten."))?)
    }

    /// The places of what is to go.
    fn condemned(&self, entries: &[Json]) -> Result<BTreeSet<usize>, Diagnostic> {
        let mut condemned: BTreeSet<usize> = match self.all {
            true => (0..entries.len()).collect(),
            false => self.urns.iter().map(|name| position(entries, name)).collect::<Result<_, _>>()?,
        };
        loop {
            let names: BTreeSet<&str> = condemned.iter().map(|index| urn(&entries[*index])).collect();
            let depends = |index: &usize| !condemned.contains(index) && needs(&entries[*index], &names);
            let dependents: Vec<usize> = (0..entries.len()).filter(depends).collect();
            if dependents.is_empty() {
                break;
            }
            if !self.target_dependents {
                return Err(has_dependents(&names, &dependents, entries));
            }
            condemned.extend(dependents);
        }
        let protected = condemned.iter().map(|index| &entries[*index]).find(|entry| entry["protect"] == true);
        match protected.filter(|_| !self.force) {
            Some(entry) => Err(Diagnostic::error("state-protected", format!("{} is protected", urn(entry)))
                .hint("Give `--force` to forget it all the same, or run `outrigger state unprotect` first.")),
            None => Ok(condemned),
        }
    }
}

/// Whether an entry refers to one of these.
fn needs(entry: &Json, names: &BTreeSet<&str>) -> bool {
    let one = |value: &Json| value.as_str().is_some_and(|name| names.contains(name));
    let all = |value: &Json| value.as_array().is_some_and(|list| list.iter().any(one));
    let provider = entry["provider"].as_str().and_then(|text| text.rsplit_once("::")).map(|(urn, _)| urn);
    one(&entry["parent"])
        || one(&entry["deletedWith"])
        || all(&entry["dependencies"])
        || all(&entry["replaceWith"])
        || entry["propertyDependencies"].as_object().is_some_and(|map| map.values().any(all))
        || provider.is_some_and(|provider| names.contains(provider))
}

fn has_dependents(names: &BTreeSet<&str>, dependents: &[usize], entries: &[Json]) -> Diagnostic {
    const SHOWN: usize = 10;
    let listed: Vec<&str> = dependents.iter().take(SHOWN).map(|index| urn(&entries[*index])).collect();
    let more = dependents.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!("\nand {more} more") } else { String::new() };
    let first = names.first().copied().unwrap_or_default();
    Diagnostic::error("state-has-dependents", format!("other resources depend on {first}"))
        .detail(format!("{}{more}", listed.join("\n")))
        .hint("Give `--target-dependents` to forget them, too.")
}
