//! The stderr of plugins: JSON of HashiCorp's logger, lines of Go's old one, panics, and anything else.

use serde_json::{Map, Value};

use crate::{LinePart, OutputLine};

/// The level of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Every step.
    Trace,
    /// Details that help to find a mistake; also every line without a level.
    Debug,
    /// Events.
    Info,
    /// Possible problems.
    Warn,
    /// Problems.
    Error,
}

/// A parsed line. All text is the plugin's own: it may contain anything.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    /// Its level.
    pub level: LogLevel,
    /// The module that wrote it, such as `provider.random`.
    pub module: Option<String>,
    /// The message; all of a line that is not JSON.
    pub message: String,
    /// The time, in the plugin's format.
    pub timestamp: Option<String>,
    /// Further fields, in order of name.
    pub fields: Vec<(String, Value)>,
}

/// Reads the lines of one plugin, one after another: after a panic, lines without a mark belong to it.
#[derive(Clone, Debug, Default)]
pub struct LogReader {
    panicked: bool,
}

impl LogReader {
    /// Reads the next line.
    pub fn read(&mut self, line: OutputLine<'_>) -> LogEntry {
        let text = String::from_utf8_lossy(line.text);
        // A piece of a line cannot be parsed.
        if line.part != LinePart::Whole {
            return LogEntry::plain(LogLevel::Debug, &text);
        }
        match marked(&text) {
            Some(entry) => entry,
            None => {
                self.panicked |= begins_panic(&text);
                LogEntry::plain(if self.panicked { LogLevel::Error } else { LogLevel::Debug }, &text)
            }
        }
    }
}

impl LogEntry {
    fn plain(level: LogLevel, text: &str) -> Self {
        Self { level, module: None, message: text.to_owned(), timestamp: None, fields: Vec::new() }
    }
}

/// Whether a line is the first that Go writes when a program crashes.
pub(super) fn begins_panic(line: &str) -> bool {
    line.starts_with("panic: ") || line.starts_with("fatal error: ")
}

/// Whether a line has a mark of its own, and so does not belong to a panic.
pub(super) fn is_marked(line: &str) -> bool {
    marked(line).is_some()
}

fn marked(line: &str) -> Option<LogEntry> {
    if line.starts_with('{')
        && let Ok(object) = serde_json::from_str(line)
    {
        // JSON without a level comes from another library, and is shown as it is.
        return Some(from_object(object).unwrap_or_else(|| LogEntry::plain(LogLevel::Debug, line)));
    }
    let (mark, _) = line.strip_prefix('[')?.split_once(']')?;
    // Only in capitals, as Go's old logger writes it: `[info]` is ordinary text.
    let level = level(mark).filter(|_| mark.chars().all(|letter| letter.is_ascii_uppercase()))?;
    Some(LogEntry::plain(level, line))
}

fn from_object(mut object: Map<String, Value>) -> Option<LogEntry> {
    let level = level(object.get("@level")?.as_str()?)?;
    object.remove("@level");
    let message = object.remove("@message").map(text).unwrap_or_default();
    let module = object.remove("@module").map(text);
    let timestamp = object.remove("@timestamp").map(text);
    let mut fields: Vec<(String, Value)> = object.into_iter().collect();
    fields.sort_by(|one, other| one.0.cmp(&other.0));
    Some(LogEntry { level, module, message, timestamp, fields })
}

/// A string as it is; any other value as JSON.
fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn level(name: &str) -> Option<LogLevel> {
    match name.trim().to_ascii_lowercase().as_str() {
        "trace" => Some(LogLevel::Trace),
        "debug" => Some(LogLevel::Debug),
        "info" => Some(LogLevel::Info),
        "warn" => Some(LogLevel::Warn),
        "error" => Some(LogLevel::Error),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutputStream;
    use proptest::prelude::*;
    use serde_json::json;

    fn line(text: &[u8]) -> OutputLine<'_> {
        OutputLine { stream: OutputStream::Stderr, text, part: LinePart::Whole }
    }

    fn read(text: &str) -> LogEntry {
        LogReader::default().read(line(text.as_bytes()))
    }

    #[test]
    fn json_of_the_logger() {
        let entry = read(
            r#"{"@caller":"a.go:1","@level":"warn","@message":"slow","@module":"provider.x","@timestamp":"2026-01-02T03:04:05.000006Z","n":3,"a":[1]}"#,
        );
        assert_eq!((entry.level, entry.message.as_str()), (LogLevel::Warn, "slow"));
        assert_eq!(entry.module.as_deref(), Some("provider.x"));
        assert_eq!(entry.timestamp.as_deref(), Some("2026-01-02T03:04:05.000006Z"));
        let fields = [("@caller", json!("a.go:1")), ("a", json!([1])), ("n", json!(3))];
        assert_eq!(entry.fields, fields.map(|(name, value)| (name.to_owned(), value)));
    }

    #[test]
    fn json_that_is_not_what_it_should_be() {
        let entry = read(r#"{"@level":"error","@message":{"a":1},"@timestamp":7}"#);
        assert_eq!((entry.level, entry.message.as_str()), (LogLevel::Error, r#"{"a":1}"#));
        assert_eq!(entry.timestamp.as_deref(), Some("7"));
        for text in [r#"{"a":1}"#, r#"{"@level":3,"@message":"x"}"#, r#"{"@level":"loud"}"#, r#"{"@level":"#] {
            assert_eq!(read(text), LogEntry::plain(LogLevel::Debug, text));
        }
    }

    #[test]
    fn marks_of_the_old_logger() {
        for (text, level) in [
            ("[TRACE] x", LogLevel::Trace),
            ("[DEBUG] x", LogLevel::Debug),
            ("[INFO] x", LogLevel::Info),
            ("[WARN] x", LogLevel::Warn),
            ("[ERROR] x", LogLevel::Error),
            ("[error] x", LogLevel::Debug),
            ("2026/01/02 [ERROR] x", LogLevel::Debug),
            ("anything", LogLevel::Debug),
            ("", LogLevel::Debug),
        ] {
            assert_eq!(read(text), LogEntry::plain(level, text));
        }
    }

    #[test]
    fn what_follows_a_panic_belongs_to_it() {
        let mut reader = LogReader::default();
        let levels: Vec<LogLevel> = [
            "before",
            "panic: no",
            "",
            "goroutine 1 [running]:",
            "[INFO] still here",
            r#"{"@level":"trace"}"#,
            "\tmain.go:1",
        ]
        .iter()
        .map(|text| reader.read(line(text.as_bytes())).level)
        .collect();
        use LogLevel::{Debug, Error, Info, Trace};
        assert_eq!(levels, [Debug, Error, Error, Error, Info, Trace, Error]);
    }

    #[test]
    fn a_piece_of_a_line_is_raw() {
        let piece = OutputLine { part: LinePart::Start, ..line(b"[ERROR] \xff") };
        assert_eq!(LogReader::default().read(piece), LogEntry::plain(LogLevel::Debug, "[ERROR] \u{fffd}"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            LogReader::default().read(line(&text));
        }

        #[test]
        fn any_object_is_read(level in "\"(warn|x|)\"|3|null", message in "\"[a-z\\\\n]{0,9}\"|\\[1\\]|null") {
            let text = format!(r#"{{"@level":{level},"@message":{message},"@module":{message}}}"#);
            let entry = read(&text);
            prop_assert!(!entry.message.is_empty() || message == "\"\"");
        }
    }
}
