//! The log and output of the plugin under test, kept to be searched for secrets.

use std::sync::{Mutex, PoisonError};

use outrigger_provider::{LogLevel, LogSink};
#[cfg(feature = "projects")]
use outrigger_transport::{OutputLine, OutputLines};
use outrigger_value::Urn;

/// How much is kept, from the beginning.
const KEPT: usize = 1 << 20;

/// How many lines of the end are shown.
const SHOWN: usize = 10;

/// Collects the plugin's log and output.
#[derive(Debug, Default)]
pub struct PluginOutput(Mutex<String>);

impl PluginOutput {
    /// All of it, a message a line.
    pub(super) fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Its last lines.
    pub(super) fn end(&self) -> Vec<String> {
        let text = self.text();
        let lines: Vec<&str> = text.lines().collect();
        lines.iter().skip(lines.len().saturating_sub(SHOWN)).map(|line| (*line).to_owned()).collect()
    }

    fn add(&self, line: &str) {
        let mut text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if text.len() < KEPT {
            text.push_str(line);
            text.push('\n');
        }
    }
}

impl LogSink for PluginOutput {
    fn log(&self, _: LogLevel, _: Option<&Urn>, message: &str, _: bool) {
        self.add(message);
    }
}

#[cfg(feature = "projects")]
impl OutputLines for PluginOutput {
    fn line(&self, line: OutputLine<'_>) {
        self.add(&String::from_utf8_lossy(line.text));
    }
}
