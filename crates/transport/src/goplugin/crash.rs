//! Catches a plugin's panic while its output is read.

use std::sync::{Arc, Mutex, PoisonError};

use super::log::{begins_panic, is_marked};
use crate::{LinePart, OutputLine, OutputLines, OutputStream};

/// How much of a panic is kept: its reason and the goroutine that panicked come first.
const KEPT: usize = 32 * 1024;

/// Searches a plugin's output for a panic, and passes it on to the receiver.
#[derive(Debug)]
pub(super) struct CrashWatch {
    panic: Mutex<Option<String>>,
    told: Option<Arc<dyn OutputLines>>,
}

impl CrashWatch {
    pub(super) fn new(told: Option<Arc<dyn OutputLines>>) -> Self {
        Self { panic: Mutex::new(None), told }
    }

    /// The text of the plugin's panic, beginning with `panic:` or `fatal error:`.
    pub(super) fn text(&self) -> Option<String> {
        self.panic.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Passes on a line without searching it. Output over the connection is not searched: Go writes a panic to the real stderr, and a line here
    /// that looks like one reports a panic that the plugin has survived.
    pub(super) fn hand_on(&self, line: OutputLine<'_>) {
        if let Some(told) = &self.told {
            told.line(line);
        }
    }

    fn look(&self, line: &str) {
        let mut panic = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
        match panic.as_mut() {
            Some(text) if text.len() < KEPT && !is_marked(line) => {
                text.push('\n');
                text.push_str(&plain(line));
            }
            None if begins_panic(line) => *panic = Some(plain(line)),
            _ => {}
        }
    }
}

impl OutputLines for CrashWatch {
    fn line(&self, line: OutputLine<'_>) {
        if line.stream == OutputStream::Stderr && line.part == LinePart::Whole {
            self.look(&String::from_utf8_lossy(line.text));
        }
        self.hand_on(line);
    }

    fn is_worth_keeping(&self, line: OutputLine<'_>) -> bool {
        self.told.as_ref().is_none_or(|told| told.is_worth_keeping(line))
    }
}

/// A panic may contain any text; it must not move a user's cursor.
fn plain(line: &str) -> String {
    line.chars().filter(|letter| *letter == '\t' || !letter.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(lines: &[&str]) -> Option<String> {
        let watch = CrashWatch::new(None);
        for line in lines {
            let text = line.as_bytes();
            watch.line(OutputLine { stream: OutputStream::Stderr, text, part: LinePart::Whole });
        }
        watch.text()
    }

    #[test]
    fn a_panic_is_kept_without_what_is_logged_meanwhile() {
        let lines =
            ["before", "panic: no\u{1b}[1m luck", "", "[ERROR] x", r#"{"@level":"info"}"#, "goroutine 1:", "\tmain()"];
        assert_eq!(watch(&lines).as_deref(), Some("panic: no[1m luck\n\ngoroutine 1:\n\tmain()"));
        assert_eq!(watch(&["fatal error: all goroutines are asleep"]).map(|text| text.len()), Some(38));
        assert_eq!(watch(&["don't panic: it is fine"]), None);
    }

    #[test]
    fn a_long_panic_is_cut() {
        let long = "x".repeat(1000);
        let lines: Vec<&str> = std::iter::once("panic: x").chain(std::iter::repeat_n(long.as_str(), 1000)).collect();
        assert!(watch(&lines).unwrap().len() < KEPT + 2000);
    }
}
