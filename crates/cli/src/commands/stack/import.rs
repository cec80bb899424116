//! `outrigger stack import`.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;

use clap::Args;
use outrigger_diagnostic::Diagnostic;

use super::Context;
use crate::failure::Failure;
use crate::output::talk;

/// Replace the stack's state with an exported one.
#[derive(Args, Debug)]
pub(super) struct Import {
    /// The file to read; otherwise standard input.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Take it even if resources belong to another stack.
    #[arg(short, long)]
    force: bool,
}

impl Import {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let stack = context.stack(None)?;
        let mut bytes = Vec::new();
        let read = match &self.file {
            Some(file) => fs::read(context.environment.directory.join(file)).map(|read| bytes = read),
            None => io::stdin().read_to_end(&mut bytes).map(drop),
        };
        let from = self.file.as_ref().map_or_else(|| "standard input".to_owned(), |file| file.display().to_string());
        read.map_err(|error| {
            Diagnostic::error("import-read", format!("`{from}` cannot be read"))
                .detail(error.to_string())
                .hint("Name a file that `outrigger stack export` wrote with `--file`.")
        })?;
        let (store, keys) = (&context.workspace.store, context.workspace.keys()?);
        let (machine, clock) = (&store.machine, store.clock.as_ref());
        let warnings = store.backend.import_stack(&stack, (&bytes, &from), self.force, &*keys, machine, clock)?;
        for warning in warnings {
            talk(&format!("warning: {warning}"));
        }
        talk("Import complete.");
        Ok(())
    }
}
