//! Passes a Terraform provider's log on to the caller.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use outrigger_provider::{LogLevel, LogSink, NoLog};
use outrigger_transport::goplugin::{self, LogReader};
use outrigger_transport::{OutputLine, OutputLines};

/// The log of one provider.
pub(crate) struct Log {
    label: String,
    least: Option<goplugin::LogLevel>,
    reader: Mutex<LogReader>,
    sink: Mutex<Arc<dyn LogSink>>,
}

impl Log {
    pub(crate) fn new(label: String, least: Option<goplugin::LogLevel>) -> Self {
        Self { label, least, reader: Mutex::default(), sink: Mutex::new(Arc::new(NoLog)) }
    }

    pub(crate) fn goes_to(&self, sink: &Arc<dyn LogSink>) {
        if self.least.is_some() {
            *self.sink.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(sink);
        }
    }
}

impl OutputLines for Log {
    fn line(&self, line: OutputLine<'_>) {
        let Some(least) = self.least else { return };
        let entry = self.reader.lock().unwrap_or_else(PoisonError::into_inner).read(line);
        if entry.level < least {
            return;
        }
        let level = match entry.level {
            goplugin::LogLevel::Trace | goplugin::LogLevel::Debug => LogLevel::Debug,
            goplugin::LogLevel::Info => LogLevel::Info,
            goplugin::LogLevel::Warn => LogLevel::Warning,
            goplugin::LogLevel::Error => LogLevel::Error,
        };
        // Every provider has a module `provider`, so each line begins with the provider's own name.
        let module = entry.module.filter(|module| *module != self.label);
        let module = module.map(|module| format!("{module}: ")).unwrap_or_default();
        let fields: String = entry.fields.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        let sink = Arc::clone(&self.sink.lock().unwrap_or_else(PoisonError::into_inner));
        sink.log(level, None, &format!("{}: {module}{}{fields}", self.label, entry.message), false);
    }

    /// Providers log every step of every call, read or not. This is called for each such line, so it does not parse the JSON.
    fn is_worth_keeping(&self, line: OutputLine<'_>) -> bool {
        const CHATTER: [&[u8]; 3] = [br#""@level":"trace""#, br#""@level":"debug""#, br#""@level":"info""#];
        let is_in = |part: &[u8]| line.text.windows(part.len()).any(|window| window == part);
        !line.text.starts_with(b"{") || !CHATTER.iter().any(|level| is_in(level))
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("label", &self.label).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use outrigger_transport::{LinePart, OutputStream};

    use super::*;

    #[derive(Default)]
    struct Heard(Mutex<Vec<(LogLevel, String)>>);

    impl LogSink for Heard {
        fn log(&self, level: LogLevel, _: Option<&outrigger_value::Urn>, message: &str, _: bool) {
            self.0.lock().unwrap().push((level, message.to_owned()));
        }
    }

    /// The entries that are passed on for a provider's lines.
    fn heard(least: Option<goplugin::LogLevel>, lines: &[&str]) -> Vec<(LogLevel, String)> {
        let heard = Arc::new(Heard::default());
        let log = Log::new("random 3.6.0".to_owned(), least);
        log.goes_to(&(Arc::clone(&heard) as Arc<dyn LogSink>));
        for line in lines {
            log.line(OutputLine { stream: OutputStream::Stderr, text: line.as_bytes(), part: LinePart::Whole });
        }
        let mut heard = heard.0.lock().unwrap();
        std::mem::take(&mut *heard)
    }

    #[test]
    fn every_line_says_whose_it_is() {
        let lines = [
            r#"{"@level":"warn","@message":"slow","@module":"provider","seconds":3}"#,
            r#"{"@level":"error","@message":"wrong","@module":"random 3.6.0"}"#,
            r#"{"@level":"info","@message":"begun"}"#,
            "anything",
        ];
        let expected = [
            (LogLevel::Warning, "random 3.6.0: provider: slow seconds=3"),
            (LogLevel::Error, "random 3.6.0: wrong"),
            (LogLevel::Info, "random 3.6.0: begun"),
            (LogLevel::Debug, "random 3.6.0: anything"),
        ];
        let expected = expected.map(|(level, text)| (level, text.to_owned()));
        assert_eq!(heard(Some(goplugin::LogLevel::Trace), &lines), expected);
    }

    #[test]
    fn what_matters_less_than_was_asked_for_is_not_passed_on() {
        let levels = ["trace", "debug", "info", "warn", "error"];
        let lines = levels.map(|level| format!(r#"{{"@level":"{level}","@message":"{level}"}}"#));
        let lines = lines.each_ref().map(String::as_str);
        let count = |least| heard(least, &lines).len();
        use goplugin::LogLevel::{Debug, Error, Info, Trace, Warn};
        assert_eq!([Trace, Debug, Info, Warn, Error].map(|least| count(Some(least))), [5, 4, 3, 2, 1]);
        assert_eq!(heard(Some(Error), &lines), [(LogLevel::Error, "random 3.6.0: error".to_owned())]);
        assert_eq!(count(None), 0);
    }
}
