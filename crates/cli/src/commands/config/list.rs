//! `outrigger config`.

use std::sync::Arc;

use clap::Args;
use outrigger_project::config::{ListedValue, list};
use outrigger_secrets::Locked;

use super::Context;
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
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let crypter = if self.show_secrets { context.workspace.reader(&context.config)? } else { Arc::new(Locked) };
        let listed = list(&context.workspace.project, &context.config, self.show_secrets, crypter.as_ref())?;
        if self.json {
            return Ok(data(&ListedValue::json(&listed))?);
        }
        let rows: Vec<[String; 2]> = listed.into_iter().map(|value| [value.shown_key, value.text]).collect();
        Ok(data(columns(["KEY", "VALUE"], &rows).trim_end())?)
    }
}
