//! One use of a host, from its first plugin to its last. Cancellation, logging and warnings belong to the run, while processes
//! belong to the host and outlive it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use futures::future::join_all;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallContext, LogSink, Plugin, PluginDescriptor, Plugins};
use outrigger_schema::Package;
use tokio_util::sync::CancellationToken;

use crate::ProjectOptions;
use crate::catalog::Catalog;
use crate::lease::Lease;
use crate::pool::Wanted;
use crate::supply::Supply;

/// A run.
pub struct Run {
    supply: Arc<Supply>,
    catalog: Catalog,
    user: Arc<User>,
    leases: Mutex<Vec<Weak<Lease>>>,
}

/// The user of a plugin: the data that all plugins of a run share.
pub(crate) struct User {
    pub(crate) log: Arc<dyn LogSink>,
    /// The project that plugins work for.
    pub(crate) project: Arc<ProjectOptions>,
    /// Cancelled with the run: waits for plugins end.
    pub(crate) stopping: CancellationToken,
    warnings: Mutex<Warnings>,
}

#[derive(Default)]
struct Warnings {
    collected: Vec<Diagnostic>,
    seen: HashSet<String>,
}

impl User {
    /// Emits each warning once.
    pub(crate) fn warn(&self, plugin: &str, warnings: &[Diagnostic]) {
        let mut known = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        for warning in warnings {
            if known.seen.insert(format!("{} {plugin} {warning}", warning.code)) {
                known.collected.push(warning.clone());
            }
        }
    }
}

impl Run {
    pub(crate) fn new(supply: Arc<Supply>, project: ProjectOptions, log: Arc<dyn LogSink>) -> Self {
        let (project, stopping) = (Arc::new(project), CancellationToken::new());
        let user = User { log, project, stopping, warnings: Mutex::default() };
        Self { supply, catalog: Catalog::default(), user: Arc::new(user), leases: Mutex::default() }
    }

    /// Starts plugins in the background, all at once. The next `load` or `schema` of each waits for it instead of starting
    /// another, and gets its error if it fails.
    pub fn prefetch(&self, descriptors: &[PluginDescriptor]) {
        for descriptor in descriptors {
            // The caller that needs an unclaimed plugin gets the error.
            if let Ok(wanted) = self.wanted(descriptor) {
                self.supply.prefetch(&self.user, &wanted);
            }
        }
    }

    /// Stops the run by asking all its plugins to stop at once. Advisory; takes at most 30 s. Present and future waits for a plugin to
    /// start or for a schema end, since both change nothing and may hang for minutes.
    ///
    /// A plugin that was asked to stop is not reused by another run: protocols allow it to refuse every later call.
    pub async fn cancel(&self) {
        self.user.stopping.cancel();
        let budget = self.supply.deadlines().cancel_all;
        let cx = CallContext::background().within(budget);
        let leases: Vec<_> = self.leases().iter().filter_map(Weak::upgrade).collect();
        let all = join_all(leases.iter().map(|lease| lease.interrupt(&cx)));
        let _advisory = tokio::time::timeout(budget, all).await;
    }

    /// A plugin in the form of its protocol, for the project of this run.
    fn wanted(&self, descriptor: &PluginDescriptor) -> Result<Wanted, Diagnostic> {
        let (_, descriptor) = self.supply.options().claim(descriptor)?;
        Ok(Wanted { project: Arc::clone(&self.user.project), descriptor })
    }

    fn leases(&self) -> MutexGuard<'_, Vec<Weak<Lease>>> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a future without side effects, until the caller or the run is cancelled.
    async fn wait<T>(
        &self,
        cx: &CallContext,
        name: &str,
        work: impl Future<Output = Result<T, Diagnostic>>,
    ) -> Result<T, Diagnostic> {
        tokio::select! {
            biased;
            done = work => done,
            () = cx.cancel.cancelled() => Err(cancelled(name)),
            () = self.user.stopping.cancelled() => Err(cancelled(name)),
        }
    }
}

#[async_trait]
impl Plugins for Run {
    async fn load(&self, cx: &CallContext, descriptor: &PluginDescriptor) -> Result<Arc<dyn Plugin>, Diagnostic> {
        let wanted = self.wanted(descriptor)?;
        let (id, running) = self.wait(cx, &descriptor.name, self.supply.lease(&self.user, &wanted)).await?;
        let lease = Lease::new(Arc::clone(&self.supply), Arc::clone(&self.user), wanted, id, running);
        let mut leases = self.leases();
        leases.retain(|lease| lease.strong_count() > 0);
        leases.push(Arc::downgrade(&lease));
        Ok(lease)
    }

    async fn schema(&self, cx: &CallContext, descriptor: &PluginDescriptor) -> Result<Arc<Package>, Diagnostic> {
        let wanted = self.wanted(descriptor)?;
        self.wait(cx, &descriptor.name, self.catalog.schema(&self.supply, &self.user, cx, &wanted)).await
    }

    fn warnings(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.user.warnings.lock().unwrap_or_else(PoisonError::into_inner).collected)
    }
}

fn cancelled(name: &str) -> Diagnostic {
    Diagnostic::error("plugin-cancelled", format!("plugin `{name}` was not started"))
        .detail("The command was cancelled while it waited for the plugin.")
        .hint("Run the command again.")
}
