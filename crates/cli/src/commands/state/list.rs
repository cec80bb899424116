//! `outrigger state list`.

use clap::Args;

use super::Context;
use crate::failure::Failure;
use crate::output::data;

/// List the URNs of resources in the state, one a line.
#[derive(Args, Debug)]
pub(super) struct List {
    /// Only these: URNs, names, or patterns, in which `*` stands for any text without a colon and `**` for any text.
    #[arg(value_name = "RESOURCE")]
    resources: Vec<String>,
}

impl List {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let outline = context.outline()?;
        let chosen = if self.resources.is_empty() {
            outline.entries.iter().collect()
        } else {
            Context::select(&outline, &self.resources)?
        };
        let urns: Vec<&str> = chosen.iter().map(|entry| entry.urn.as_str()).collect();
        if !urns.is_empty() {
            data(&urns.join("\n"))?;
        }
        Ok(())
    }
}
