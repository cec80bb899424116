//! `outrigger config rm`.

use clap::Args;
use outrigger_workspace::Configuration;

use crate::failure::Failure;

/// Remove a value.
#[derive(Args, Debug)]
pub(super) struct Remove {
    /// The key: `name` or `namespace:name`.
    key: String,
    /// The key is a path into a structured value.
    #[arg(long)]
    path: bool,
}

impl Remove {
    pub(super) fn run(self, config: &mut Configuration) -> Result<(), Failure> {
        Ok(config.remove(&[config.path(&self.key, self.path)?])?)
    }
}
