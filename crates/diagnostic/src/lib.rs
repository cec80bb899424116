//! What went wrong, where, why, and what to do about it.
//!
//! A [`Diagnostic`] is data. Nothing here renders, prints or reads; the `cli` crate turns diagnostics into text.
//! Every crate whose errors reach a user converts them into this type, so that the answer always has the same parts:
//! a place if there is one, what is wrong, why, and what to do next.

mod place;

use std::fmt;

pub use place::{Place, Position};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Info,
    /// The command goes on, but the user should look.
    Warning,
    /// The command cannot do what it was asked.
    Error,
}

/// One finding, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable name for this kind of finding, such as `yaml-unknown-property`.
    pub code: &'static str,
    /// One sentence that says what is wrong, without a full stop.
    pub summary: String,
    /// Why, or what was expected; may have several lines.
    pub detail: Option<String>,
    /// Where in the user's files.
    pub place: Option<Place>,
    /// What to do next. Each entry is one sentence.
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

    /// Says why.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Says where.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Says what to do next, in a sentence with a capital and a full stop. A list of choices may follow it on lines of its own.
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
