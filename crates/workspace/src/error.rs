//! Errors, with a kind that a caller can match on.

use std::collections::BTreeMap;
use std::fmt;

use outrigger_diagnostic::Diagnostic;

/// The kinds that a caller may want to handle separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// No state backend is configured.
    NoBackend,
    /// No stack is named, and none is selected.
    NoStack,
    /// The stack does not exist.
    StackMissing,
    /// A passphrase is needed, and there is none.
    PassphraseMissing,
    /// Everything else; see the diagnostics.
    Other,
}

/// Why something was not done.
#[derive(Clone, Debug)]
pub struct Error {
    /// The kind, for callers that handle some separately.
    pub kind: ErrorKind,
    /// The diagnostics.
    pub findings: Vec<Diagnostic>,
    /// Texts that diagnostics point into and that are in no file, by the name that places give them.
    pub texts: BTreeMap<String, String>,
}

impl Error {
    /// An error of a kind, with one diagnostic.
    pub fn new(kind: ErrorKind, finding: Diagnostic) -> Self {
        Self { kind, ..vec![finding].into() }
    }
}

impl From<Diagnostic> for Error {
    fn from(finding: Diagnostic) -> Self {
        Self::new(ErrorKind::Other, finding)
    }
}

impl From<Vec<Diagnostic>> for Error {
    fn from(findings: Vec<Diagnostic>) -> Self {
        Self { kind: ErrorKind::Other, findings, texts: BTreeMap::new() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.findings.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Error {}
