//! `outrigger __keeper`: outlives a killed host, ends what it started, and brings its journal into the checkpoint.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use outrigger_host::keeper::{self, Parting};
use outrigger_state::{Backend, BackendOptions, LocalDisk, LocalMachine, StackName, SystemClock, fold_gone};

use rustix::process::{Pid, getppid};

use crate::failure::Failure;

/// Started by the host itself, with a socket as standard input.
#[derive(Args, Debug)]
pub(crate) struct Keeper {
    /// The backend's directory. Without one there is no journal to look after, only processes.
    #[arg(long, requires_all = ["project", "stack"])]
    backend: Option<PathBuf>,
    /// The project.
    #[arg(long)]
    project: Option<String>,
    /// The stack.
    #[arg(long)]
    stack: Option<String>,
}

/// How long a host may take from closing its files to being gone. Moments, unless the kernel holds it.
const PATIENCE: Duration = Duration::from_secs(5);

impl Keeper {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let host = getppid();
        if keeper::run(io::stdin()) == Parting::Goodbye {
            return Ok(());
        }
        await_end(host);
        let (Some(backend), Some(project), Some(stack)) = (self.backend, self.project, self.stack) else {
            return Ok(());
        };
        let stack = StackName::new(&project, &stack)?;
        let (backend, _) = Backend::open(Arc::new(LocalDisk::new(backend)), BackendOptions::default())?;
        // Nobody reads what the keeper says; the next command finds the result, or the journal if this failed.
        let machine = LocalMachine::new("", "");
        fold_gone(&backend, &stack, &SystemClock::default(), &machine)?;
        Ok(())
    }
}

/// Waits until the host is really gone: its files are closed a little before that, and a journal is taken over only from a
/// process that is proven to be gone.
fn await_end(host: Option<Pid>) {
    let end = Instant::now() + PATIENCE;
    while getppid() == host && Instant::now() < end {
        thread::sleep(Duration::from_millis(2));
    }
    // The children of a process get a new parent just before it counts as gone.
    thread::sleep(Duration::from_millis(2));
}
