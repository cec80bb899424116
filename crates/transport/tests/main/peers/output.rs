//! The output and logs of plugins, as the receiver gets them.

use std::sync::{Arc, Mutex};

use outrigger_transport::goplugin::{LogEntry, LogLevel, LogReader};
use outrigger_transport::{OutputLine, OutputLines, OutputStream};
use serde_json::json;
use tokio::sync::watch;
use tokio::time::timeout;

use super::place::peer;
use crate::kv::get;
use crate::support::{SOON, Start, own_plugin};

/// Collects all lines, read as a log.
#[derive(Debug)]
struct Told {
    reader: Mutex<LogReader>,
    lines: watch::Sender<Vec<(OutputStream, LogEntry)>>,
}

impl Told {
    fn new() -> Arc<Self> {
        Arc::new(Self { reader: Mutex::default(), lines: watch::Sender::default() })
    }

    /// Waits for a line with this message.
    async fn line(&self, message: &str) -> (OutputStream, LogEntry) {
        let mut lines = self.lines.subscribe();
        let found =
            |lines: &Vec<(OutputStream, LogEntry)>| lines.iter().find(|line| line.1.message == message).cloned();
        let waited = timeout(SOON, lines.wait_for(|lines| found(lines).is_some())).await;
        found(&waited.unwrap_or_else(|_| panic!("`{message}` is missing")).unwrap()).unwrap()
    }
}

impl OutputLines for Told {
    fn line(&self, line: OutputLine<'_>) {
        let entry = self.reader.lock().unwrap().read(line);
        self.lines.send_modify(|lines| lines.push((line.stream, entry)));
    }
}

#[tokio::test]
async fn prints_of_a_plugin_arrive_and_are_remembered() {
    for plugin in [peer("bin/go-plugin-peer"), own_plugin()] {
        let told = Told::new();
        let start = Start::of(plugin).told(told.clone());
        let connection = start.run().await;
        get(connection.channel(), "print").await.unwrap();
        assert_eq!(told.line("printed on stdout").await.0, OutputStream::Stdout);
        assert_eq!(told.line("printed on stderr").await.0, OutputStream::Stderr);
        let words = connection.process().unwrap().last_words();
        assert!(words.contains(&"printed on stdout".to_owned()), "{words:?}");
        connection.shutdown().await;
    }
}

#[tokio::test]
async fn the_log_of_a_plugin_is_understood() {
    let told = Told::new();
    let start = Start::of(peer("bin/go-plugin-peer")).told(told.clone());
    let connection = start.run().await;
    get(connection.channel(), "log").await.unwrap();
    let (stream, entry) = told.line("the store is nearly full").await;
    assert_eq!(
        (stream, entry.level, entry.module.as_deref()),
        (OutputStream::Stderr, LogLevel::Warn, Some("kv.store"))
    );
    assert_eq!(entry.fields, [("free".to_owned(), json!(3)), ("unit".to_owned(), json!("pages"))]);
    // go-plugin's own log on the plugin's side.
    assert_eq!(told.line("plugin address").await.1.level, LogLevel::Debug);
    connection.shutdown().await;
}

#[tokio::test]
async fn a_plugin_that_floods_is_not_blocked() {
    let connection = Start::of(peer("bin/go-plugin-peer")).run().await;
    timeout(SOON, get(connection.channel(), "flood:50000")).await.unwrap().unwrap();
    connection.shutdown().await;
}

#[tokio::test]
async fn a_panic_is_kept_for_the_error() {
    let start = Start::of(peer("bin/go-plugin-peer"));
    let connection = start.run().await;
    assert_eq!(connection.crash_text(), None);
    get(connection.channel(), "panic").await.unwrap_err();
    connection.process().unwrap().exited().await;
    let text = connection.crash_text().unwrap();
    assert!(text.starts_with("panic: the store is on fire\n") && text.contains("goroutine "), "{text}");
    assert!(!text.contains("@message"), "{text}");
    connection.shutdown().await;
    assert_eq!(start.left_behind(), Vec::<String>::new());
}
