//! How a call fails.

use std::fmt;

use outrigger_value::PropertyPath;
use outrigger_value::nearest::closest;

/// The kind of failure, by its effect on the resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The plugin does not support this call.
    Unsupported,
    /// The call did not happen; nothing changed.
    NotDone,
    /// It is not known whether the call happened.
    Unknown,
    /// The plugin's process ended or its connection broke during the call.
    Crashed,
    /// The deadline passed.
    TimedOut,
    /// The call was cancelled by the user.
    Cancelled,
    /// The answer could not be parsed.
    Garbage,
}

/// A failed call, with all the details for the user: the plugin, the call, the answer, the end of its stderr.
#[derive(Clone, Debug)]
pub struct CallError {
    /// The plugin's name and version, such as `random 4.16.0`.
    pub plugin: String,
    /// The call, in the protocol's words, such as `Create`.
    pub call: String,
    /// The kind of failure.
    pub kind: ErrorKind,
    /// The plugin's message.
    pub message: String,
    /// The end of the plugin's stderr, if it crashed.
    pub last_words: Vec<String>,
    /// Missing configuration keys, with their descriptions.
    pub missing_keys: Vec<(String, String)>,
    /// The property that the error is about, if known.
    pub about: Option<PropertyPath>,
}

impl CallError {
    /// There is no such call in the protocol. `calls` are those that there are.
    pub fn no_such_call<'a>(plugin: impl Into<String>, call: &str, calls: impl IntoIterator<Item = &'a str>) -> Self {
        let calls: Vec<&str> = calls.into_iter().collect();
        let meant = closest(call, calls.iter().copied()).map(|near| format!("Did you mean `{near}`? "));
        let message = format!("{}The calls are: {}.", meant.unwrap_or_default(), calls.join(", "));
        Self::new(plugin, call, ErrorKind::Unsupported, message)
    }

    /// An error of a kind.
    pub fn new(
        plugin: impl Into<String>,
        call: impl Into<String>,
        kind: ErrorKind,
        message: impl Into<String>,
    ) -> Self {
        Self {
            plugin: plugin.into(),
            call: call.into(),
            kind,
            message: message.into(),
            last_words: Vec::new(),
            missing_keys: Vec::new(),
            about: None,
        }
    }

    /// The same error, about a property.
    #[must_use]
    pub fn about(mut self, property: Option<PropertyPath>) -> Self {
        self.about = property;
        self
    }

    /// The error of a method that an implementation does not support.
    pub fn unsupported(call: &'static str) -> Self {
        Self::new("", call, ErrorKind::Unsupported, "not supported by this plugin")
    }

    /// Whether the resource may have changed anyway.
    pub fn leaves_doubt(&self) -> bool {
        !matches!(self.kind, ErrorKind::Unsupported | ErrorKind::NotDone)
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plugin `{}` answered {} with: {}", self.plugin, self.call, self.message)
    }
}

impl std::error::Error for CallError {}

/// A property that the provider rejects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFailure {
    /// The property's path, as sent to other hosts; may be empty.
    pub property: String,
    /// The reason.
    pub reason: String,
    /// The property that it is about, if `property` must not name it.
    pub about: Option<PropertyPath>,
}

impl CheckFailure {
    /// A property's path, and the reason why it is rejected.
    pub fn new(property: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { property: property.into(), reason: reason.into(), about: None }
    }

    /// The property that it is about.
    pub fn path(&self) -> Option<PropertyPath> {
        self.about.clone().or_else(|| self.property.parse().ok())
    }
}
