//! A plugin that runs: its processes, its connection, and how it was configured.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallContext, CallError, Configure, ErrorKind, LogLevel, LogSink, Plugin, Provider};
use outrigger_transport::{Deadlines, Resolved};
use outrigger_value::Urn;
use tokio::time::timeout;

use crate::process::Processes;
use crate::schema::Stamp;

/// The executable that a process was started from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Executable {
    pub(crate) path: PathBuf,
    /// `None`: the file could not be looked at, so it equals no other.
    pub(crate) stamp: Option<Stamp>,
}

impl Executable {
    /// The executable of a plugin, as it is now.
    pub(crate) fn of(found: &Resolved) -> Option<Self> {
        let path = found.executable()?.to_owned();
        Some(Self { stamp: Stamp::of(&path).ok(), path })
    }

    /// Whether both are certainly the same file with the same contents.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.stamp.is_some() && self == other
    }
}

/// Leads what a plugin says between calls to the run that uses it, or was the last to use it.
pub(crate) struct RunLog(Mutex<Arc<dyn LogSink>>);

impl RunLog {
    pub(crate) fn to(log: &Arc<dyn LogSink>) -> Self {
        Self(Mutex::new(Arc::clone(log)))
    }
}

impl LogSink for RunLog {
    fn log(&self, level: LogLevel, urn: Option<&Urn>, message: &str, ephemeral: bool) {
        let log = Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner));
        log.log(level, urn, message, ephemeral);
    }
}

/// A running plugin.
pub(crate) struct Running {
    pub(crate) plugin: Arc<dyn Plugin>,
    /// None of them, where somebody else started it.
    processes: Arc<Processes>,
    pub(crate) executable: Option<Executable>,
    log: Arc<RunLog>,
    /// What each of its users should know.
    pub(crate) warnings: Vec<Diagnostic>,
    configured: Mutex<Option<(Configure, Arc<dyn Provider>)>>,
}

impl Running {
    pub(crate) fn new(
        plugin: Arc<dyn Plugin>,
        processes: Arc<Processes>,
        executable: Option<Executable>,
        log: Arc<RunLog>,
        warnings: Vec<Diagnostic>,
    ) -> Self {
        Self { plugin, processes, executable, log, warnings, configured: Mutex::new(None) }
    }

    /// From now on it speaks to this run.
    pub(crate) fn speak_to(&self, log: &Arc<dyn LogSink>) {
        *self.log.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(log);
    }

    /// Whether it can be used: its processes live.
    pub(crate) fn is_alive(&self) -> bool {
        !self.processes.have_ended()
    }

    /// Whether it was configured with anything.
    pub(crate) fn is_configured(&self) -> bool {
        self.configured.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The provider, if the whole request is the one that it was configured with.
    pub(crate) fn configured_with(&self, request: &Configure) -> Option<Arc<dyn Provider>> {
        let configured = self.configured.lock().unwrap_or_else(PoisonError::into_inner);
        configured.as_ref().filter(|(before, _)| before == request).map(|(_, provider)| Arc::clone(provider))
    }

    /// Remembers how it was configured.
    pub(crate) fn set_configured(&self, request: Configure, provider: Arc<dyn Provider>) {
        *self.configured.lock().unwrap_or_else(PoisonError::into_inner) = Some((request, provider));
    }

    /// Ends it: in the way of its protocol, then SIGINT, SIGKILL. Takes at most the deadlines for cancelling and for the grace, and
    /// a moment. The answer says what did not end when it was asked to.
    pub(crate) async fn end(&self, deadlines: &Deadlines) -> Vec<String> {
        let closing = CallContext::background().within(deadlines.cancel);
        // A plugin that does not close itself in time is ended by its processes.
        let _in_time = timeout(deadlines.cancel, self.plugin.close(&closing)).await;
        self.processes.end(deadlines.grace).await
    }
}

/// The plugin did not become one that can be called.
pub(crate) fn not_connected(name: &str, hint: String, error: &CallError) -> Diagnostic {
    let (code, summary) = match error.kind {
        ErrorKind::Crashed => ("plugin-crash", format!("plugin `{name}` ended while it was starting")),
        ErrorKind::TimedOut => ("plugin-silent", format!("plugin `{name}` does not answer")),
        _ => ("plugin-handshake", format!("plugin `{name}` could not be used")),
    };
    let diagnostic = Diagnostic::error(code, summary).detail(format!("{}: {}", error.call, error.message)).hint(hint);
    with_last_words(diagnostic, &error.last_words)
}

/// Adds the end of a plugin's stderr.
pub(crate) fn with_last_words(diagnostic: Diagnostic, words: &[String]) -> Diagnostic {
    if words.is_empty() {
        diagnostic
    } else {
        diagnostic.note(format!("The end of the plugin's stderr:\n{}", words.join("\n")))
    }
}
