//! Errors that a failed test can print.

use std::fmt;

use outrigger_diagnostic::Diagnostic;
use outrigger_value::Urn;

use crate::Run;

/// A finding of a run.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The resource that it is about, if any.
    pub urn: Option<Urn>,
    /// The diagnostic.
    pub diagnostic: Diagnostic,
}

/// A failure. Its `Debug` is its `Display`, so that `unwrap` prints the reason.
#[derive(Clone)]
pub struct Failed {
    /// The reasons, in the order found.
    pub findings: Vec<Finding>,
    /// The steps that completed anyway, if any.
    pub run: Run,
}

impl Failed {
    /// Whether the printed failure contains a text.
    pub fn says(&self, text: &str) -> bool {
        self.to_string().contains(text)
    }
}

impl From<Vec<Diagnostic>> for Failed {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        let findings = diagnostics.into_iter().map(|diagnostic| Finding { urn: None, diagnostic }).collect();
        Self { findings, run: Run::default() }
    }
}

impl From<Diagnostic> for Failed {
    fn from(diagnostic: Diagnostic) -> Self {
        vec![diagnostic].into()
    }
}

impl From<outrigger_workspace::Error> for Failed {
    fn from(error: outrigger_workspace::Error) -> Self {
        error.findings.into()
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, finding) in self.findings.iter().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            write!(f, "{finding}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Diagnostic { summary, detail, place, hints, notes, .. } = &self.diagnostic;
        if let Some(urn) = &self.urn {
            write!(f, "{} ({}): ", urn.name(), urn.ty())?;
        }
        if let Some(place) = place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{summary}")?;
        for line in detail.iter().chain(notes).chain(hints).flat_map(|text| text.lines()) {
            write!(f, "\n    {line}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Failed {}
