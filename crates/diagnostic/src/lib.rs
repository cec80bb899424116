//! Diagnostics: the problem, its place, the reason, and the next step.
//!
//! A [`Diagnostic`] is data. Nothing here renders, prints or reads; the `cli` crate turns diagnostics into text.
//! Every crate whose errors reach a user converts them into this type, so that an error always has the same parts:
//! a place if there is one, the problem, the reason, and the next step.

mod place;

use std::fmt;

pub use place::{Place, Position};

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Info,
    /// The command continues, but the user should look.
    Warning,
    /// The command fails.
    Error,
}

/// One finding, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// A stable name for this kind of finding, such as `yaml-unknown-property`.
    pub code: &'static str,
    /// The problem in one sentence, without a full stop.
    pub summary: String,
    /// The reason, or the expected form; may have several lines.
    pub detail: Option<String>,
    /// The place in the user's files.
    pub place: Option<Place>,
    /// The next steps. Each entry is one sentence.
    pub hints: Vec<String>,
    /// Further text, such as the end of a plugin's stderr.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// An error with a code and a summary.
    pub fn error(code: &'static str, summary: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, summary)
    }

    /// A warning with a code and a summary.
    pub fn warning(code: &'static str, summary: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, summary)
    }

    /// A piece of information with a code and a summary.
    pub fn info(code: &'static str, summary: impl Into<String>) -> Self {
        Self::new(Severity::Info, code, summary)
    }

    fn new(severity: Severity, code: &'static str, summary: impl Into<String>) -> Self {
        Self {
            severity,
            code,
            summary: summary.into(),
            detail: None,
            place: None,
            hints: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Sets the reason.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Sets the place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Adds a next step: a sentence with a capital and a full stop. A list of choices may follow it on lines of its own.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        let hint = hint.into();
        let ends = hint.ends_with(['.', '?', '!']) || hint.contains('\n');
        debug_assert!(ends && !hint.starts_with(char::is_lowercase), "a hint is not a sentence: {hint}");
        self.hints.push(hint);
        self
    }

    /// Adds further text.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Whether this stops the command.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The plain one-paragraph form, for logs and for errors inside errors. The CLI has a richer one.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}", self.summary)?;
        if let Some(detail) = &self.detail {
            write!(f, ": {detail}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
