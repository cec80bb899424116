//! The host.

use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::LogSink;
use outrigger_transport::{Launcher, SchemaStore};

use crate::process::Processes;
use crate::supply::Supply;
use crate::{HostOptions, ProjectOptions, Run};

/// Finds, starts, keeps and ends plugins, for one run after another or for several at once. Created inside a tokio runtime; dropping
/// it kills all remaining processes.
pub struct Host {
    supply: Arc<Supply>,
}

impl Host {
    /// Creates a host. Nothing is started yet.
    pub fn new(options: HostOptions) -> Result<Self, Diagnostic> {
        let supply = Supply::new(options).map_err(|error| no_thread(&error))?;
        Ok(Self { supply: Arc::new(supply) })
    }

    /// Begins a run, in which plugins work for a project. `log` receives their messages.
    pub fn run(&self, project: ProjectOptions, log: Arc<dyn LogSink>) -> Run {
        Run::new(Arc::clone(&self.supply), project, log)
    }

    /// Starts processes that belong to no plugin of this host. They end with the host.
    pub fn launcher(&self) -> Arc<dyn Launcher> {
        Arc::new(Processes::new(self.supply.spawner().clone(), self.supply.options().output.clone()))
    }

    /// The cache of schemas, shared by all runs.
    pub fn schemas(&self) -> Arc<dyn SchemaStore> {
        self.supply.schemas()
    }

    /// Ends all plugins at once: as their protocol defines, then SIGINT to their groups, and SIGKILL after a grace period. No process
    /// is left, and none can be started. Takes milliseconds with plugins that obey, at most about 10 s with others.
    ///
    /// The keeper stays until the host is dropped: if this process is killed in between, the keeper still does its final work.
    ///
    /// Returns a sentence for each plugin that did not exit when asked, or left processes behind.
    pub async fn shutdown(&self) -> Vec<String> {
        self.supply.end_all().await
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.supply.abandon();
    }
}

/// The error when the spawner's thread could not be started.
fn no_thread(error: &std::io::Error) -> Diagnostic {
    Diagnostic::error("host-thread", "the thread that starts plugins could not be started")
        .detail(error.to_string())
        .hint("Check the limits on processes and threads (`ulimit -u`) and on open files (`ulimit -n`).")
}
