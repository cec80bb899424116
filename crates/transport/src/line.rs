//! The first line of stdout, in which a plugin announces its address.

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// The longest first line. A plugin that prints more without a line break is not one of ours, and must not fill memory.
pub const FIRST_LINE_LIMIT: usize = 64 * 1024;

/// How much of a wrong first line is shown.
const SHOWN: usize = 200;

/// The output on stdout up to the first line break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FirstLine {
    /// A line, without its line break.
    Line(Vec<u8>),
    /// The stream ended, or broke, before a line break; this is the text before the end.
    Ended(Vec<u8>),
    /// The limit was reached before a line break; this is the text up to it.
    TooLong(Vec<u8>),
}

impl FirstLine {
    /// Reads up to the first line break. The rest stays in the reader.
    pub async fn read(reader: &mut (impl AsyncBufRead + Unpin)) -> Self {
        let mut text = Vec::new();
        loop {
            // An error means that the pipe broke, which for a line is the same as the end.
            let Ok(chunk) = reader.fill_buf().await else { return Self::Ended(text) };
            if chunk.is_empty() {
                return Self::Ended(text);
            }
            let (taken, complete) = match chunk.iter().position(|byte| *byte == b'\n') {
                Some(end) => (end, true),
                None => (chunk.len(), false),
            };
            text.extend_from_slice(chunk.get(..taken).unwrap_or_default());
            reader.consume(taken + usize::from(complete));
            if complete && text.len() <= FIRST_LINE_LIMIT {
                return Self::Line(text);
            }
            if text.len() > FIRST_LINE_LIMIT {
                text.truncate(FIRST_LINE_LIMIT);
                return Self::TooLong(text);
            }
        }
    }
}

/// A line in a message: cut to a readable length, and without control characters.
pub(crate) fn shown(line: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(line).trim().chars().map(printable).collect();
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}...", text.get(..cut).unwrap_or_default()),
        None => text,
    }
}

/// A plugin's output may contain escapes that move the cursor; they do not belong in our messages.
fn printable(letter: char) -> char {
    if letter.is_control() { '\u{fffd}' } else { letter }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, BufReader};

    #[tokio::test]
    async fn leaves_the_rest() {
        let mut reader = BufReader::with_capacity(3, &b"1234\r\nrest"[..]);
        assert_eq!(FirstLine::read(&mut reader).await, FirstLine::Line(b"1234\r".to_vec()));
        let mut rest = String::new();
        reader.read_to_string(&mut rest).await.unwrap();
        assert_eq!(rest, "rest");
    }

    #[tokio::test]
    async fn an_end_is_not_a_line() {
        assert_eq!(FirstLine::read(&mut &b"123"[..]).await, FirstLine::Ended(b"123".to_vec()));
        assert_eq!(FirstLine::read(&mut &b""[..]).await, FirstLine::Ended(Vec::new()));
    }

    #[tokio::test]
    async fn a_flood_without_a_line_break_is_cut() {
        let flood = vec![b'x'; 10 * FIRST_LINE_LIMIT];
        assert_eq!(FirstLine::read(&mut &flood[..]).await, FirstLine::TooLong(vec![b'x'; FIRST_LINE_LIMIT]));
    }
}
