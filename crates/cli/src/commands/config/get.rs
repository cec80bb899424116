//! `outrigger config get`.

use clap::Args;
use outrigger_project::config::get;

use super::Context;
use crate::failure::Failure;
use crate::output::data;

/// Show a value, a secret one in clear.
#[derive(Args, Debug)]
pub(super) struct Get {
    /// The key: `name` or `namespace:name`.
    key: String,
    /// The key is a path into a structured value.
    #[arg(long)]
    path: bool,
    /// As JSON.
    #[arg(short, long)]
    json: bool,
}

impl Get {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let path = context.path(&self.key, self.path)?;
        let crypter = context.workspace.reader(&context.config)?;
        let stack = context.stack.stack();
        let found = get(&context.workspace.project, &context.config, stack, &path, crypter.as_ref())?;
        Ok(data(&if self.json { found.json() } else { found.text().to_owned() })?)
    }
}
