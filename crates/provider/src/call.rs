//! The context of every call: deadline, cancellation, log.

use std::sync::Arc;
use std::time::Duration;

use outrigger_value::Urn;
use tokio_util::sync::CancellationToken;

/// The severity of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// For the plugin's author.
    Debug,
    /// For the user.
    Info,
    /// Something that the user should look at.
    Warning,
    /// Something failed.
    Error,
}

/// Receives the log messages of a plugin.
pub trait LogSink: Send + Sync {
    /// Logs one message. `urn` names the resource it is about; `ephemeral` is a status that the next one replaces.
    fn log(&self, level: LogLevel, urn: Option<&Urn>, message: &str, ephemeral: bool);
}

/// Drops every message.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLog;

impl LogSink for NoLog {
    fn log(&self, _: LogLevel, _: Option<&Urn>, _: &str, _: bool) {}
}

/// The context of one call.
#[derive(Clone)]
pub struct CallContext {
    /// Ends the wait for this call. The plugin itself is asked to stop through [`crate::Plugin::cancel`].
    pub cancel: CancellationToken,
    /// The call's deadline; `None` for calls that only the user limits (create, update, delete, read).
    pub deadline: Option<Duration>,
    /// Where messages go.
    pub log: Arc<dyn LogSink>,
}

impl CallContext {
    /// A context without deadline, cancellation or log.
    pub fn background() -> Self {
        Self { cancel: CancellationToken::new(), deadline: None, log: Arc::new(NoLog) }
    }

    /// The same context with a deadline.
    #[must_use]
    pub fn within(&self, deadline: Duration) -> Self {
        Self { deadline: Some(deadline), ..self.clone() }
    }
}
