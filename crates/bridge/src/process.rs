//! A Terraform provider's process, started when it is needed.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use outrigger_provider::{CallContext, CallError, ErrorKind};
use outrigger_terraform::json::Transcript;
use outrigger_terraform::schema::Schemas;
use outrigger_terraform::{Client, Protocol};
use outrigger_transport::caller::Caller;
use outrigger_transport::goplugin::{self, Connection, Settings, StartError, StartFailure};
use outrigger_transport::tap::{CallLog, Tap};
use outrigger_transport::{Deadlines, LaunchRequest, Launcher, OutputLines, Place};
use outrigger_value::{PropertyMap, secrecy};
use tokio::sync::{OnceCell, watch};
use tokio::time::sleep;

use crate::configuration;
use crate::log::Log;
use crate::naming::object_names::Object;

/// The cookie by which every host of Terraform providers identifies itself.
const COOKIE: goplugin::Cookie = goplugin::Cookie {
    key: "TF_PLUGIN_MAGIC_COOKIE",
    value: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
};

/// How long a call may run on after StopProvider before StopProvider is sent again.
const STOP_AGAIN: Duration = Duration::from_secs(1);

/// The settings and services with which a process is started.
#[derive(Clone)]
pub(crate) struct Surroundings {
    pub(crate) launcher: Arc<dyn Launcher>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) directory: PathBuf,
    pub(crate) deadlines: Deadlines,
    pub(crate) tls: bool,
    /// The lowest level of the provider's log that is passed on; `None` passes on nothing.
    pub(crate) log_level: Option<goplugin::LogLevel>,
    /// The log to which calls are written.
    pub(crate) call_log: Option<Arc<dyn CallLog>>,
}

/// The variables that set the log level of HashiCorp's libraries and of the provider itself.
const LOG_LEVELS: [&str; 2] = ["TF_LOG_SDK", "TF_LOG_PROVIDER"];

impl Surroundings {
    /// The environment of a provider. By default, providers log every step of every call, which takes a good part of the time of small calls;
    /// unless the log is wanted, they are asked for warnings only.
    fn of_provider(&self) -> Vec<(OsString, OsString)> {
        let mut environment = self.environment.clone();
        if self.log_level.is_none() {
            // As in Terraform, an empty variable counts as not set.
            environment.retain(|(key, level)| !level.is_empty() || LOG_LEVELS.iter().all(|name| key != name));
            let unset = LOG_LEVELS.into_iter().filter(|name| environment.iter().all(|(key, _)| key != name));
            let unset: Vec<_> = unset.map(|name| (name.into(), "warn".into())).collect();
            environment.extend(unset);
        }
        environment
    }
}

/// A provider's process: not started, running, or ended.
pub(crate) struct Supervised {
    place: Place,
    label: String,
    surroundings: Surroundings,
    live: OnceCell<Live>,
    failures: Mutex<Failures>,
    log: Arc<Log>,
    /// Whether each new process must be asked for its schema before it can be used.
    must_ask_schema: Mutex<bool>,
    stopped: watch::Sender<bool>,
    overheard: Option<Overheard>,
}

/// The log of calls.
struct Overheard {
    transcript: Arc<Transcript>,
    tap: Arc<Tap>,
    settings: OnceLock<Arc<Object>>,
}

struct Live {
    client: Arc<Client>,
    connection: Connection,
}

/// Why a process is started.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// A caller waits for it, and gets the error if it fails.
    Needed,
    /// No caller needs it yet.
    Early,
}

/// The starts that failed.
#[derive(Default)]
struct Failures {
    count: u64,
    /// The value of `count` when a caller last got an error.
    told: u64,
    last: Option<CallError>,
}

impl Failures {
    /// The error of the last start, if more than `known` starts have failed. It now counts as reported.
    fn after(&mut self, known: u64) -> Option<CallError> {
        let last = self.last.clone().filter(|_| self.count > known)?;
        self.told = self.count;
        Some(last)
    }

    fn add(&mut self, error: &CallError, start: Start) {
        self.count += 1;
        self.last = Some(error.clone());
        if start == Start::Needed {
            self.told = self.count;
        }
    }
}

