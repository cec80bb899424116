//! `outrigger config`.

use clap::Args;
use outrigger_workspace::{Configuration, ListedValue};

use crate::failure::Failure;
use crate::output::data;
use crate::render::table::columns;

/// Show all values.
#[derive(Args, Debug)]
pub(super) struct List {
    /// Show secrets in clear.
    #[arg(long)]
    show_secrets: bool,
    /// As JSON.
    #[arg(short, long)]
    json: bool,
}

impl List {
    pub(super) fn run(self, config: &Configuration) -> Result<(), Failure> {
        let listed = config.list(self.show_secrets)?;
        if self.json {
            return Ok(data(&ListedValue::json(&listed))?);
        }
        let rows: Vec<[String; 2]> = listed.into_iter().map(|value| [value.shown_key, value.text]).collect();
        Ok(data(columns(["KEY", "VALUE"], &rows).trim_end())?)
    }
}
