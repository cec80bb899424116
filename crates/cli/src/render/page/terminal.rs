//! A page on a terminal, or as plain text.

use std::fmt::Write;

use anstyle::{AnsiColor, Color, Style};
use outrigger_workspace::{Block, Member, PropertyRow, Span, Text};

use crate::render::text::{harmless, one_line, width};

const PLAIN: Style = Style::new();
const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const TITLE: Style = Style::new().bold().fg_color(Some(Color::Ansi(AnsiColor::Cyan)));
const CODE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green)));
const LINK: Style = Style::new().underline();
const WARNING: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow)));

/// Longer lines are hard to read, however wide the terminal is.
const WIDEST: usize = 110;
/// In a narrower terminal, every word gets a line of its own.
const NARROWEST: usize = 20;

/// The page in lines of at most so many columns, with styles in it.
pub(crate) fn terminal(blocks: &[Block], columns: usize) -> String {
    let mut out = String::new();
    render(&mut out, blocks, 0, columns.clamp(NARROWEST, WIDEST));
    out
}

fn render(out: &mut String, blocks: &[Block], indent: usize, columns: usize) {
    for (at, block) in blocks.iter().enumerate() {
        let is_item = |block: Option<&Block>| matches!(block, Some(Block::Item { .. }));
        let before = at.checked_sub(1).and_then(|before| blocks.get(before));
        if !out.is_empty() && indent == 0 && !(is_item(Some(block)) && is_item(before)) {
            out.push('\n');
        }
        match block {
            Block::Heading { text, .. } => wrapped(out, &[(text, TITLE)], indent, indent, columns),
            Block::Paragraph(text) => wrapped(out, &[(text, PLAIN)], indent, indent, columns),
            Block::Item { depth, text } => {
                let dash = vec![Span::Plain("- ".to_owned())];
                let at = indent + 2 * depth;
                wrapped(out, &[(&dash, PLAIN), (text, PLAIN)], at, at + 2, columns);
            }
            Block::Code { text, .. } => {
                for line in harmless(text).lines() {
                    // Writing to a string cannot fail, here and below.
                    let _ = writeln!(out, "{:1$}{CODE}{line}{CODE:#}", "", indent + 4);
                }
            }
            Block::Properties(rows) => rows.iter().for_each(|row| property(out, row, indent + 2, columns)),
            Block::Members(members) => {
                for Member { name, summary, .. } in members {
                    let (name, summary) = (plain(name), plain(&format!("  {summary}")));
                    wrapped(out, &[(&name, BOLD), (&summary, PLAIN)], indent + 2, indent + 6, columns);
                }
            }
        }
    }
}

fn property(out: &mut String, row: &PropertyRow, indent: usize, columns: usize) {
    let (name, space, comma) = (plain(&row.name), plain("  "), plain(", "));
    let comma = if row.marks.is_empty() { plain("") } else { comma };
    let line = [(&name, BOLD), (&space, PLAIN), (&row.ty, PLAIN), (&comma, DIM), (&row.marks, DIM)];
    wrapped(out, &line, indent, indent + 4, columns);
    if let Some(reason) = &row.deprecated {
        wrapped(out, &[(&plain("deprecated: "), WARNING), (reason, WARNING)], indent + 4, indent + 4, columns);
    }
    render(out, &row.description, indent + 4, columns);
}

fn plain(text: &str) -> Text {
    vec![Span::Plain(text.to_owned())]
}

/// Words in lines; `first` and `rest` are the indentation of the first line and of the others.
fn wrapped(out: &mut String, parts: &[(&Text, Style)], first: usize, rest: usize, columns: usize) {
    let mut line = Line { taken: first, ..Line::default() };
    line.text.push_str(&" ".repeat(first));
    for (text, style) in parts {
        for span in *text {
            let (text, style) = shown(span, *style);
            for (at, word) in text.split(char::is_whitespace).enumerate() {
                if at > 0 {
                    line.space(out, rest, columns);
                }
                line.word.extend((!word.is_empty()).then(|| (style, word.to_owned())));
            }
        }
    }
    line.space(out, rest, columns);
    let _ = writeln!(out, "{}", line.text.trim_end());
}

fn shown(span: &Span, style: Style) -> (String, Style) {
    match span {
        Span::Plain(text) => (harmless(text), style),
        Span::Code(text) if style == PLAIN => (one_line(text), CODE),
        Span::Code(text) => (one_line(text), style),
        Span::Link { text, url } if text == url => (one_line(url), LINK),
        Span::Link { text, url } => (format!("{} ({})", one_line(text), one_line(url)), style),
        Span::Type { name, .. } => (one_line(name), BOLD),
        Span::Member(_, name) => (one_line(name), BOLD),
    }
}

/// A line that is filled word by word. Parts without a space between them are one word, whatever their styles.
#[derive(Default)]
struct Line {
    text: String,
    taken: usize,
    gap: usize,
    word: Vec<(Style, String)>,
    begun: bool,
}

impl Line {
    /// Puts the collected word on this line or the next one.
    fn space(&mut self, out: &mut String, rest: usize, columns: usize) {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() {
            self.gap += 1;
            return;
        }
        let room: usize = word.iter().map(|(_, text)| width(text)).sum();
        if self.begun && self.taken + self.gap + room > columns {
            let _ = writeln!(out, "{}", self.text.trim_end());
            self.text = " ".repeat(rest);
            self.taken = rest;
        } else if self.begun {
            self.text.push_str(&" ".repeat(self.gap));
            self.taken += self.gap;
        }
        for (style, text) in word {
            let _ = match style == PLAIN {
                true => write!(self.text, "{text}"),
                false => write!(self.text, "{style}{text}{style:#}"),
            };
        }
        self.taken += room;
        self.begun = true;
        self.gap = 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_hold_nothing_that_a_terminal_obeys() {
        let text: Text = vec![
            Span::Plain("one two \x1b[2Jthree ".to_owned()),
            Span::Code("fo\x07ur".to_owned()),
            Span::Plain(", five\u{202e} six".to_owned()),
        ];
        let row = PropertyRow {
            name: "na\x1b]0;x\x07me".to_owned(),
            ty: plain("string"),
            marks: plain("required"),
            ..PropertyRow::default()
        };
        let code = Block::Code { language: String::new(), text: "a\n  \x1b[31mb".to_owned() };
        let shown = terminal(&[Block::Paragraph(text), Block::Properties(vec![row]), code], 20);
        let bare = anstream::adapter::strip_str(&shown).to_string();
        assert_eq!(
            bare,
            "one two three four,\nfive\u{fffd} six\n\n  name  string,\n      required\n\n    a\n      b\n"
        );
        for code in shown.split('\x1b').skip(1) {
            assert!(code.starts_with('[') && code.split('m').next().unwrap().len() < 8, "{shown:?}");
        }
    }
}
