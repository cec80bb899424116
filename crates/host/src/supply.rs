//! The supply of plugins to lease: newly started, free, or still starting.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::join_all;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallContext, CallError, Configure, LogSink, Parameterize, Plugin, PluginDescriptor};
use outrigger_transport::{OpenError, Opening, SchemaStore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::pool::{Pool, SlotId, Start, Want, Wanted};
use crate::process::Processes;
use crate::run::User;
use crate::running::{Executable, RunLog, Running, not_connected};
use crate::schema::Schemas;
use crate::spawner::Spawner;
use crate::{Deadlines, HostOptions, environment};

/// Data that a host and its leases share.
pub(crate) struct Supply {
    options: HostOptions,
    spawner: Spawner,
    pool: Mutex<Pool>,
    tasks: TaskTracker,
    closing: CancellationToken,
}

impl Supply {
    pub(crate) fn new(options: HostOptions) -> std::io::Result<Self> {
        let spawner = Spawner::new(options.keeper.clone())?;
        let (tasks, closing) = (TaskTracker::new(), CancellationToken::new());
        Ok(Self { options, spawner, pool: Mutex::default(), tasks, closing })
    }

    pub(crate) fn options(&self) -> &HostOptions {
        &self.options
    }

    pub(crate) fn deadlines(&self) -> &Deadlines {
        &self.options.deadlines
    }

    pub(crate) fn spawner(&self) -> &Spawner {
        &self.spawner
    }

    pub(crate) fn schemas(&self) -> Arc<dyn SchemaStore> {
        Arc::new(Schemas { cache: self.options.cache_directory.clone() })
    }

    /// Leases a plugin: a free one that still fits, or a new one.
    pub(crate) async fn lease(
        self: &Arc<Self>,
        user: &Arc<User>,
        wanted: &Wanted,
    ) -> Result<(SlotId, Arc<Running>), Diagnostic> {
        self.lease_wanted(user, wanted, Want::Any).await
    }

    /// Leases a plugin that was never configured.
    pub(crate) async fn lease_unconfigured(
        self: &Arc<Self>,
        user: &Arc<User>,
        wanted: &Wanted,
    ) -> Result<(SlotId, Arc<Running>), Diagnostic> {
        self.lease_wanted(user, wanted, Want::Unconfigured).await
    }

    /// The free plugin that was configured with this request.
    pub(crate) fn lease_configured(&self, wanted: &Wanted, request: &Configure) -> Option<(SlotId, Arc<Running>)> {
        self.pool().lease_configured(wanted, request)
    }

    /// A plugin for a call that needs no lease: any running one, or a new one that is then free for the next lease.
    pub(crate) async fn borrow(
        self: &Arc<Self>,
        user: &Arc<User>,
        wanted: &Wanted,
    ) -> Result<Arc<Running>, Diagnostic> {
        loop {
            let known = self.pool().any(wanted);
            let (id, start) = match known {
                Some(known) => known,
                None => self.begin(user, wanted, false)?,
            };
            let running = start.await.inspect_err(|_| self.pool().remove(wanted, id))?;
            if self.fits(&running, &wanted.descriptor).await {
                user.warn(&wanted.descriptor.name, &running.warnings);
                return Ok(running);
            }
            self.pool().retire(wanted, id);
        }
    }

    /// Starts a plugin in the background, unless one is running or starting.
    pub(crate) fn prefetch(self: &Arc<Self>, user: &Arc<User>, wanted: &Wanted) {
        if self.pool().any(wanted).is_none() {
            // The caller that needs the plugin gets the error, if any.
            let _reported_later = self.begin(user, wanted, false);
        }
    }

    pub(crate) fn free(&self, wanted: &Wanted, id: SlotId) {
        self.pool().free(wanted, id);
    }

    pub(crate) fn retire(&self, wanted: &Wanted, id: SlotId) {
        self.pool().retire(wanted, id);
    }

    /// Ends everything at once, and refuses new starts. Returns a sentence for each plugin that did not exit when asked.
    pub(crate) async fn end_all(&self) -> Vec<String> {
        // Running starts are dropped, and with them their processes.
        self.closing.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        let running = self.pool().running();
        let ended = join_all(running.iter().map(|running| running.end(&self.options.deadlines))).await;
        self.spawner.drain().await;
        self.pool().clear();
        ended.concat()
    }

    /// Kills everything without waiting, and dismisses the keeper.
    pub(crate) fn abandon(&self) {
        self.closing.cancel();
        self.spawner.close();
    }

    /// Runs blocking work, such as reading files.
    pub(crate) async fn blocking<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        tokio::task::spawn_blocking(work).await.ok()
    }

    async fn lease_wanted(
        self: &Arc<Self>,
        user: &Arc<User>,
        wanted: &Wanted,
        want: Want,
    ) -> Result<(SlotId, Arc<Running>), Diagnostic> {
        loop {
            let free = self.pool().lease_free(wanted, want);
            let (id, start) = match free {
                Some(free) => free,
                None => self.begin(user, wanted, true)?,
            };
            let guard = Returned { supply: self, wanted, id, armed: true };
            let running = start.await.inspect_err(|_| self.pool().remove(wanted, id))?;
            if !running.is_alive() {
                self.pool().remove(wanted, id);
            } else if !self.fits(&running, &wanted.descriptor).await {
                self.pool().retire(wanted, id);
            } else {
                guard.keep();
                user.warn(&wanted.descriptor.name, &running.warnings);
                return Ok((id, running));
            }
        }
    }

    /// Whether a running plugin is the one that would be started now: the same executable, unchanged.
    async fn fits(&self, running: &Running, descriptor: &PluginDescriptor) -> bool {
        let Some(executable) = &running.executable else { return true };
        let found = self.options.find(descriptor).await.ok().flatten().and_then(|found| Executable::of(&found));
        found.is_some_and(|found| executable.is_same(&found))
    }

    /// Begins a start, which continues in the background.
    fn begin(self: &Arc<Self>, user: &Arc<User>, wanted: &Wanted, leased: bool) -> Result<(SlotId, Start), Diagnostic> {
        if self.closing.is_cancelled() {
            return Err(shutting_down(&wanted.descriptor.name));
        }
        let (supply, user, starting) = (Arc::clone(self), Arc::clone(user), wanted.clone());
        let start = async move {
            tokio::select! {
                biased;
                () = supply.closing.cancelled() => Err(shutting_down(&starting.descriptor.name)),
                outcome = supply.start(&user, &starting) => outcome,
            }
        };
        let (id, start) = self.pool().add(wanted, leased, start.boxed());
        self.tasks.spawn(start.clone().map(drop));
        Ok((id, start))
    }

    async fn start(&self, user: &User, wanted: &Wanted) -> Result<Arc<Running>, Diagnostic> {
        let descriptor = &wanted.descriptor;
        let (protocol, _) = self.options.claim(descriptor)?;
        let found = self.options.find(descriptor).await?;
        let mut warnings = found.as_ref().map(|found| found.warnings.clone()).unwrap_or_default();
        user.warn(&descriptor.name, &warnings);
        let executable = found.as_ref().and_then(Executable::of);
        let processes = Arc::new(Processes::new(self.spawner.clone(), self.options.output.clone()));
        let log = Arc::new(RunLog::to(&user.log));
        let opening = Opening {
            descriptor,
            resolved: found.as_ref(),
            launcher: Arc::clone(&processes) as _,
            environment: environment::of_plugin(&self.options.environment, wanted),
            directory: &wanted.project.directory,
            schemas: self.schemas(),
            log: Arc::clone(&log) as _,
            deadlines: &self.options.deadlines,
        };
        let program = executable.as_ref().map(|executable| executable.path.as_path());
        let failed = |error: CallError| not_connected(&descriptor.name, protocol.hint(program, &error), &error);
        let opened = protocol.open(opening).await.map_err(|error| match error {
            OpenError::NotStarted(diagnostic) => diagnostic,
            OpenError::Failed(error) => failed(error),
        })?;
        match self.parameterize(&log, descriptor, &*opened.plugin).await {
            Err(mut error) => {
                let last_words = processes.kill().await;
                if program.is_some() {
                    error.last_words = last_words;
                }
                return Err(failed(error));
            }
            // Every call to it would be answered by the wrong package.
            Ok(became) if became != descriptor.package() => {
                processes.kill().await;
                return Err(other_package(descriptor, &became));
            }
            Ok(_) => {}
        }
        warnings.extend(opened.warnings);
        Ok(Arc::new(Running::new(opened.plugin, processes, executable, log, warnings)))
    }

    /// Parameterizes the plugin as the descriptor says, and returns the name of the resulting package.
    async fn parameterize(
        &self,
        log: &Arc<RunLog>,
        descriptor: &PluginDescriptor,
        plugin: &dyn Plugin,
    ) -> Result<String, CallError> {
        let Some(wanted) = &descriptor.parameterization else { return Ok(descriptor.package().to_owned()) };
        // Parameterizing asks a Terraform provider for its schema.
        let cx = CallContext { log: Arc::clone(log) as Arc<dyn LogSink>, ..CallContext::background() };
        let cx = cx.within(self.options.deadlines.schema);
        Ok(plugin.parameterize(&cx, Parameterize::Value(wanted.clone())).await?.name)
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Frees a slot if the caller that waits for its start is dropped.
struct Returned<'a> {
    supply: &'a Supply,
    wanted: &'a Wanted,
    id: SlotId,
    armed: bool,
}

impl Returned<'_> {
    fn keep(mut self) {
        self.armed = false;
    }
}

impl Drop for Returned<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.supply.free(self.wanted, self.id);
        }
    }
}

fn shutting_down(name: &str) -> Diagnostic {
    Diagnostic::error("host-closing", format!("plugin `{name}` is not started"))
        .detail("The host is shutting down and starts no more plugins.")
        .hint("Run the command again.")
}

/// The error when the parameter from the lock file produced another package.
fn other_package(descriptor: &PluginDescriptor, became: &str) -> Diagnostic {
    let (name, wanted) = (&descriptor.name, descriptor.package());
    Diagnostic::error("plugin-handshake", format!("plugin `{name}` could not be used"))
        .detail(format!("Its parameter for the package `{wanted}` turned it into the package `{became}`."))
        .hint(format!("Run `outrigger install` to write the lock file of `{wanted}` below `sdks` again."))
}
