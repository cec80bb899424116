//! The host.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use async_trait::async_trait;
use futures::future::join_all;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallContext, LogSink, Plugin, PluginDescriptor, Plugins};
use outrigger_schema::Package;

use crate::HostOptions;
use crate::catalog::Catalog;
use crate::lease::Lease;
use crate::supply::Supply;

/// Finds, starts, keeps and ends plugins. Made once for a command, inside a tokio runtime; dropping it kills what is left.
pub struct Host {
    supply: Arc<Supply>,
    catalog: Catalog,
    /// Leases by the address of their plugin, so that one that is given back is recognised.
    leases: Mutex<HashMap<usize, Weak<Lease>>>,
}

impl Host {
    /// A host. Nothing is started yet. `log` takes what plugins say.
    pub fn new(options: HostOptions, log: Arc<dyn LogSink>) -> Result<Self, Diagnostic> {
        let supply = Supply::new(options, log).map_err(|error| no_thread(&error))?;
        Ok(Self { supply: Arc::new(supply), catalog: Catalog::default(), leases: Mutex::default() })
    }

    /// Starts plugins in the background, all at once. The next `load` or `schema` of each waits for it instead of starting
    /// another, and gets its error if there is one.
    pub fn prefetch(&self, descriptors: &[PluginDescriptor]) {
        for descriptor in descriptors {
            self.supply.prefetch(&self.supply.options().meant(descriptor));
        }
    }

    /// The user wants to stop: tells all plugins, all at once. Advisory; takes at most 30 s. Whoever waits, or
    /// would have to wait, for a plugin to start or for a schema stops waiting: both change nothing, and may hang for minutes.
    pub async fn cancel_all(&self) {
        self.supply.stopping().cancel();
        let budget = self.supply.deadlines().cancel_all;
        let cx = CallContext::background().within(budget);
        let running = self.supply.running();
        let all = join_all(running.iter().map(|running| running.plugin.cancel(&cx)));
        let _advisory = tokio::time::timeout(budget, all).await;
    }

    /// Ends all plugins, all at once: Cancel, SIGINT to their groups, and after a grace SIGKILL. Nothing is left behind, and
    /// nothing can be started any more. Takes milliseconds with plugins that obey, at most some 10 s with those that do not.
    ///
    /// The keeper stays until the host is dropped: if this process is killed between the two, it still does its last act.
    pub async fn shutdown(&self) {
        self.supply.end_all().await;
    }

    fn leases(&self) -> std::sync::MutexGuard<'_, HashMap<usize, Weak<Lease>>> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.supply.abandon();
    }
}

#[async_trait]
impl Plugins for Host {
    async fn load(&self, cx: &CallContext, descriptor: &PluginDescriptor) -> Result<Arc<dyn Plugin>, Diagnostic> {
        let descriptor = self.supply.options().meant(descriptor);
        let (id, running) = tokio::select! {
            biased;
            leased = self.supply.lease(&descriptor) => leased?,
            () = cx.cancel.cancelled() => return Err(cancelled(&descriptor.name)),
            () = self.supply.stopping().cancelled() => return Err(cancelled(&descriptor.name)),
        };
        let lease = Lease::new(Arc::clone(&self.supply), descriptor.into_owned(), id, running);
        let mut leases = self.leases();
        leases.retain(|_, lease| lease.strong_count() > 0);
        leases.insert(Arc::as_ptr(&lease).addr(), Arc::downgrade(&lease));
        Ok(lease)
    }

    async fn schema(&self, cx: &CallContext, descriptor: &PluginDescriptor) -> Result<Arc<Package>, Diagnostic> {
        let descriptor = self.supply.options().meant(descriptor);
        tokio::select! {
            biased;
            schema = self.catalog.schema(&self.supply, cx, &descriptor) => schema,
            () = cx.cancel.cancelled() => Err(cancelled(&descriptor.name)),
            () = self.supply.stopping().cancelled() => Err(cancelled(&descriptor.name)),
        }
    }

    async fn release(&self, plugin: Arc<dyn Plugin>) {
        let address = Arc::as_ptr(&plugin).cast::<()>().addr();
        let lease = self.leases().remove(&address).and_then(|lease| lease.upgrade());
        if let Some(lease) = lease {
            lease.give_back();
        }
    }

    fn warnings(&self) -> Vec<Diagnostic> {
        self.supply.take_warnings()
    }
}

/// The spawner's thread could not be started.
pub(crate) fn no_thread(error: &std::io::Error) -> Diagnostic {
    Diagnostic::error("host-thread", "the thread that starts plugins could not be started")
        .detail(error.to_string())
        .hint("Check the limit on the number of processes and threads (`ulimit -u`).")
}

fn cancelled(name: &str) -> Diagnostic {
    Diagnostic::error("plugin-cancelled", format!("plugin `{name}` was not started"))
        .detail("The command was cancelled while it waited for the plugin.")
        .hint("Run the command again.")
}