impl Supervised {
    pub(crate) fn new(place: Place, label: String, surroundings: Surroundings) -> Self {
        let log = Arc::new(Log::new(label.clone(), surroundings.log_level));
        let overheard = surroundings.call_log.clone().map(|to| {
            let transcript = Arc::new(Transcript::default());
            let tap = Arc::new(Tap::new(to, Arc::clone(&transcript) as _, "terraform-provider", &label));
            Overheard { transcript, tap, settings: OnceLock::new() }
        });
        let must_ask_schema = Mutex::new(false);
        let (stopped, _) = watch::channel(false);
        let (live, failures) = (OnceCell::new(), Mutex::default());
        Self { place, label, surroundings, live, failures, log, must_ask_schema, overheard, stopped }
    }

    /// From now on the log of calls shows values.
    pub(crate) fn knows(&self, schemas: &Arc<Schemas>) {
        if let Some(overheard) = &self.overheard {
            overheard.transcript.knows(schemas);
        }
    }

    /// From now on the log of calls also hides secrets in settings that arrive as JSON in a string.
    pub(crate) fn unfolds(&self, settings: &Arc<Object>) {
        if let Some(overheard) = &self.overheard {
            let _set_once = overheard.settings.set(Arc::clone(settings));
        }
    }

    /// Keeps Pulumi's secrets out of the log of calls, whatever the provider's schema says.
    pub(crate) fn overhear(&self, properties: &PropertyMap) {
        let Some(overheard) = &self.overheard else { return };
        let mut hide = |text: &str| overheard.tap.hide(text);
        secrecy::secret_texts(properties, &mut hide);
        // The provider gets, and the log shows, the parsed JSON. JSON that cannot be parsed is not sent.
        let unfolded = overheard.settings.get().and_then(|settings| configuration::unfolded(settings, properties).ok());
        if let Some(unfolded) = &unfolded {
            secrecy::secret_texts(unfolded, &mut hide);
        }
    }

    /// From now on each new process is asked for its schema first: SDK-based providers initialize themselves in that call.
    pub(crate) fn ask_for_schema_first(&self) {
        *self.must_ask_schema.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    /// The client of the process, which is started if it does not run, unless it was asked to stop. Every caller that waits for a start that
    /// fails gets the error; a later call tries again.
    pub(crate) async fn client(&self, cx: &CallContext) -> Result<Arc<Client>, CallError> {
        self.started(cx, Start::Needed).await
    }

    /// Starts the process before it is needed. If that fails, the next caller gets the error instead of waiting a second time.
    pub(crate) async fn start_early(&self, cx: &CallContext) {
        drop(self.started(cx, Start::Early).await);
    }

    async fn started(&self, cx: &CallContext, start: Start) -> Result<Arc<Client>, CallError> {
        self.log.goes_to(&cx.log);
        if let Some(live) = self.live.get() {
            return Ok(Arc::clone(&live.client));
        }
        let known = self.failures().told;
        // Boxed: the future of every call would otherwise contain this one, and few need it.
        let attempt = || Box::pin(self.attempt(cx, start, known));
        tokio::select! {
            biased;
            // A start that is given up is dropped, and its process ends with it: no StopProvider can be sent before the process can be called.
            () = cx.cancel.cancelled() => Err(self.given_up()),
            () = self.told_to_stop() => Err(self.given_up()),
            live = self.live.get_or_try_init(attempt) => live.map(|live| Arc::clone(&live.client)),
        }
    }

    /// Starts the process, unless another caller's start failed while this one was waiting for it.
    async fn attempt(&self, cx: &CallContext, start: Start, known: u64) -> Result<Live, CallError> {
        if let Some(error) = self.failures().after(known) {
            return Err(error);
        }
        self.start(cx).await.inspect_err(|error| self.failures().add(error, start))
    }

    fn failures(&self) -> MutexGuard<'_, Failures> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn start(&self, cx: &CallContext) -> Result<Live, CallError> {
        let started = match &self.place {
            Place::Running(reattach) => goplugin::attach(reattach).await,
            Place::Program(program) => {
                let request = LaunchRequest {
                    label: self.label.clone(),
                    program: program.clone(),
                    arguments: Vec::new(),
                    environment: self.surroundings.of_provider(),
                    directory: self.surroundings.directory.clone(),
                    output: Some(Arc::clone(&self.log) as Arc<dyn OutputLines>),
                };
                let settings = Settings {
                    tls: self.surroundings.tls,
                    start_deadline: self.surroundings.deadlines.start,
                    ..Settings::new(COOKIE, vec![5, 6])
                };
                goplugin::start(&*self.surroundings.launcher, request, &settings).await
            }
        };
        let connection = started.map_err(|error| self.not_started(&error))?;
        let version = connection.protocol();
        // Only a provider that another program started can speak another protocol: the host offers its own providers only these.
        let protocol = Protocol::of_version(version).ok_or_else(|| self.other_protocol(version))?;
        let tap = self.overheard.as_ref().map(|overheard| Arc::clone(&overheard.tap));
        let channel = connection.channel().tapped(tap);
        let caller = Caller::new(connection.process().cloned(), self.label.clone());
        let client = Arc::new(Client::new(channel, protocol, caller));
        let ask = *self.must_ask_schema.lock().unwrap_or_else(PoisonError::into_inner);
        if ask {
            client.schemas(cx).await.map_err(|error| with_crash(error, &connection))?;
        }
        Ok(Live { client, connection })
    }

