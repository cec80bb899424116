//! Where leased plugins come from: started, found free, or waited for.

use std::collections::HashSet;
use std::ffi::OsString;
use std::future::Future;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::join_all;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{
    CallContext, CallError, Configure, ErrorKind, LogSink, Parameterize, Plugin, PluginDescriptor, tolerant,
};
use outrigger_pulumi::{ConnectOptions, EngineServer, connect};
use outrigger_transport::{LaunchRequest, Process};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::find::{self, Found, Origin};
use crate::pool::{Pool, SlotId, Start, Want};
use crate::process::PluginProcess;
use crate::running::{Executable, Running, end_now, not_connected, not_started};
use crate::spawner::Spawner;
use crate::{Deadlines, HostOptions, environment, terraform};

/// What a host and its leases share.
pub(crate) struct Supply {
    options: HostOptions,
    log: Arc<dyn LogSink>,
    spawner: Spawner,
    /// The service that plugins call back. It must be reachable as long as a plugin runs: Go plugins ask for its health
    /// every five minutes and leave when there is no answer.
    engine: OnceCell<EngineServer>,
    pool: Mutex<Pool>,
    warnings: Mutex<Warnings>,
    tasks: TaskTracker,
    /// The user wants to stop: nobody waits for a plugin any more.
    stopping: CancellationToken,
    closing: CancellationToken,
}

#[derive(Default)]
struct Warnings {
    collected: Vec<Diagnostic>,
    seen: HashSet<String>,
}

impl Supply {
    pub(crate) fn new(options: HostOptions, log: Arc<dyn LogSink>) -> std::io::Result<Self> {
        let spawner = Spawner::new(options.keeper.clone())?;
        Ok(Self {
            options,
            log,
            spawner,
            engine: OnceCell::new(),
            pool: Mutex::default(),
            warnings: Mutex::default(),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
            closing: CancellationToken::new(),
        })
    }

    pub(crate) fn options(&self) -> &HostOptions {
        &self.options
    }

    pub(crate) fn deadlines(&self) -> &Deadlines {
        &self.options.deadlines
    }

