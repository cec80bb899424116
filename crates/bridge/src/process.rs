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

/// How every host of Terraform providers shows that it is one.
const COOKIE: goplugin::Cookie = goplugin::Cookie {
    key: "TF_PLUGIN_MAGIC_COOKIE",
    value: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
};

/// How long after StopProvider a call that still runs is taken for one that has missed it.
const STOP_AGAIN: Duration = Duration::from_secs(1);

/// What a process is started with.
#[derive(Clone)]
pub(crate) struct Surroundings {
    pub(crate) launcher: Arc<dyn Launcher>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) directory: PathBuf,
    pub(crate) deadlines: Deadlines,
    pub(crate) tls: bool,
    /// The least important line of the provider's log that is passed on; `None` passes on none.
    pub(crate) log_level: Option<goplugin::LogLevel>,
    /// Where calls are written down.
    pub(crate) call_log: Option<Arc<dyn CallLog>>,
}

/// What sets the level of the log of HashiCorp's libraries, and of the provider itself.
const LOG_LEVELS: [&str; 2] = ["TF_LOG_SDK", "TF_LOG_PROVIDER"];

impl Surroundings {
    /// The environment of a provider. Left to themselves, providers write down every step of every call, which costs a good part of
    /// the time of small calls; where nobody reads it, they are told to write warnings only.
    fn of_provider(&self) -> Vec<(OsString, OsString)> {
        let mut environment = self.environment.clone();
        if self.log_level.is_none() {
            // As for Terraform, an empty one is not set.
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
    /// Whether a provider must be asked for its schema in each process before it can be used.
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

/// For whom a process is started.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// Somebody who waits for it, and is told if it fails.
    Needed,
    /// Nobody yet.
    Early,
}

/// The starts that failed.
#[derive(Default)]
struct Failures {
    count: u64,
    /// How many there were when somebody was told the last time.
    told: u64,
    last: Option<CallError>,
}

impl Failures {
    /// Why the last start failed, if that was after the first `known` ones. Now somebody is told.
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

    /// From now on the log of calls hides what is in secret settings that arrive as JSON in text, too.
    pub(crate) fn unfolds(&self, settings: &Arc<Object>) {
        if let Some(overheard) = &self.overheard {
            let _set_once = overheard.settings.set(Arc::clone(settings));
        }
    }

    /// What is secret for Pulumi stays out of the log of calls, whatever the provider's schema says.
    pub(crate) fn overhear(&self, properties: &PropertyMap) {
        let Some(overheard) = &self.overheard else { return };
        let mut hide = |text: &str| overheard.tap.hide(text);
        secrecy::secret_texts(properties, &mut hide);
        // The provider gets, and the log shows, what the JSON says. What cannot be unfolded is not sent.
        let unfolded = overheard.settings.get().and_then(|settings| configuration::unfolded(settings, properties).ok());
        if let Some(unfolded) = &unfolded {
            secrecy::secret_texts(unfolded, &mut hide);
        }
    }

    /// From now on a process that is started is asked for its schema first: providers of the old kind prepare themselves there.
    pub(crate) fn ask_for_schema_first(&self) {
        *self.must_ask_schema.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    /// The client of the process, which is started if it was not, unless it was told to stop. Everybody who waits for a start that fails
    /// is told why; a later call tries again.
    pub(crate) async fn client(&self, cx: &CallContext) -> Result<Arc<Client>, CallError> {
        self.started(cx, Start::Needed).await
    }

    /// Starts the process before it is needed. If that fails, the next one who needs it is told so, instead of waiting a second time.
    pub(crate) async fn start_early(&self, cx: &CallContext) {
        drop(self.started(cx, Start::Early).await);
    }

    async fn started(&self, cx: &CallContext, start: Start) -> Result<Arc<Client>, CallError> {
        self.log.goes_to(&cx.log);
        if let Some(live) = self.live.get() {
            return Ok(Arc::clone(&live.client));
        }
        let known = self.failures().told;
        // Boxed: every call has a place for this future in its own, and few need it.
        let attempt = || Box::pin(self.attempt(cx, start, known));
        tokio::select! {
            biased;
            // A start that is given up is dropped, and its process ends with it: nobody could tell it to stop before it can be called.
            () = cx.cancel.cancelled() => Err(self.given_up()),
            () = self.told_to_stop() => Err(self.given_up()),
            live = self.live.get_or_try_init(attempt) => live.map(|live| Arc::clone(&live.client)),
        }
    }

    /// Starts it, unless somebody else's start failed while this one was waiting for it.
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
        // Only one that was started by somebody else speaks another: the others are asked for these.
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

    /// An error of a provider that panicked says with what words.
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

    /// Whether it was told to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        *self.stopped.borrow()
    }

    async fn told_to_stop(&self) {
        // It cannot be closed: the sender lives as long as we do.
        drop(self.stopped.subscribe().wait_for(|stopped| *stopped).await);
    }

    /// Waits for a call. StopProvider ends the calls that run when it comes, not one that comes at the same moment: so it is sent again
    /// for as long as this one runs.
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
                // What it answers to that changes nothing here.
                _ = self.stop(cx) => {}
            }
        }
    }

    /// StopProvider: what runs shall come to an end soon. Nothing is started for it, or any more; a start under way is given up.
    pub(crate) async fn stop(&self, cx: &CallContext) -> Result<(), CallError> {
        self.stopped.send_replace(true);
        match self.live.get() {
            // What has ended does nothing any more.
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
        let message =
            format!("the Terraform provider that runs already speaks protocol {version}, and only 5 and 6 are known");
        CallError::new(self.label.clone(), "Start", ErrorKind::NotDone, message)
    }

    /// Whoever wanted it does not any more.
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

/// What a provider that panicked said is said with the error.
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
