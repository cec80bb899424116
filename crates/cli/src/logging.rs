//! The log of the program's work: a line for every span and event of `tracing` that is asked for. Off by default.
//!
//! The lines are written here and not by a library, because every line has to pass through the redaction.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use outrigger_diagnostic::Diagnostic;
use outrigger_workspace::{Environment, Redaction};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_core::span::Current;

static ON_STDERR: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The spans that this thread is in.
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Whether log lines go to standard error, where they would tear a picture that is redrawn.
pub(crate) fn is_on_stderr() -> bool {
    ON_STDERR.load(Ordering::Relaxed)
}

/// Starts the log if `-v` or `OUTRIGGER_LOG` asks for one; `verbose` counts the former.
pub(crate) fn start(verbose: u8, environment: &Environment) -> Result<(), Diagnostic> {
    let wanted = match verbose {
        0 => environment.text("OUTRIGGER_LOG"),
        1 => Some("outrigger=info".to_owned()),
        _ => Some("outrigger=debug".to_owned()),
    };
    let Some(wanted) = wanted else { return Ok(()) };
    let filter = Filter::parse(&wanted)?;
    let out: Box<dyn Write + Send> = match environment.text("OUTRIGGER_LOG_FILE") {
        Some(file) => Box::new(open(&environment.directory.join(&file)).map_err(|error| {
            Diagnostic::error("log-file", format!("the log cannot be written to `{file}`"))
                .detail(error.to_string())
                .hint("Set OUTRIGGER_LOG_FILE to a file that can be written, or unset it: the log then goes to stderr.")
        })?),
        None => {
            ON_STDERR.store(true, Ordering::Relaxed);
            Box::new(io::stderr())
        }
    };
    let redaction = environment.redaction.clone();
    let log = Log { filter, redaction, out: Mutex::new(out), spans: Mutex::default(), next: AtomicU64::new(1) };
    // Nothing else in this process sets one.
    let _is_first = tracing::subscriber::set_global_default(log);
    Ok(())
}

fn open(path: &std::path::Path) -> io::Result<File> {
    File::options().create(true).append(true).open(path)
}

/// Which targets are logged: `LEVEL` and `TARGET=LEVEL`, separated by commas. The longest matching target counts.
struct Filter(Vec<(String, LevelFilter)>);

impl Filter {
    fn parse(text: &str) -> Result<Self, Diagnostic> {
        let directives = text.split(',').filter(|directive| !directive.trim().is_empty()).map(|directive| {
            let (target, level) = directive.trim().split_once('=').unwrap_or(("", directive.trim()));
            let level = level.parse().map_err(|_| {
                Diagnostic::error(
                    "log-filter",
                    format!("`{directive}` is not a log level or a list of targets with levels"),
                )
                .hint("Set OUTRIGGER_LOG to a level (error, warn, info, debug, trace) or to `TARGET=LEVEL,...`.")
            })?;
            Ok((target.to_owned(), level))
        });
        Ok(Self(directives.collect::<Result<_, Diagnostic>>()?))
    }

    fn level(&self, target: &str) -> LevelFilter {
        let fitting = self.0.iter().filter(|(start, _)| target.starts_with(start.as_str()));
        fitting.max_by_key(|(start, _)| start.len()).map_or(LevelFilter::OFF, |(_, level)| *level)
    }
}

struct Log {
    filter: Filter,
    redaction: Arc<Redaction>,
    out: Mutex<Box<dyn Write + Send>>,
    spans: Mutex<HashMap<u64, Open>>,
    next: AtomicU64,
}

/// A span that has not ended.
struct Open {
    /// The spans around it, and its own name and fields.
    text: String,
    metadata: &'static Metadata<'static>,
    since: Instant,
    holders: usize,
}

impl Log {
    fn with<T>(&self, id: u64, act: impl FnOnce(&mut Open) -> T) -> Option<T> {
        self.spans.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&id).map(act)
    }

    /// The text of a span, or of the one that this thread is in.
    fn around(&self, parent: Option<&Id>, is_root: bool) -> String {
        let id = match parent {
            Some(id) => Some(id.into_u64()),
            None if is_root => None,
            None => ENTERED.with_borrow(|entered| entered.last().copied()),
        };
        id.and_then(|id| self.with(id, |open| format!("{}: ", open.text))).unwrap_or_default()
    }

    fn write(&self, metadata: &Metadata<'_>, text: &str) {
        let now = jiff::Timestamp::now();
        let line = format!("{now:.3} {:<5} {}: {text}\n", metadata.level(), metadata.target());
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // If the log cannot be written, the command goes on.
        let _ = out.write_all(self.redaction.hide(&line).as_bytes()).and_then(|()| out.flush());
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.filter.level(metadata.target())
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        self.filter.0.iter().map(|(_, level)| *level).max()
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut text = self.around(span.parent(), span.is_root()) + span.metadata().name();
        span.record(&mut Fields(&mut text));
        self.write(span.metadata(), &text);
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let open = Open { text, metadata: span.metadata(), since: Instant::now(), holders: 1 };
        self.spans.lock().unwrap_or_else(PoisonError::into_inner).insert(id, open);
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        self.with(span.into_u64(), |open| values.record(&mut Fields(&mut open.text)));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = self.around(event.parent(), event.is_root());
        event.record(&mut Fields(&mut text));
        self.write(event.metadata(), &text);
    }

    fn enter(&self, span: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(span.into_u64()));
    }

    fn exit(&self, span: &Id) {
        ENTERED.with_borrow_mut(|entered| {
            if let Some(at) = entered.iter().rposition(|id| *id == span.into_u64()) {
                entered.remove(at);
            }
        });
    }

    /// Work that continues in another thread takes its span along by this.
    fn current_span(&self) -> Current {
        let entered = ENTERED.with_borrow(|entered| entered.last().copied());
        let current = entered.and_then(|id| self.with(id, |open| Current::new(Id::from_u64(id), open.metadata)));
        current.unwrap_or_else(Current::none)
    }

    fn clone_span(&self, span: &Id) -> Id {
        self.with(span.into_u64(), |open| open.holders += 1);
        span.clone()
    }

    fn try_close(&self, span: Id) -> bool {
        let mut spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = spans.get_mut(&span.into_u64()) else { return false };
        open.holders -= 1;
        let closed = if open.holders == 0 { spans.remove(&span.into_u64()) } else { None };
        drop(spans);
        if let Some(Open { text, metadata, since, .. }) = &closed {
            self.write(metadata, &format!("{text}: ended after {:?}", since.elapsed()));
        }
        closed.is_some()
    }
}

/// Writes fields after a name, as ` name=value`; a message stands alone.
struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_target_that_fits_decides() {
        let filter = Filter::parse("warn, outrigger=info,outrigger_engine=trace,").unwrap();
        assert_eq!(filter.level("h2::client"), LevelFilter::WARN);
        assert_eq!(filter.level("outrigger_host::spawn"), LevelFilter::INFO);
        assert_eq!(filter.level("outrigger_engine::steps"), LevelFilter::TRACE);
        assert_eq!(Filter::parse("outrigger=info").unwrap().level("h2"), LevelFilter::OFF);
        assert_eq!(Filter::parse("outrigger=loud").err().unwrap().code, "log-filter");
    }
}
