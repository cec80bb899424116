//! How a call fails.

use std::fmt;

use outrigger_value::PropertyPath;
use outrigger_value::nearest::closest;

/// What a failure means for the world outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The plugin does not have this call.
    Unsupported,
    /// The call did not happen; nothing changed.
    NotDone,
    /// Whether it happened is not known.
    Unknown,
    /// The plugin's process ended or its connection broke while the call was under way.
    Crashed,
    /// The deadline passed.
    TimedOut,
    /// The call was cancelled by the user.
    Cancelled,
    /// The answer could not be understood.
    Garbage,
}

/// A failed call, with everything a person needs to see: who, what, the answer, the end of its stderr.
#[derive(Clone, Debug)]
pub struct CallError {
    /// The plugin's name and version, such as `random 4.16.0`.
    pub plugin: String,
    /// The call, in the protocol's words, such as `Create`.
    pub call: String,
    /// What it means.
    pub kind: ErrorKind,
    /// What came back.
    pub message: String,
    /// The plugin's last lines on stderr, when it crashed.
    pub last_words: Vec<String>,
    /// Configuration keys that the plugin missed, with their descriptions.
    pub missing_keys: Vec<(String, String)>,
    /// The property that it is about, where that is known.
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

    /// The answer of a method that an implementation does not have.
    pub fn unsupported(call: &'static str) -> Self {
        Self::new("", call, ErrorKind::Unsupported, "not supported by this plugin")
    }

    /// Whether the world may have changed all the same.
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

/// A property that the provider refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFailure {
    /// The property's path, as other hosts are told it; may be empty.
    pub property: String,
    /// Why.
    pub reason: String,
    /// The property that it is about, where `property` is to say nothing of it.
    pub about: Option<PropertyPath>,
}

impl CheckFailure {
    /// A property, by its path, and why it is refused.
    pub fn new(property: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { property: property.into(), reason: reason.into(), about: None }
    }

    /// The property that it is about.
    pub fn path(&self) -> Option<PropertyPath> {
        self.about.clone().or_else(|| self.property.parse().ok())
    }
}
