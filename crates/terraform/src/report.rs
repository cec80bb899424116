//! A provider's diagnostics: errors and warnings, with the place in the configuration that they are about.

use std::fmt;
use std::sync::Arc;

use crate::cty::{Path, Step};
use crate::wire;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The call failed.
    Error,
    /// The user should look.
    Warning,
}

/// A provider's diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Its severity.
    pub severity: Severity,
    /// A short text.
    pub summary: String,
    /// A longer text; may be empty.
    pub detail: String,
    /// The path that it is about; empty if it is about everything.
    pub path: Path,
}

impl Report {
    /// Whether the call failed.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary)?;
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

impl From<wire::Diagnostic> for Report {
    fn from(diagnostic: wire::Diagnostic) -> Self {
        // An unknown severity counts as an error: to continue would be worse.
        let severity = match wire::Severity::try_from(diagnostic.severity) {
            Ok(wire::Severity::Warning) => Severity::Warning,
            _ => Severity::Error,
        };
        let path = diagnostic.attribute.map(Path::from).unwrap_or_default();
        Self { severity, summary: diagnostic.summary, detail: diagnostic.detail, path }
    }
}

impl From<wire::AttributePath> for Path {
    fn from(path: wire::AttributePath) -> Self {
        let steps = path.steps.into_iter().filter_map(|step| step.selector);
        Self(
            steps
                .map(|step| match step {
                    wire::Selector::AttributeName(name) => Step::Attribute(Arc::from(name)),
                    wire::Selector::ElementKeyString(key) => Step::Key(key),
                    wire::Selector::ElementKeyInt(index) => Step::Index(index),
                })
                .collect(),
        )
    }
}

/// The reports of an answer.
pub(crate) fn reports(diagnostics: Vec<wire::Diagnostic>) -> Vec<Report> {
    diagnostics.into_iter().map(Report::from).collect()
}