    /// Says when the user wants to stop: nobody waits for a plugin any more.
    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.stopping
    }

    /// Leases a plugin: a free one that still fits, or a new one.
    pub(crate) async fn lease(
        self: &Arc<Self>,
        descriptor: &PluginDescriptor,
    ) -> Result<(SlotId, Arc<Running>), Diagnostic> {
        self.lease_wanted(descriptor, Want::Any).await
    }

    /// The same, but never one that was configured before.
    pub(crate) async fn lease_unconfigured(
        self: &Arc<Self>,
        descriptor: &PluginDescriptor,
    ) -> Result<(SlotId, Arc<Running>), Diagnostic> {
        self.lease_wanted(descriptor, Want::Unconfigured).await
    }

    /// The free plugin that was configured with this request.
    pub(crate) fn lease_configured(
        &self,
        descriptor: &PluginDescriptor,
        request: &Configure,
    ) -> Option<(SlotId, Arc<Running>)> {
        self.pool().lease_configured(descriptor, request)
    }

    /// A plugin to ask something, without leasing it: any that runs, or a new one that is free for the next lease.
    pub(crate) async fn borrow(self: &Arc<Self>, descriptor: &PluginDescriptor) -> Result<Arc<Running>, Diagnostic> {
        let known = self.pool().any(descriptor);
        let (id, start) = match known {
            Some(known) => known,
            None => self.begin(descriptor, false)?,
        };
        start.await.inspect_err(|_| self.pool().remove(descriptor, id))
    }

    /// Starts a plugin in the background, unless one runs or is being started.
    pub(crate) fn prefetch(self: &Arc<Self>, descriptor: &PluginDescriptor) {
        if self.pool().any(descriptor).is_none() {
            // Whoever needs the plugin gets the error, if there is one.
            let _reported_later = self.begin(descriptor, false);
        }
    }

    pub(crate) fn free(&self, descriptor: &PluginDescriptor, id: SlotId) {
        self.pool().free(descriptor, id);
    }

    pub(crate) fn retire(&self, descriptor: &PluginDescriptor, id: SlotId) {
        self.pool().retire(descriptor, id);
    }

    /// Warnings that came up since the last time, each once.
    pub(crate) fn take_warnings(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.warnings.lock().unwrap_or_else(PoisonError::into_inner).collected)
    }

    /// Everything that runs.
    pub(crate) fn running(&self) -> Vec<Arc<Running>> {
        self.pool().running()
    }

    /// Ends everything, all at once, and starts nothing more.
    pub(crate) async fn end_all(&self) {
        // Starts that are under way are dropped, and with them their processes.
        self.closing.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        let running = self.running();
        join_all(running.iter().map(|running| running.end(&self.options.deadlines))).await;
        self.spawner.drain().await;
        self.pool().clear();
    }

    /// Ends everything the hard way, without waiting, and dismisses the keeper.
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
        descriptor: &PluginDescriptor,
        want: Want,
    ) -> Result<(SlotId, Arc<Running>), Diagnostic> {
        loop {
            let free = self.pool().lease_free(descriptor, want);
            let (id, start) = match free {
                Some(free) => free,
                None => self.begin(descriptor, true)?,
            };
            let guard = Returned { supply: self, descriptor, id, armed: true };
            let running = start.await.inspect_err(|_| self.pool().remove(descriptor, id))?;
            if !running.is_alive() {
                self.pool().remove(descriptor, id);
            } else if !self.fits(&running, descriptor) {
                self.pool().retire(descriptor, id);
            } else {
                guard.keep();
                return Ok((id, running));
            }
        }
    }

    /// Whether a running plugin is the one that a start would give now: the same executable, unchanged.
    fn fits(&self, running: &Running, descriptor: &PluginDescriptor) -> bool {
        let Some(executable) = &running.executable else { return true };
        find::find(&self.options, descriptor).is_ok_and(|found| executable.is_same(&Executable::new(found.path)))
    }

    /// Begins a start, which goes on by itself.
    fn begin(self: &Arc<Self>, descriptor: &PluginDescriptor, leased: bool) -> Result<(SlotId, Start), Diagnostic> {
        if self.closing.is_cancelled() {
            return Err(shutting_down(&descriptor.name));
        }
        let (supply, wanted) = (Arc::clone(self), descriptor.clone());
        let start = async move {
            tokio::select! {
                biased;
                () = supply.closing.cancelled() => Err(shutting_down(&wanted.name)),
                outcome = supply.start(&wanted) => outcome,
            }
        };
        let (id, start) = self.pool().add(descriptor, leased, start.boxed());
        self.tasks.spawn(start.clone().map(drop));
        Ok((id, start))
    }

    async fn start(&self, descriptor: &PluginDescriptor) -> Result<Arc<Running>, Diagnostic> {
        let name = &descriptor.name;
        let engine = self.engine_address(name).await?;
        let options = ConnectOptions {
            name: name.clone(),
            engine_address: engine.clone(),
            deadlines: self.options.deadlines.connecting(),
            log: self.options.call_log.clone(),
        };
        if let Some(port) = self.options.debug_providers.get(name) {
            let connected = connect(outrigger_pulumi::Origin::Port(*port), options);
            let plugin = self.ready(descriptor, None, None, connected).await?;
            return Ok(Arc::new(Running::new(plugin, None, None)));
        }
        if let Some(terraform) = self.options.bridged(descriptor) {
            let bridge = Arc::new(terraform::bridge(terraform, &self.options, descriptor, &self.spawner)?);
            let plugin = self.ready(descriptor, None, None, async { Ok(bridge) }).await?;
            return Ok(Arc::new(Running::new(plugin, None, None)));
        }
        let found = find::find(&self.options, descriptor)?;
        found.warnings.iter().for_each(|warning| self.warn(name, warning.clone()));
        let executable = Executable::new(found.path.clone());
        let request = LaunchRequest {
            label: descriptor.version.as_ref().map_or_else(|| name.clone(), |version| format!("{name} {version}")),
            program: found.path.clone(),
            arguments: found.arguments.iter().cloned().chain([OsString::from(engine)]).collect(),
            environment: environment::of_plugin(&self.options, descriptor),
            directory: self.options.project.directory.clone(),
            output: None,
        };
        let process = self.spawner.launch_plugin(request).await.map_err(|error| not_started(name, &error))?;
        let origin = outrigger_pulumi::Origin::Process {
            process: Arc::clone(&process) as Arc<dyn Process>,
            directory: found.path.parent().unwrap_or(Path::new("/")).to_owned(),
            deadline: self.options.deadlines.start,
        };
        let plugin = self.ready(descriptor, Some(&process), Some(&executable), connect(origin, options)).await?;
        self.compare_version(descriptor, &found, plugin.as_ref()).await;
        Ok(Arc::new(Running::new(plugin, Some(process), Some(executable))))
    }

    /// Connects and parameterizes. Whatever fails, the process is ended before the answer.
    async fn ready<P: Plugin + 'static>(
        &self,
        descriptor: &PluginDescriptor,
        process: Option<&Arc<PluginProcess>>,
        executable: Option<&Executable>,
        connected: impl Future<Output = Result<Arc<P>, CallError>>,
    ) -> Result<Arc<dyn Plugin>, Diagnostic> {
        let attempt = async {
            let plugin = connected.await?;
            if let Some(parameterization) = &descriptor.parameterization {
                // A Terraform provider is asked for its schema in this.
                let cx = CallContext { log: Arc::clone(&self.log), ..CallContext::background() };
                let cx = cx.within(self.options.deadlines.schema);
                let became = plugin.parameterize(&cx, Parameterize::Value(parameterization.clone())).await?;
                // Whatever is asked of it would be answered by another package than the one that was meant.
                if became.name != parameterization.name {
                    return Err(not_it(descriptor, &parameterization.name, &became.name));
                }
            }
            Ok::<_, CallError>(plugin as Arc<dyn Plugin>)
        };
        match attempt.await {
            Ok(plugin) => Ok(plugin),
            Err(mut error) => {
                if let Some(process) = process {
                    end_now(process).await;
                    // What it said may have come after what it did; now all of it is here.
                    error.last_words = process.last_words();
                }
                let is_bridged = self.options.bridged(descriptor).is_some();
                Err(not_connected(&descriptor.name, executable, is_bridged, &error))
            }
        }
    }

    async fn engine_address(&self, name: &str) -> Result<String, Diagnostic> {
        let engine = self.engine.get_or_try_init(|| EngineServer::start(Arc::clone(&self.log))).await;
        engine.map(|engine| engine.address().to_owned()).map_err(|error| {
            Diagnostic::error("engine-server", format!("plugin `{name}` cannot be given a way to call back"))
                .detail(format!("No port of 127.0.0.1 could be opened: {error}."))
                .hint("Check that this process may open sockets on the loopback interface.")
        })
    }

    /// Says so if the plugin is not of the version that was asked for. It is used all the same, as in Pulumi.
    async fn compare_version(&self, descriptor: &PluginDescriptor, found: &Found, plugin: &dyn Plugin) {
        let Some(wanted) = descriptor.version.as_deref().and_then(tolerant) else { return };
        let cx = CallContext::background().within(self.options.deadlines.handshake);
        let Ok(info) = plugin.info(&cx).await else { return };
        let actual = tolerant(&info.version);
        let order = actual.as_ref().map(|actual| actual.cmp_precedence(&wanted));
        let other = match found.origin {
            Origin::Ambient => order.is_none_or(std::cmp::Ordering::is_ne),
            _ => order.is_none_or(std::cmp::Ordering::is_lt),
        };
        if other {
            let actual = actual.map_or_else(|| "of unknown version".to_owned(), |actual| format!("version {actual}"));
            let warning =
                Diagnostic::warning("plugin-other-version", format!("plugin `{}` is {actual}", descriptor.name))
                    .detail(format!("Version {wanted} is wanted, but `{}` was found first.", found.path.display()))
                    .hint(
                        "Set PULUMI_IGNORE_AMBIENT_PLUGINS=true to use installed plugins only, or remove it from PATH.",
                    );
            self.warn(&descriptor.name, warning);
        }
    }

    fn warn(&self, name: &str, warning: Diagnostic) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if warnings.seen.insert(format!("{} {name} {warning}", warning.code)) {
            warnings.collected.push(warning);
        }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Frees a slot if whoever waits for its start is dropped.
struct Returned<'a> {
    supply: &'a Supply,
    descriptor: &'a PluginDescriptor,
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
            self.supply.free(self.descriptor, self.id);
        }
    }
}

fn shutting_down(name: &str) -> Diagnostic {
    Diagnostic::error("host-closing", format!("plugin `{name}` is not started"))
        .detail("The host is shutting down and starts nothing more.")
        .hint("Run the command again.")
}

/// A plugin that became another package than the parameter is said to be for.
fn not_it(descriptor: &PluginDescriptor, wanted: &str, became: &str) -> CallError {
    let message = format!(
        "with the parameter of the package `{wanted}` it became `{became}`; the package's lock file below `sdks` does not belong to it, and \
         `outrigger install` writes it anew"
    );
    CallError::new(&descriptor.name, "Parameterize", ErrorKind::Garbage, message)
}
