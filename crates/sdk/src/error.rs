//! Failures of a plugin.

use std::fmt;

use outrigger_provider::ErrorKind;
use outrigger_value::PropertyMap;

use crate::{Outputs, Resource};

/// The result of a plugin's method.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure. Any [`std::error::Error`] becomes one with `?`; its sources are part of the message.
///
/// By itself it means that *nothing happened*. If something did, report it: with [`Error::created`] or [`Error::partial`] for a resource that exists
/// but is not ready, with [`Error::in_doubt`] if the call may have changed something.
#[derive(Debug)]
pub struct Error {
    pub(crate) message: String,
    pub(crate) kind: ErrorKind,
    pub(crate) partial: Option<Box<Partial>>,
    /// Whether another attempt may succeed.
    pub(crate) transient: bool,
}

/// The resource that exists after a failure.
#[derive(Debug)]
pub(crate) struct Partial {
    pub(crate) id: Option<String>,
    pub(crate) outputs: PropertyMap,
}

impl Error {
    /// A failure that changed nothing.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), kind: ErrorKind::NotDone, partial: None, transient: false }
    }

    /// A call that the plugin does not support.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Unsupported, ..Self::new(message) }
    }

    /// The call was cancelled before anything happened.
    pub fn cancelled() -> Self {
        Self { kind: ErrorKind::Cancelled, ..Self::new("cancelled") }
    }

    /// Another attempt may succeed: a service that is busy, a name that is not known everywhere yet. [`crate::Context::retry`] makes one.
    #[must_use]
    pub fn transient(self) -> Self {
        Self { transient: true, ..self }
    }

    /// The call may have changed something, as when the connection breaks after the request.
    #[must_use]
    pub fn in_doubt(self) -> Self {
        Self { kind: ErrorKind::Unknown, ..self }
    }

    /// From `create`: the resource exists with this id, but is not ready. The state keeps it with these outputs,
    /// the user sees the message, and the next run updates it.
    #[must_use]
    pub fn created<R: Resource>(self, id: impl Into<String>, outputs: R) -> Self {
        self.with_partial(Some(id.into()), outputs)
    }

    /// From `update` or `read`: the resource exists with these outputs, but is not ready.
    #[must_use]
    pub fn partial<R: Resource>(self, outputs: R) -> Self {
        self.with_partial(None, outputs)
    }

    fn with_partial(self, id: Option<String>, outputs: impl Outputs) -> Self {
        Self { partial: Some(Box::new(Partial { id, outputs: outputs.encode() })), ..self }
    }

    /// The same failure with words in front of its message: `reading /etc/motd: no such file`.
    #[must_use]
    pub fn context(self, what: impl fmt::Display) -> Self {
        Self { message: format!("{what}: {}", self.message), ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// `Error` is no `std::error::Error` itself, or this conversion could not exist.
impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(inner) = source {
            let text = inner.to_string();
            if !message.contains(&text) {
                message.push_str(": ");
                message.push_str(&text);
            }
            source = inner.source();
        }
        Self::new(message)
    }
}

/// Adds words in front of a failure's message.
pub trait ErrorContext<T> {
    /// `file.read().context("reading /etc/motd")?`.
    fn context(self, what: impl fmt::Display) -> Result<T>;
}

impl<T, E: Into<Error>> ErrorContext<T> for std::result::Result<T, E> {
    fn context(self, what: impl fmt::Display) -> Result<T> {
        self.map_err(|error| error.into().context(what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_told_once() {
        let missing = std::io::Error::new(std::io::ErrorKind::NotFound, "no such file");
        let error = Err::<(), _>(missing).context("reading `a`").unwrap_err();
        assert_eq!(error.to_string(), "reading `a`: no such file");
        assert_eq!((error.kind, error.in_doubt().kind), (ErrorKind::NotDone, ErrorKind::Unknown));
    }
}
