//! What every call carries besides its request.

use std::sync::Arc;
use std::time::Duration;

use outrigger_value::Urn;
use tokio_util::sync::CancellationToken;

/// How important a log line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// For the plugin's author.
    Debug,
    /// For the user.
    Info,
    /// The user should look.
    Warning,
    /// Something failed.
    Error,
}

/// Takes what a plugin says while it works.
pub trait LogSink: Send + Sync {
    /// One message. `urn` names the resource it is about; `ephemeral` is a status that the next one replaces.
    fn log(&self, level: LogLevel, urn: Option<&Urn>, message: &str, ephemeral: bool);
}

/// Drops everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLog;

impl LogSink for NoLog {
    fn log(&self, _: LogLevel, _: Option<&Urn>, _: &str, _: bool) {}
}

/// The surroundings of one call.
#[derive(Clone)]
pub struct CallContext {
    /// Ends the wait for this call. The plugin itself is told through [`crate::Plugin::cancel`].
    pub cancel: CancellationToken,
    /// How long the call may take; `None` for calls that only the user limits (create, update, delete, read).
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
