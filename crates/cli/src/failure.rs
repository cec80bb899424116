//! How a command ends when it fails.

use std::collections::BTreeMap;

use outrigger_diagnostic::Diagnostic;
use outrigger_workspace::{Error, ErrorKind};

/// The exit code. Where Pulumi has a code for a case, ours is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Something failed.
    Failed,
    /// The command changes something and needs a confirmation, but it cannot ask for one.
    Unconfirmed,
    /// The named stack does not exist.
    StackNotFound,
    /// No changes were expected, and there are some.
    Changes,
    /// The user stopped it.
    Cancelled,
}

impl Exit {
    /// The number that the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::Unconfirmed => 2,
            Self::StackNotFound => 6,
            Self::Changes => 7,
            Self::Cancelled => 8,
        }
    }
}

/// Why a command stopped. Its diagnostics have not been shown yet.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// The diagnostics; empty if everything has been shown already.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The exit code.
    pub(crate) exit: Exit,
    /// Texts that diagnostics point into and that are in no file.
    pub(crate) texts: BTreeMap<String, String>,
}

impl Failure {
    /// A failure that has been shown already.
    pub(crate) fn said(exit: Exit) -> Self {
        Self { diagnostics: Vec::new(), exit, texts: BTreeMap::new() }
    }

    /// A failure with an exit code of its own.
    pub(crate) fn new(exit: Exit, diagnostic: Diagnostic) -> Self {
        Self { diagnostics: vec![diagnostic], exit, texts: BTreeMap::new() }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::new(Exit::Failed, diagnostic)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let exit = if error.kind == ErrorKind::StackMissing { Exit::StackNotFound } else { Exit::Failed };
        Self { diagnostics: error.findings, exit, texts: error.texts }
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics, exit: Exit::Failed, texts: BTreeMap::new() }
    }
}
