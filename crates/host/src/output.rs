//! The end of what a process printed, in bounded memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// How many lines are kept.
const LINES: usize = 40;

/// How many bytes of a line are kept.
const WIDTH: usize = 2048;

/// The last lines of one or more streams, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastWords {
    lines: Arc<Mutex<VecDeque<Vec<u8>>>>,
}

impl LastWords {
    /// The lines, oldest first, without control characters: what a plugin prints must not move a user's cursor.
    pub(crate) fn lines(&self) -> Vec<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().map(|line| plain(&String::from_utf8_lossy(line))).filter(|line| !line.trim().is_empty()).collect()
    }

    /// Reads a stream to its end and keeps only the last lines. Never waits for anything but the stream.
    pub(crate) async fn drain(&self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 64 * 1024];
        let mut line = Line::default();
        // A broken pipe is its end.
        while let Ok(length) = stream.read(&mut buffer).await {
            let Some(mut chunk) = buffer.get(..length).filter(|chunk| !chunk.is_empty()) else { break };
            while let Some(end) = chunk.iter().position(|byte| *byte == b'\n') {
                line.extend(chunk.get(..end).unwrap_or_default());
                self.push(line.take());
                chunk = chunk.get(end + 1..).unwrap_or_default();
            }
            line.extend(chunk);
        }
        self.push(line.take());
    }

    fn push(&self, line: Vec<u8>) {
        if line.is_empty() {
            return;
        }
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

/// A line that is not complete yet, cut at [`WIDTH`].
#[derive(Default)]
struct Line(Vec<u8>);

impl Line {
    fn extend(&mut self, bytes: &[u8]) {
        let room = WIDTH - self.0.len().min(WIDTH);
        self.0.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}

/// Removes terminal escapes (`ESC [ ... letter`) and control characters, keeps tabs.
fn plain(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' && letters.next_if_eq(&'[').is_some() {
            while letters.next_if(|part| !part.is_ascii_alphabetic()).is_some() {}
            letters.next();
        } else if letter == '\t' || !letter.is_control() {
            kept.push(letter);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn keeps_the_end_of_a_flood() {
        let words = LastWords::default();
        let flood = "x".repeat(100) + "\n";
        let text = flood.repeat(100_000) + "\u{1b}[31mpanic:\u{1b}[0m no\tluck\r\nlast";
        words.drain(text.as_bytes()).await;
        let lines = words.lines();
        assert_eq!(lines.len(), LINES);
        assert_eq!(lines[LINES - 2..], ["panic: no\tluck", "last"]);
    }

    #[tokio::test]
    async fn a_line_without_end_is_cut() {
        let words = LastWords::default();
        words.drain("y".repeat(10_000_000).as_bytes()).await;
        assert_eq!(words.lines(), ["y".repeat(WIDTH)]);
    }
}
