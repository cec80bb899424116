//! `outrigger stack export`.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use outrigger_diagnostic::Diagnostic;

use super::Context;
use crate::failure::Failure;
use crate::output::data;

/// Write the stack's state as JSON.
#[derive(Args, Debug)]
pub(super) struct Export {
    /// The file to write to; otherwise standard output.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Write secrets in clear.
    #[arg(long)]
    show_secrets: bool,
}

impl Export {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let stack = context.stack(None)?;
        let store = &context.workspace.store;
        let text = if self.show_secrets {
            store.backend.export_stack_shown(&stack, &*context.workspace.keys()?, store.clock.as_ref())?
        } else {
            store.backend.export_stack(&stack)?
        };
        let Some(file) = self.file else { return Ok(data(text.trim_end())?) };
        let path = context.environment.directory.join(file);
        fs::write(&path, text).map_err(|error| {
            Failure::from(
                Diagnostic::error("export-write", format!("`{}` cannot be written", path.display()))
                    .detail(error.to_string())
                    .hint("Choose another file, or leave out `--file` to write to standard output."),
            )
        })
    }
}
