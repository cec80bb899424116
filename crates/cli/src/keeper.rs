//! The keeper, which is this executable again: it outlives a killed host, ends the processes that the host started, and folds the host's journal into
//! the checkpoint.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use outrigger_state::{Backend, BackendOptions, LocalMachine, StackName, SystemClock, fold_gone};
use outrigger_workspace::KeeperCommand;
use outrigger_workspace::keeper::{self, Parting};

use rustix::process::{Pid, getppid};

use crate::failure::{Exit, Failure};

/// The first argument that makes this executable the keeper.
const ARGUMENT: &str = "__keeper";

/// The keeper's command line, if this process is to be the keeper. Checked before anything else, so that the keeper works under every name of the
/// executable, also under one that makes it a plugin.
pub(crate) fn called() -> Option<Vec<OsString>> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    arguments.first().is_some_and(|first| first == ARGUMENT).then_some(arguments)
}

/// How a host starts the keeper.
pub(crate) fn command(executable: PathBuf) -> KeeperCommand {
    KeeperCommand { program: executable, arguments: vec![ARGUMENT.into()], environment: Vec::new() }
}

/// Runs the keeper. Its output is read by no one.
pub(crate) fn run(arguments: Vec<OsString>) -> ExitCode {
    let done = Keeper::try_parse_from(arguments).is_ok_and(|keeper| keeper.run().is_ok());
    if done { ExitCode::SUCCESS } else { ExitCode::from(Exit::Failed.code()) }
}

/// Started by the host itself, with a socket as standard input.
#[derive(Parser, Debug)]
struct Keeper {
    /// The backend's URL. Without one there is no journal to look after, only processes.
    #[arg(long, requires_all = ["directory", "project", "stack"])]
    backend: Option<String>,
    /// The directory that the command works in; a relative path in the URL starts there.
    #[arg(long)]
    directory: Option<PathBuf>,
    /// The project.
    #[arg(long)]
    project: Option<String>,
    /// The stack.
    #[arg(long)]
    stack: Option<String>,
}

/// How long a host may take from closing its files to being gone. That takes moments, unless the kernel holds it.
const PATIENCE: Duration = Duration::from_secs(5);

impl Keeper {
    fn run(self) -> Result<(), Failure> {
        let Parting::Vanished { host } = keeper::run(io::stdin()) else { return Ok(()) };
        await_end(host);
        let (Some(url), Some(directory), Some(project), Some(stack)) =
            (self.backend, self.directory, self.project, self.stack)
        else {
            return Ok(());
        };
        let stack = StackName::new(&project, &stack)?;
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let (backend, _) = Backend::open(&url, home.as_deref(), &directory, BackendOptions::default())?;
        // The next command finds the result, or the journal if this failed.
        let machine = LocalMachine::new("", "");
        fold_gone(&backend, &stack, &SystemClock::default(), &machine)?;
        Ok(())
    }
}

/// Waits until the host is really gone: its files are closed a little earlier, and a journal is taken over only from a process that is proven to be
/// gone. Until then it is this process's parent; if it vanished very early, it may never have been.
fn await_end(host: Option<u32>) {
    let host = host.and_then(|host| Pid::from_raw(host.try_into().ok()?));
    let end = Instant::now() + PATIENCE;
    while host.is_some() && getppid() == host && Instant::now() < end {
        thread::sleep(Duration::from_millis(2));
    }
    // The children of a process get a new parent just before it counts as gone.
    thread::sleep(Duration::from_millis(2));
}
