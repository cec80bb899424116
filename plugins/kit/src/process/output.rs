//! A command's output: a part to keep, a part to quote, and lines to show while it runs.

use std::collections::VecDeque;
use std::time::Duration;

use outrigger_sdk::Context;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::Instant;

/// How much of a stream is kept. It becomes part of the state.
pub(super) const KEPT: usize = 1024 * 1024;

/// How much of the end of a stream can be quoted in a message.
const QUOTED: usize = 4 * 1024;

/// How many lines are quoted.
const LINES: usize = 10;

/// How many lines of a stream are shown at most. A flood from a command must not flood the engine.
const SHOWN: usize = 1000;

/// How often the latest line is shown.
const PACE: Duration = Duration::from_millis(100);

/// The captured part of a stream.
#[derive(Default)]
pub(super) struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Captured {
    fn take(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = KEPT.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(bytes.get(..room).unwrap_or_default());
        self.tail.extend(bytes.get(bytes.len().saturating_sub(QUOTED)..).unwrap_or_default());
        let surplus = self.tail.len().saturating_sub(QUOTED);
        self.tail.drain(..surplus);
    }

    /// Whether there was more than is kept.
    pub(super) fn is_cut(&self) -> bool {
        self.total > self.head.len() as u64
    }

    /// The kept part as text, without trailing line breaks. Bytes that are not text are replaced.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.head).trim_end_matches(['\n', '\r']).to_owned()
    }

    /// The last complete line.
    fn newest_line(&self) -> Option<String> {
        let bytes: Vec<u8> = self.tail.iter().copied().collect();
        let end = bytes.iter().rposition(|byte| *byte == b'\n')?;
        let text = String::from_utf8_lossy(bytes.get(..end)?).into_owned();
        text.lines().map(readable).rfind(|line| !line.is_empty())
    }

    /// The last lines, for a message.
    pub(super) fn last_lines(&self) -> Vec<String> {
        let bytes: Vec<u8> = self.tail.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<String> = text.lines().map(readable).filter(|line| !line.is_empty()).collect();
        lines.iter().skip(lines.len().saturating_sub(LINES)).cloned().collect()
    }
}

/// A line without characters that would move a terminal's cursor or change its colours.
fn readable(line: &str) -> String {
    line.chars().filter(|letter| !letter.is_control() || *letter == '\t').collect::<String>().trim_end().to_owned()
}

/// The output that the user sees while the command runs.
#[derive(Clone, Copy)]
pub(super) enum Show<'a> {
    /// Nothing.
    Nothing,
    /// The latest line, from time to time. The next one replaces it.
    Newest(&'a Context),
    /// Every line, up to a number of them.
    Lines(&'a Context),
}

/// Reads a stream to its end.
pub(super) async fn capture(mut stream: impl AsyncRead + Unpin, captured: &mut Captured, show: Show<'_>) {
    let mut buffer = vec![0; 64 * 1024];
    let mut newest = Newest::default();
    let mut lines = Lines::default();
    // An error counts as the end: the other side is gone.
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        let bytes = buffer.get(..count).unwrap_or_default();
        captured.take(bytes);
        match show {
            Show::Nothing => {}
            Show::Newest(cx) => newest.show(cx, captured),
            Show::Lines(cx) => lines.show(cx, bytes),
        }
    }
    if let Show::Lines(cx) = show {
        lines.end(cx);
    }
}

/// Shows the latest line at intervals.
#[derive(Default)]
struct Newest {
    shown: Option<(Instant, String)>,
}

impl Newest {
    fn show(&mut self, cx: &Context, captured: &Captured) {
        if self.shown.as_ref().is_some_and(|(at, _)| at.elapsed() < PACE) {
            return;
        }
        let line = captured.newest_line().filter(|line| self.shown.as_ref().is_none_or(|(_, before)| before != line));
        if let Some(line) = line {
            cx.progress(&line);
            self.shown = Some((Instant::now(), line));
        }
    }
}

/// Shows every line.
#[derive(Default)]
struct Lines {
    /// The beginning of an incomplete line.
    begun: Vec<u8>,
    count: usize,
}

impl Lines {
    fn show(&mut self, cx: &Context, bytes: &[u8]) {
        if self.count > SHOWN {
            return;
        }
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.begun.extend(piece.iter().take(QUOTED.saturating_sub(self.begun.len())));
            if piece.ends_with(b"\n") {
                self.end(cx);
            }
        }
    }

    fn end(&mut self, cx: &Context) {
        let line = readable(&String::from_utf8_lossy(&std::mem::take(&mut self.begun)));
        if line.is_empty() || self.count > SHOWN {
            return;
        }
        self.count += 1;
        match self.count > SHOWN {
            false => cx.info(line),
            true => cx.info(format_args!("(more than {SHOWN} lines; the rest is not shown)")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_is_kept_and_the_end_is_quoted() {
        let mut captured = Captured::default();
        captured.take(&vec![b'a'; KEPT - 1]);
        assert!(!captured.is_cut());
        captured.take(b"bc\nlast \x1b[31mred\x1b[0m\n\n\xff\n");
        assert!(captured.is_cut());
        assert!(captured.text().ends_with("aab"));
        assert_eq!(captured.last_lines()[1..], ["last [31mred[0m", "\u{fffd}"]);
        assert!(captured.last_lines()[0].len() <= QUOTED);
    }

    #[test]
    fn line_ends_at_the_end_are_left_out() {
        let mut captured = Captured::default();
        captured.take(b"one\ntwo\r\n\n");
        assert_eq!((captured.text().as_str(), captured.is_cut()), ("one\ntwo", false));
    }
}
