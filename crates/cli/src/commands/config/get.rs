//! `outrigger config get`.

use clap::Args;
use outrigger_workspace::Configuration;

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
    pub(super) fn run(self, config: &Configuration) -> Result<(), Failure> {
        let found = config.get(&config.path(&self.key, self.path)?)?;
        Ok(data(&if self.json { found.json() } else { found.text().to_owned() })?)
    }
}
