//! The lower part of the terminal, redrawn in place.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::render::text::width;

/// Marks the begin and end of an update that a terminal shows at once; other terminals ignore them.
const HOLD: &str = "\x1b[?2026h";
const RELEASE: &str = "\x1b[?2026l";
const ERASE_BELOW: &str = "\x1b[J";
const ERASE_LINE: &str = "\x1b[2K";

/// An area that grows and shrinks below the printed lines. The cursor rests on its last line.
pub(super) struct Screen {
    out: Box<dyn Write + Send>,
    colored: bool,
    drawn: Vec<String>,
    columns: usize,
}

impl Screen {
    pub(super) fn new(out: Box<dyn Write + Send>, colored: bool) -> Self {
        Self { out, colored, drawn: Vec::new(), columns: 0 }
    }

    /// Shows these lines in place of the last ones, and prints `above` before them permanently.
    pub(super) fn draw(&mut self, above: &str, lines: Vec<String>, columns: usize) {
        let lines: Vec<String> = lines.into_iter().map(|line| self.shade(&line)).collect();
        if above.is_empty() && columns == self.columns && lines == self.drawn {
            return;
        }
        let mut text = HOLD.to_owned();
        if above.is_empty() && columns == self.columns && !self.drawn.is_empty() {
            self.change(&lines, &mut text);
        } else {
            self.erase(columns, &mut text);
            for line in above.lines() {
                let _ = write!(text, "{}\r\n", self.shade(line));
            }
            text.push_str(&lines.join("\r\n"));
        }
        text.push_str(RELEASE);
        self.drawn = lines;
        self.columns = columns;
        self.write(&text);
    }

    /// Removes the area and prints the final text.
    pub(super) fn end(&mut self, text: &str, columns: usize) {
        let mut out = HOLD.to_owned();
        self.erase(columns, &mut out);
        out.push_str(&self.shade(text).replace('\n', "\r\n"));
        out.push_str(RELEASE);
        self.drawn.clear();
        self.write(&out);
    }

    /// Rewrites only the lines that differ, so that nothing flickers.
    fn change(&self, lines: &[String], text: &mut String) {
        up(self.drawn.len(), text);
        let shrinks = lines.len() < self.drawn.len();
        for (index, line) in lines.iter().enumerate() {
            if index > 0 {
                text.push_str("\r\n");
            }
            let last = index + 1 == lines.len();
            if self.drawn.get(index) != Some(line) || (last && shrinks) {
                let _ = write!(text, "{ERASE_LINE}{line}");
            }
        }
        if shrinks {
            text.push_str(ERASE_BELOW);
        }
    }

    /// Goes to the beginning of the area and clears it. In a terminal that became narrower, the lines have wrapped.
    fn erase(&self, columns: usize, text: &mut String) {
        let rows = |line: &String| {
            let bare = anstream::adapter::strip_str(line).to_string();
            width(&bare).div_ceil(columns.max(1)).max(1)
        };
        up(self.drawn.iter().map(rows).sum(), text);
        text.push_str(ERASE_BELOW);
    }

    fn shade(&self, line: &str) -> String {
        if self.colored { line.to_owned() } else { anstream::adapter::strip_str(line).to_string() }
    }

    /// An update goes on even if its terminal is closed.
    fn write(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }
}

/// Moves from the last of so many rows to the beginning of the first.
fn up(rows: usize, text: &mut String) {
    text.push('\r');
    if rows > 1 {
        // Writing to a string cannot fail.
        let _ = write!(text, "\x1b[{}A", rows - 1);
    }
}

/// The size of the terminal: columns and rows.
pub(crate) fn size() -> (usize, usize) {
    let usual = (80, 24);
    match rustix::termios::tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col.into(), size.ws_row.into()),
        _ => usual,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Shared {
        fn taken(&self) -> String {
            let text = String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap();
            text.replace(HOLD, "").replace(RELEASE, "")
        }
    }

    fn lines(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn only_what_changed_is_written() {
        let out = Shared::default();
        let mut screen = Screen::new(Box::new(out.clone()), true);
        screen.draw("", lines(&["a", "b", "c"]), 80);
        assert_eq!(out.taken(), "\r\x1b[Ja\r\nb\r\nc");
        screen.draw("", lines(&["a", "B", "c"]), 80);
        assert_eq!(out.taken(), "\r\x1b[2A\r\n\x1b[2KB\r\n");
        screen.draw("", lines(&["a", "B", "c"]), 80);
        assert_eq!(out.taken(), "");
        screen.draw("", lines(&["a", "B"]), 80);
        assert_eq!(out.taken(), "\r\x1b[2A\r\n\x1b[2KB\x1b[J");
        screen.draw("", lines(&["a", "B", "d"]), 80);
        assert_eq!(out.taken(), "\r\x1b[1A\r\n\r\n\x1b[2Kd");
    }

    #[test]
    fn what_stays_is_printed_above() {
        let out = Shared::default();
        let mut screen = Screen::new(Box::new(out.clone()), false);
        screen.draw("", lines(&["\x1b[1ma\x1b[0m", "b"]), 80);
        assert_eq!(out.taken(), "\r\x1b[Ja\r\nb");
        screen.draw("note\nmore\n", lines(&["a"]), 80);
        assert_eq!(out.taken(), "\r\x1b[1A\x1b[Jnote\r\nmore\r\na");
        screen.end("over\n", 80);
        assert_eq!(out.taken(), "\r\x1b[Jover\r\n");
    }

    #[test]
    fn lines_that_the_terminal_broke_are_erased_whole() {
        let out = Shared::default();
        let mut screen = Screen::new(Box::new(out.clone()), true);
        screen.draw("", lines(&["0123456789", "x"]), 20);
        out.taken();
        screen.draw("", lines(&["0123", "x"]), 4);
        assert_eq!(out.taken(), "\r\x1b[3A\x1b[J0123\r\nx");
    }
}
