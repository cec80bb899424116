//! `outrigger config rm`.

use clap::Args;

use super::Context;
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
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let path = context.path(&self.key, self.path)?;
        let text = context.config.remove(&path)?;
        // A key that is not there is no error, and no reason to touch the file.
        if *text != **context.config.source() {
            context.workspace.write_stack_config(&context.stack, &text)?;
        }
        Ok(())
    }
}