    /// Adds the panic's text to an error of a provider that panicked.
    pub(crate) fn explained(&self, error: CallError) -> CallError {
        match self.live.get() {
            Some(live) => with_crash(error, &live.connection),
            None => error,
        }
    }

    /// Whether it was started and has ended.
    fn has_ended(&self) -> bool {
        self.live.get().is_some_and(|live| live.connection.process().is_some_and(|process| process.has_ended()))
    }

    /// Whether it was asked to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        *self.stopped.borrow()
    }

    async fn told_to_stop(&self) {
        // The channel cannot be closed: the sender lives as long as `self`.
        drop(self.stopped.subscribe().wait_for(|stopped| *stopped).await);
    }

    /// Waits for a call. StopProvider ends only calls that are running when it arrives, and may miss one that is sent at the same moment: so it
    /// is sent again for as long as this call runs.
    pub(crate) async fn stoppable<T>(&self, cx: &CallContext, call: impl Future<Output = T>) -> T {
        tokio::pin!(call);
        loop {
            let told_a_moment_ago = async {
                self.told_to_stop().await;
                sleep(STOP_AGAIN).await;
            };
            tokio::select! {
                biased;
                answer = &mut call => return answer,
                () = told_a_moment_ago => {}
            }
            tokio::select! {
                biased;
                answer = &mut call => return answer,
                // Its result changes nothing here.
                _ = self.stop(cx) => {}
            }
        }
    }

    /// Sends StopProvider: running calls shall end soon. No process is started from now on, and a start under way is given up.
    pub(crate) async fn stop(&self, cx: &CallContext) -> Result<(), CallError> {
        self.stopped.send_replace(true);
        match self.live.get() {
            // A process that has ended needs no request to stop.
            Some(live) if !self.has_ended() => live.client.stop(&cx.within(self.surroundings.deadlines.cancel)).await,
            _ => Ok(()),
        }
    }

    /// Ends the process, if it was started. A start under way is given up.
    pub(crate) async fn end(&self) {
        self.stopped.send_replace(true);
        if let Some(live) = self.live.get() {
            live.connection.shutdown().await;
        }
    }

    fn other_protocol(&self, version: impl fmt::Display) -> CallError {
        let message = format!("the running Terraform provider speaks protocol {version}; only 5 and 6 are supported");
        CallError::new(self.label.clone(), "Start", ErrorKind::NotDone, message)
    }

    /// The error for a caller whose start was cancelled.
    fn given_up(&self) -> CallError {
        let message = "the Terraform provider was not started: the command was cancelled";
        CallError::new(self.label.clone(), "Start", ErrorKind::Cancelled, message)
    }

    fn not_started(&self, error: &StartError) -> CallError {
        let switch = match &error.failure {
            StartFailure::NoCertificate => ": set TF_DISABLE_PLUGIN_TLS=1",
            StartFailure::UnexpectedCertificate => ": unset TF_DISABLE_PLUGIN_TLS",
            _ => "",
        };
        let message = format!("the Terraform provider could not be started: {error}{switch}");
        let mut failed = CallError::new(self.label.clone(), "Start", ErrorKind::NotDone, message);
        failed.last_words = match &error.crash {
            Some(crash) => crash.lines().map(str::to_owned).collect(),
            None => error.last_words.clone(),
        };
        failed
    }
}

/// Adds the text of a panic to the error that the provider crashed.
fn with_crash(mut error: CallError, connection: &Connection) -> CallError {
    if error.kind == ErrorKind::Crashed
        && let Some(crash) = connection.crash_text()
    {
        let first = crash.lines().next().unwrap_or_default();
        error.message = format!("{}: {first}", error.message);
        error.last_words = crash.lines().map(str::to_owned).collect();
    }
    error
}

#[cfg(test)]
mod tests;
