//! The end of a process's output, in bounded memory, with each line passed on to an optional listener.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use outrigger_transport::{LinePart, Lines, OutputLine, OutputLines, OutputStream};
use tokio::io::{AsyncRead, AsyncReadExt};

/// How many lines are kept.
const LINES: usize = 40;

/// How many bytes of a line are kept.
const WIDTH: usize = 2048;

/// The last lines of one or more streams, in order of arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastWords {
    lines: Arc<Mutex<VecDeque<Vec<u8>>>>,
}

impl LastWords {
    /// The lines, oldest first, without control characters: a plugin's output must not move the user's cursor.
    pub(crate) fn lines(&self) -> Vec<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().map(|line| plain(&String::from_utf8_lossy(line))).filter(|line| !line.trim().is_empty()).collect()
    }

    /// Reads a stream to its end and keeps only the last lines. Waits for nothing but the stream.
    pub(crate) async fn drain(
        &self,
        mut stream: impl AsyncRead + Unpin,
        name: OutputStream,
        told: Option<&dyn OutputLines>,
    ) {
        let mut buffer = vec![0; 64 * 1024];
        let mut lines = Lines::default();
        let mut take = |text: &[u8], part: LinePart| {
            let line = OutputLine { stream: name, text, part };
            // The beginning of a long line says most.
            if part != LinePart::Rest && told.is_none_or(|told| told.is_worth_keeping(line)) {
                self.push(text);
            }
            if let Some(told) = told {
                told.line(line);
            }
        };
        // A broken pipe counts as its end.
        while let Ok(length) = stream.read(&mut buffer).await {
            let Some(chunk) = buffer.get(..length).filter(|chunk| !chunk.is_empty()) else { break };
            lines.feed(chunk, &mut take);
        }
        lines.finish(&mut take);
    }

    /// Adds a line, cut at [`WIDTH`].
    pub(crate) fn push(&self, line: &[u8]) {
        if line.is_empty() {
            return;
        }
        let line = line.get(..WIDTH).unwrap_or(line).to_vec();
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES {
            lines.pop_front();
        }
        lines.push_back(line);
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
    use outrigger_transport::LINE_LIMIT;

    #[tokio::test]
    async fn keeps_the_end_of_a_flood() {
        let words = LastWords::default();
        let flood = "x".repeat(100) + "\n";
        let text = flood.repeat(100_000) + "\u{1b}[31mpanic:\u{1b}[0m no\tluck\r\nlast";
        words.drain(text.as_bytes(), OutputStream::Stderr, None).await;
        let lines = words.lines();
        assert_eq!(lines.len(), LINES);
        assert_eq!(lines[LINES - 2..], ["panic: no\tluck", "last"]);
    }

    #[tokio::test]
    async fn a_line_without_end_is_cut() {
        let words = LastWords::default();
        words.drain("y".repeat(10_000_000).as_bytes(), OutputStream::Stdout, None).await;
        assert_eq!(words.lines(), ["y".repeat(WIDTH)]);
    }

    #[derive(Debug, Default)]
    struct Told(Mutex<Vec<(OutputStream, String, LinePart)>>);

    impl OutputLines for Told {
        fn line(&self, line: OutputLine<'_>) {
            let text = String::from_utf8_lossy(line.text).into_owned();
            self.0.lock().unwrap().push((line.stream, text, line.part));
        }

        fn is_worth_keeping(&self, line: OutputLine<'_>) -> bool {
            line.text != b"chatter"
        }
    }

    #[tokio::test]
    async fn what_is_not_worth_keeping_does_not_push_out_what_is() {
        let (words, told) = (LastWords::default(), Told::default());
        let text = format!("panic: no luck\n{}", "chatter\n".repeat(2 * LINES));
        words.drain(text.as_bytes(), OutputStream::Stderr, Some(&told)).await;
        assert_eq!(words.lines(), ["panic: no luck"]);
        assert_eq!(told.0.lock().unwrap().len(), 2 * LINES + 1);
    }

    #[tokio::test]
    async fn whoever_wants_to_know_is_told_each_line_as_it_was_printed() {
        let (words, told) = (LastWords::default(), Told::default());
        let long = "y".repeat(LINE_LIMIT + 1);
        let text = format!("\u{1b}[31mone\n{long}\nend");
        words.drain(text.as_bytes(), OutputStream::Stderr, Some(&told)).await;
        let line = |text: &str, part| (OutputStream::Stderr, text.to_owned(), part);
        assert_eq!(
            *told.0.lock().unwrap(),
            [
                line("\u{1b}[31mone", LinePart::Whole),
                line(&long[..LINE_LIMIT], LinePart::Start),
                line("y", LinePart::Rest),
                line("end", LinePart::Whole)
            ]
        );
        assert_eq!(words.lines(), ["one", &long[..WIDTH], "end"]);
    }
}
