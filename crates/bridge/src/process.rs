//! A Terraform provider's process, started when it is needed.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use outrigger_provider::{CallContext, CallError, ErrorKind, LogLevel, LogSink, NoLog};
use outrigger_terraform::json::Transcript;
use outrigger_terraform::schema::Schemas;
use outrigger_terraform::{Client, Protocol};
use outrigger_transport::caller::Caller;
use outrigger_transport::goplugin::{self, Connection, LogReader, Settings, StartError};
use outrigger_transport::tap::{CallLog, Tap};
use outrigger_transport::{LaunchRequest, Launcher, OutputLine, OutputLines};
use outrigger_value::{PropertyMap, secrecy};
use tokio::sync::{OnceCell, watch};
use tokio::time::sleep;

use crate::configuration;
use crate::names::Object;
use crate::origin::Place;

/// How every host of Terraform providers shows that it is one.
const COOKIE: goplugin::Cookie = goplugin::Cookie {
    key: "TF_PLUGIN_MAGIC_COOKIE",
    value: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
};

/// How long StopProvider may take to be answered.
const STOP: Duration = Duration::from_secs(5);

/// How long after StopProvider a call that still runs is taken for one that has missed it.
const STOP_AGAIN: Duration = Duration::from_secs(1);

/// What a process is started with.
#[derive(Clone)]
pub(crate) struct Surroundings {
    pub(crate) launcher: Arc<dyn Launcher>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) directory: PathBuf,
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
            let unset = LOG_LEVELS.into_iter().filter(|name| self.environment.iter().all(|(key, _)| key != name));
            environment.extend(unset.map(|name| (name.into(), "warn".into())));
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
        Self { place, label, surroundings, live: OnceCell::new(), log, must_ask_schema, overheard, stopped }
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

    /// The client of the process, which is started if it was not.
    pub(crate) async fn client(&self, cx: &CallContext) -> Result<Arc<Client>, CallError> {
        self.log.goes_to(&cx.log);
        // Boxed: every call has a place for this future in its own, and few need it.
        let live = self.live.get_or_try_init(|| Box::pin(self.start(cx))).await?;
        Ok(Arc::clone(&live.client))
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
                let settings = Settings { tls: self.surroundings.tls, ..Settings::new(COOKIE, vec![5, 6]) };
                goplugin::start(&*self.surroundings.launcher, request, &settings).await
            }
        };
        let connection = started.map_err(|error| self.not_started(&error))?;
        let protocol = match connection.protocol() {
            5 => Protocol::Five,
            6 => Protocol::Six,
            // Only one that was started by somebody else: the others are asked for these two.
            other => return Err(self.other_protocol(other)),
        };
        let tap = self.overheard.as_ref().map(|overheard| Arc::clone(&overheard.tap));
        let channel = connection.channel().tapped(tap);
        let caller = Caller::new(connection.process().cloned(), self.label.clone());
        let client = Arc::new(Client::new(channel, protocol, caller));
        let ask = *self.must_ask_schema.lock().unwrap_or_else(PoisonError::into_inner);
        if ask {
            client.schemas(cx).await?;
        }
        Ok(Live { client, connection })
    }

    /// An error of a provider that panicked says with what words.
    pub(crate) fn explained(&self, mut error: CallError) -> CallError {
        if error.kind == ErrorKind::Crashed
            && let Some(crash) = self.live.get().and_then(|live| live.connection.crash_text())
        {
            let first = crash.lines().next().unwrap_or_default();
            error.message = format!("{}: {first}", error.message);
            error.last_words = crash.lines().map(str::to_owned).collect();
        }
        error
    }

    /// Whether it was started and has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.live.get().is_some_and(|live| live.connection.process().is_some_and(|process| process.has_ended()))
    }

    /// Whether it was told to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        *self.stopped.borrow()
    }

    /// Waits for a call. StopProvider ends the calls that run when it comes, not one that comes at the same moment: so it is sent again
    /// for as long as this one runs.
    pub(crate) async fn stoppable<T>(&self, cx: &CallContext, call: impl Future<Output = T>) -> T {
        tokio::pin!(call);
        let mut told = self.stopped.subscribe();
        loop {
            let told_a_moment_ago = async {
                // It cannot be closed: the sender lives as long as we do.
                drop(told.wait_for(|stopped| *stopped).await);
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

    /// StopProvider: what runs shall come to an end soon. Nothing is started for it.
    pub(crate) async fn stop(&self, cx: &CallContext) -> Result<(), CallError> {
        self.stopped.send_replace(true);
        match self.live.get() {
            // What has ended does nothing any more.
            Some(live) if !self.has_ended() => live.client.stop(&cx.within(STOP)).await,
            _ => Ok(()),
        }
    }

    /// Ends the process, if it was started.
    pub(crate) async fn end(&self) {
        if let Some(live) = self.live.get() {
            live.connection.shutdown().await;
        }
    }

    fn other_protocol(&self, version: impl fmt::Display) -> CallError {
        let message =
            format!("the Terraform provider that runs already speaks protocol {version}, and only 5 and 6 are known");
        CallError::new(self.label.clone(), "Start", ErrorKind::NotDone, message)
    }

    fn not_started(&self, error: &StartError) -> CallError {
        let message = format!("the Terraform provider could not be started: {error}");
        let mut failed = CallError::new(self.label.clone(), "Start", ErrorKind::NotDone, message);
        failed.last_words = match &error.crash {
            Some(crash) => crash.lines().map(str::to_owned).collect(),
            None => error.last_words.clone(),
        };
        failed
    }
}

/// The provider's log, on its way to whoever makes calls.
struct Log {
    label: String,
    least: Option<goplugin::LogLevel>,
    reader: Mutex<LogReader>,
    sink: Mutex<Arc<dyn LogSink>>,
}

impl Log {
    fn new(label: String, least: Option<goplugin::LogLevel>) -> Self {
        Self { label, least, reader: Mutex::default(), sink: Mutex::new(Arc::new(NoLog)) }
    }

    fn goes_to(&self, sink: &Arc<dyn LogSink>) {
        if self.least.is_some() {
            *self.sink.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(sink);
        }
    }
}

impl OutputLines for Log {
    fn line(&self, line: OutputLine<'_>) {
        let Some(least) = self.least else { return };
        let entry = self.reader.lock().unwrap_or_else(PoisonError::into_inner).read(line);
        if entry.level < least {
            return;
        }
        let level = match entry.level {
            goplugin::LogLevel::Trace | goplugin::LogLevel::Debug => LogLevel::Debug,
            goplugin::LogLevel::Info => LogLevel::Info,
            goplugin::LogLevel::Warn => LogLevel::Warning,
            goplugin::LogLevel::Error => LogLevel::Error,
        };
        // Every provider has a module `provider`: its own name says whose line it is.
        let module = entry.module.filter(|module| *module != self.label);
        let module = module.map(|module| format!("{module}: ")).unwrap_or_default();
        let fields: String = entry.fields.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        let sink = Arc::clone(&self.sink.lock().unwrap_or_else(PoisonError::into_inner));
        sink.log(level, None, &format!("{}: {module}{}{fields}", self.label, entry.message), false);
    }

    /// Providers log every step of every call, whoever reads it. Asked for each of those lines, so they are not read as JSON.
    fn is_worth_keeping(&self, line: OutputLine<'_>) -> bool {
        const CHATTER: [&[u8]; 3] = [br#""@level":"trace""#, br#""@level":"debug""#, br#""@level":"info""#];
        let is_in = |part: &[u8]| line.text.windows(part.len()).any(|window| window == part);
        !line.text.starts_with(b"{") || !CHATTER.iter().any(|level| is_in(level))
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("label", &self.label).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use outrigger_transport::{LinePart, OutputStream};

    use super::*;

    #[derive(Default)]
    struct Heard(Mutex<Vec<(LogLevel, String)>>);

    impl LogSink for Heard {
        fn log(&self, level: LogLevel, _: Option<&outrigger_value::Urn>, message: &str, _: bool) {
            self.0.lock().unwrap().push((level, message.to_owned()));
        }
    }

    /// What is passed on of a provider's lines.
    fn heard(least: Option<goplugin::LogLevel>, lines: &[&str]) -> Vec<(LogLevel, String)> {
        let heard = Arc::new(Heard::default());
        let log = Log::new("random 3.6.0".to_owned(), least);
        log.goes_to(&(Arc::clone(&heard) as Arc<dyn LogSink>));
        for line in lines {
            log.line(OutputLine { stream: OutputStream::Stderr, text: line.as_bytes(), part: LinePart::Whole });
        }
        let mut heard = heard.0.lock().unwrap();
        std::mem::take(&mut *heard)
    }

    #[test]
    fn every_line_says_whose_it_is() {
        let lines = [
            r#"{"@level":"warn","@message":"slow","@module":"provider","seconds":3}"#,
            r#"{"@level":"error","@message":"wrong","@module":"random 3.6.0"}"#,
            r#"{"@level":"info","@message":"begun"}"#,
            "anything",
        ];
        let expected = [
            (LogLevel::Warning, "random 3.6.0: provider: slow seconds=3"),
            (LogLevel::Error, "random 3.6.0: wrong"),
            (LogLevel::Info, "random 3.6.0: begun"),
            (LogLevel::Debug, "random 3.6.0: anything"),
        ];
        let expected = expected.map(|(level, text)| (level, text.to_owned()));
        assert_eq!(heard(Some(goplugin::LogLevel::Trace), &lines), expected);
    }

    #[test]
    fn what_matters_less_than_was_asked_for_is_not_passed_on() {
        let levels = ["trace", "debug", "info", "warn", "error"];
        let lines = levels.map(|level| format!(r#"{{"@level":"{level}","@message":"{level}"}}"#));
        let lines = lines.each_ref().map(String::as_str);
        let count = |least| heard(least, &lines).len();
        use goplugin::LogLevel::{Debug, Error, Info, Trace, Warn};
        assert_eq!([Trace, Debug, Info, Warn, Error].map(|least| count(Some(least))), [5, 4, 3, 2, 1]);
        assert_eq!(heard(Some(Error), &lines), [(LogLevel::Error, "random 3.6.0: error".to_owned())]);
        assert_eq!(count(None), 0);
    }
}
