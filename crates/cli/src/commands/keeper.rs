//! `outrigger __keeper`: outlives a killed host, ends what it started, and brings its journal into the checkpoint.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use outrigger_host::keeper::{self, Parting};
use outrigger_state::{Backend, BackendOptions, LocalDisk, LocalMachine, StackName, SystemClock, fold_gone};

use crate::failure::Failure;

/// Started by the host itself, with a socket as standard input.
#[derive(Args, Debug)]
pub(crate) struct Keeper {
    /// The backend's directory.
    #[arg(long)]
    backend: PathBuf,
    /// The project.
    #[arg(long)]
    project: String,
    /// The stack.
    #[arg(long)]
    stack: String,
}

impl Keeper {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if keeper::run(io::stdin()) == Parting::Goodbye {
            return Ok(());
        }
        let stack = StackName::new(&self.project, &self.stack)?;
        let (backend, _) = Backend::open(Arc::new(LocalDisk::new(self.backend)), BackendOptions::default())?;
        // Nobody reads what the keeper says; the next command finds the result, or the journal if this failed.
        let machine = LocalMachine::new("", "");
        fold_gone(&backend, &stack, &SystemClock::default(), &machine)?;
        Ok(())
    }
}
