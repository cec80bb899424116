//! Text that fits: widths in terminal columns, shortening, and removal of characters that move the cursor.

use std::fmt::Write;

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The mark for text that was left out.
const CUT: char = '…';

/// How many columns a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text without escape codes and control characters, on one line. A plugin's text may contain both.
pub(crate) fn one_line(text: &str) -> String {
    let bare = harmless(text);
    let words: Vec<&str> = bare.split(|letter: char| letter.is_control()).filter(|part| !part.is_empty()).collect();
    words.join(" ").trim().to_owned()
}

/// The text without characters that move the cursor or change the text direction; its lines stay.
pub(crate) fn harmless(text: &str) -> String {
    let bare = anstream::adapter::strip_str(text).to_string();
    bare.chars()
        .filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t'))
        .map(|letter| if turns(letter) { char::REPLACEMENT_CHARACTER } else { letter })
        .collect()
}

/// JSON text, with escapes for characters that would move the cursor or change the text direction. It stays the same JSON.
pub(crate) fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter.is_control() || turns(letter) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(letter));
        } else {
            out.push(letter);
        }
    }
    out
}

/// Whether it is a mark, embedding, override or isolate of a direction.
fn turns(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text, padded with spaces to a width.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    // Not `{text:columns$}`: a format's width is at most 65,535, and a larger one panics.
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text in at most `room` columns, with a mark at its end if it was cut.
pub(crate) fn clip(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut taken = 0;
    for letter in text.chars() {
        let wide = letter.width().unwrap_or(0);
        // One column is kept for the mark.
        if taken + wide + 1 > room {
            break;
        }
        taken += wide;
        out.push(letter);
    }
    if room > 0 {
        out.push(CUT);
    }
    out
}

/// A line that never gets wider than the terminal.
#[derive(Debug)]
pub(crate) struct Line {
    text: String,
    taken: usize,
    room: usize,
}

impl Line {
    /// An empty line of at most `room` columns.
    pub(crate) fn new(room: usize) -> Self {
        Self { text: String::new(), taken: 0, room }
    }

    /// Adds plain text, cut if it does not fit.
    pub(crate) fn push(&mut self, text: &str) {
        self.styled(Style::new(), text);
    }

    /// Adds text in a style.
    pub(crate) fn styled(&mut self, style: Style, text: &str) {
        let shown = clip(text, self.room - self.taken);
        if shown.is_empty() {
            return;
        }
        self.taken += width(&shown);
        // Writing to a string cannot fail.
        let _ = match style.is_plain() {
            true => write!(self.text, "{shown}"),
            false => write!(self.text, "{style}{shown}{style:#}"),
        };
    }

    /// Adds another line, which has to fit.
    pub(crate) fn append(&mut self, other: Line) {
        self.taken = (self.taken + other.taken).min(self.room);
        self.text.push_str(&other.text);
    }

    /// Adds spaces up to a column.
    pub(crate) fn fill(&mut self, column: usize) {
        let missing = column.min(self.room).saturating_sub(self.taken);
        self.text.push_str(&" ".repeat(missing));
        self.taken += missing;
    }

    /// The line, without spaces at its end.
    pub(crate) fn end(self) -> String {
        self.text.trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_letters_take_two_columns() {
        assert_eq!(clip("日本語のバケツ", 20), "日本語のバケツ");
        assert_eq!(clip("日本語のバケツ", 6), "日本…");
        assert_eq!(clip("bucket", 3), "bu…");
        assert_eq!(clip("bucket", 0), "");
        assert_eq!(width(&clip("日本語", 4)), 3);
    }

    #[test]
    fn nothing_in_a_message_moves_the_cursor() {
        assert_eq!(one_line("a\x1b[2Jb\r\n  c\t\u{7}d"), "ab   c d");
    }

    #[test]
    fn nothing_turns_the_direction_of_a_line() {
        assert_eq!(harmless("a\u{202e}b\n\u{1b}[31mc\u{7}"), "a\u{fffd}b\nc");
        assert_eq!(padded("日本", 6), "日本  ");
        assert_eq!(padded(&"x".repeat(70_000), 70_001).len(), 70_001);
    }

    #[test]
    fn a_line_stays_in_its_room() {
        let mut line = Line::new(8);
        line.push("ab");
        line.fill(4);
        line.styled(Style::new().bold(), "cdefgh");
        line.push("more");
        assert_eq!(anstream::adapter::strip_str(&line.end()).to_string(), "ab  cde…");
        let mut line = Line::new(8);
        line.push("ab");
        line.fill(20);
        assert_eq!(line.end(), "ab");
    }
}
