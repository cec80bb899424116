//! The host.

use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::LogSink;
use outrigger_transport::{Launcher, SchemaStore};

use crate::process::Processes;
use crate::supply::Supply;
use crate::{HostOptions, ProjectOptions, Run};

/// Finds, starts, keeps and ends plugins, for one run after another or for several at once. Made inside a tokio runtime; dropping
/// it kills what is left.
pub struct Host {
    supply: Arc<Supply>,
}

impl Host {
    /// A host. Nothing is started yet.
    pub fn new(options: HostOptions) -> Result<Self, Diagnostic> {
        let supply = Supply::new(options).map_err(|error| no_thread(&error))?;
        Ok(Self { supply: Arc::new(supply) })
    }

    /// Begins a run, in which plugins work for a project. `log` takes what they say.
    pub fn run(&self, project: ProjectOptions, log: Arc<dyn LogSink>) -> Run {
        Run::new(Arc::clone(&self.supply), project, log)
    }

    /// Starts processes that no plugin of this host stands for. They end with the host.
    pub fn launcher(&self) -> Arc<dyn Launcher> {
        Arc::new(Processes::new(self.supply.spawner().clone()))
    }

    /// Where schemas are kept from one run to the next.
    pub fn schemas(&self) -> Arc<dyn SchemaStore> {
        self.supply.schemas()
    }

    /// Ends all plugins, all at once: in the way of their protocol, then SIGINT to their groups, and after a grace SIGKILL. Nothing
    /// is left behind, and nothing can be started any more. Takes milliseconds with plugins that obey, at most some 10 s with those
    /// that do not.
    ///
    /// The keeper stays until the host is dropped: if this process is killed between the two, it still does its last act.
    pub async fn shutdown(&self) {
        self.supply.end_all().await;
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.supply.abandon();
    }
}

/// The spawner's thread could not be started.
fn no_thread(error: &std::io::Error) -> Diagnostic {
    Diagnostic::error("host-thread", "the thread that starts plugins could not be started")
        .detail(error.to_string())
        .hint("Check the limits on processes and threads (`ulimit -u`) and on open files (`ulimit -n`).")
}
