//! A running plugin: its processes, its connection, and its configuration.

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
    /// `None` if the file's metadata could not be read, so that it equals no other.
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

/// Routes a plugin's messages between calls to the run that uses it, or was the last to use it.
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
    /// Empty if the plugin was started by another program.
    processes: Arc<Processes>,
    pub(crate) executable: Option<Executable>,
    log: Arc<RunLog>,
    /// Warnings for each of its users.
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

    /// Routes its messages to this run from now on.
    pub(crate) fn speak_to(&self, log: &Arc<dyn LogSink>) {
        *self.log.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(log);
    }

    /// Whether it is usable: its processes are alive.
    pub(crate) fn is_alive(&self) -> bool {
        !self.processes.have_ended()
    }

    /// Whether it was configured.
    pub(crate) fn is_configured(&self) -> bool {
        self.configured.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The provider, if it was configured with exactly this request.
    pub(crate) fn configured_with(&self, request: &Configure) -> Option<Arc<dyn Provider>> {
        let configured = self.configured.lock().unwrap_or_else(PoisonError::into_inner);
        configured.as_ref().filter(|(before, _)| before == request).map(|(_, provider)| Arc::clone(provider))
    }

    /// Records its configuration.
    pub(crate) fn set_configured(&self, request: Configure, provider: Arc<dyn Provider>) {
        *self.configured.lock().unwrap_or_else(PoisonError::into_inner) = Some((request, provider));
    }

    /// Ends it: as its protocol defines, then SIGINT, then SIGKILL. Takes little longer than the deadline for cancelling and the grace
    /// period together. Returns a sentence for each process that did not exit when asked.
    pub(crate) async fn end(&self, deadlines: &Deadlines) -> Vec<String> {
        let closing = CallContext::background().within(deadlines.cancel);
        // A plugin that does not close in time is ended through its processes.
        let _in_time = timeout(deadlines.cancel, self.plugin.close(&closing)).await;
        self.processes.end(deadlines.grace).await
    }
}

/// The error for a plugin that started but cannot be called.
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
