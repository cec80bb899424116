//! Diagnostics: the error, the line of the source with a mark under it, the reason, and the hints.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use outrigger_diagnostic::{Diagnostic, Place, Severity};

use outrigger_workspace::HIDDEN;

use super::text::{clip, harmless, one_line};
use crate::output::talk;

/// Renders diagnostics. Files named in places are looked up below the base directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Renderer {
    /// The project's directory.
    pub(crate) base: PathBuf,
    /// Texts that are in no file, by the name that places give them.
    pub(crate) texts: BTreeMap<String, String>,
}

/// How many characters of a line are shown, how many of them before the mark, and the sign for the rest.
const WINDOW: usize = 160;
const BEFORE: usize = 60;
const CUT: &str = "…";
/// The longest line of a diagnostic: one may quote a whole value.
const LONGEST: usize = 1000;

const BOLD: Style = Style::new().bold();
const ERROR: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
const WARNING: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
const INFO: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Cyan)));
const FRAME: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Blue)));

impl Renderer {
    /// The whole diagnostic, with a line end. It contains styles; the stream that it is written to removes them if needed.
    pub(crate) fn render(&self, diagnostic: &Diagnostic) -> String {
        let mut out = String::new();
        let (style, word) = match diagnostic.severity {
            Severity::Error => (ERROR, "error"),
            Severity::Warning => (WARNING, "warning"),
            Severity::Info => (INFO, "info"),
        };
        // Writing to a string cannot fail, here and below.
        let summary = clip(&harmless(&diagnostic.summary), LONGEST);
        let _ = writeln!(out, "{style}{word}[{}]{style:#}: {BOLD}{summary}{BOLD:#}", diagnostic.code);
        let excerpt = diagnostic.place.as_ref().and_then(|place| self.excerpt(place));
        let margin = excerpt.as_ref().map_or(1, |excerpt| excerpt.margin());
        if let Some(place) = &diagnostic.place {
            let _ = writeln!(out, "{:margin$}{FRAME}-->{FRAME:#} {}", "", one_line(&place.to_string()));
        }
        if let Some(excerpt) = &excerpt {
            excerpt.write(&mut out, margin, style);
        }
        let mut part = |label: &str, text: &str| {
            let text = harmless(text);
            let mut lines = text.trim_end().lines();
            let first = lines.next().unwrap_or_default();
            let label = if label.is_empty() { String::new() } else { format!("{BOLD}{label}{BOLD:#}: ") };
            let _ = writeln!(out, "{:margin$} {FRAME}={FRAME:#} {label}{}", "", clip(first, LONGEST));
            for line in lines {
                let _ = writeln!(out, "{:margin$}   {}", "", clip(line, LONGEST));
            }
        };
        if let Some(detail) = &diagnostic.detail {
            part("", detail);
        }
        for hint in &diagnostic.hints {
            part("help", hint);
        }
        for note in &diagnostic.notes {
            part("note", note);
        }
        out
    }

    fn excerpt(&self, place: &Place) -> Option<Excerpt> {
        let text = match self.texts.get(&*place.file) {
            Some(text) => Cow::Borrowed(text.as_str()),
            None => Cow::Owned(fs::read_to_string(self.base.join(Path::new(&*place.file))).ok()?),
        };
        let index = usize::try_from(place.start.line).ok()?.checked_sub(1)?;
        let line = text.lines().nth(index)?;
        let before = index.checked_sub(1).and_then(|index| text.lines().nth(index)).unwrap_or_default();
        // One character for each, so that columns stay the same.
        let line: String = line.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        let width = line.chars().count();
        let start = usize::try_from(place.start.column).ok()?.saturating_sub(1).min(width);
        let end = match place.end.line == place.start.line {
            true => usize::try_from(place.end.column).ok()?.saturating_sub(1),
            false if place.end.line > place.start.line => width,
            false => start,
        };
        let length = end.min(width).saturating_sub(start).max(1);
        Some(Excerpt { number: place.start.line, line: without_secret(&line, before), start, length }.windowed())
    }
}

/// The line of a file with the part to be marked, in characters.
struct Excerpt {
    number: u32,
    line: String,
    start: usize,
    length: usize,
}

impl Excerpt {
    fn margin(&self) -> usize {
        self.number.to_string().len()
    }

    /// Of a long line, the part around the mark.
    fn windowed(self) -> Self {
        let letters: Vec<char> = self.line.chars().collect();
        if letters.len() <= WINDOW {
            return self;
        }
        let from = self.start.saturating_sub(BEFORE).min(letters.len());
        let to = letters.len().min(from + WINDOW);
        let left = if from > 0 { CUT } else { "" };
        let right = if to < letters.len() { CUT } else { "" };
        let shown: String = letters.get(from..to).into_iter().flatten().collect();
        let start = self.start - from + left.chars().count();
        let length = self.length.min(WINDOW.saturating_sub(self.start - from)).max(1);
        Self { number: self.number, line: format!("{left}{shown}{right}"), start, length }
    }

    fn write(&self, out: &mut String, margin: usize, style: Style) {
        let Self { number, line, start, length } = self;
        let _ = writeln!(out, "{:margin$} {FRAME}|{FRAME:#}", "");
        let _ = writeln!(out, "{FRAME}{number} |{FRAME:#} {}", harmless(line.trim_end()));
        let (before, marks) = (" ".repeat(*start), "^".repeat(*length));
        let _ = writeln!(out, "{:margin$} {FRAME}|{FRAME:#} {before}{style}{marks}{style:#}", "");
    }
}

/// A program may hold a secret as plain text under `fn::secret`; the line that shows an error there must not show it.
fn without_secret(line: &str, before: &str) -> String {
    const FUNCTION: &str = "fn::secret";
    let masked = |keep: usize| {
        let (kept, hidden) = line.split_at(keep);
        if hidden.trim().is_empty() { line.to_owned() } else { format!("{kept} {HIDDEN}") }
    };
    if let Some(at) = line.find(FUNCTION) {
        let after = at + FUNCTION.len();
        let colon = line.get(after..).and_then(|rest| rest.find(':')).map_or(after, |colon| after + colon + 1);
        return masked(colon);
    }
    if before.contains(FUNCTION) {
        return masked(line.len() - line.trim_start().len());
    }
    line.to_owned()
}

/// Shows the user a diagnostic that was found along the way, without its place in a file.
pub(crate) fn report(diagnostic: &Diagnostic) {
    talk(Renderer::default().render(diagnostic).trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;
    use outrigger_diagnostic::Position;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn shows_the_line_and_what_to_do() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("Pulumi.yaml"), "name: x\nresources:\n  pet:\n    lenght: 2\n").unwrap();
        let place = Place {
            file: "Pulumi.yaml".into(),
            start: Position { line: 4, column: 5 },
            end: Position { line: 4, column: 11 },
        };
        let diagnostic = Diagnostic::error("x", "unknown property `lenght`")
            .at(place)
            .detail("known are:\nlength")
            .hint("Did you mean `length`?")
            .note("more");
        let renderer = Renderer { base: directory.path().to_owned(), ..Renderer::default() };
        let expected = "error[x]: unknown property `lenght`\n --> Pulumi.yaml:4:5\n  |\n4 |     lenght: 2\n  |     ^^^^^^\n  = known are:\n    length\n  = help: Did you mean `length`?\n  = note: more\n";
        assert_eq!(plain(&renderer.render(&diagnostic)), expected);
    }

    #[test]
    fn a_place_without_a_file_is_still_named() {
        let diagnostic = Diagnostic::warning("x", "odd").at(Place::point("gone.yaml", 3, 1));
        assert_eq!(plain(&Renderer::default().render(&diagnostic)), "warning[x]: odd\n --> gone.yaml:3:1\n");
    }

    #[test]
    fn of_a_long_line_the_part_around_the_mark_is_shown() {
        let renderer =
            |line: String| Renderer { texts: BTreeMap::from([("p".to_owned(), line)]), ..Renderer::default() };
        let at = |column| Place {
            file: "p".into(),
            start: Position { line: 1, column },
            end: Position { line: 1, column: column + 3 },
        };
        let far = renderer(format!("{}bad{}", "a".repeat(70_000), "z".repeat(70_000)));
        let text = plain(&far.render(&Diagnostic::error("x", "odd").at(at(70_001))));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[3], format!("1 | …{}bad{}…", "a".repeat(60), "z".repeat(97)));
        assert_eq!(lines[4], format!("  | {}^^^", " ".repeat(61)));
        let whole = Place { end: Position { line: 1, column: 140_003 }, ..at(1) };
        let text = plain(&far.render(&Diagnostic::error("x", "odd").at(whole)));
        assert!(text.lines().all(|line| line.chars().count() < 200), "{text}");
    }

    #[test]
    fn a_secret_in_the_source_is_not_shown() {
        assert_eq!(without_secret("  a: {fn::secret: canary}", ""), "  a: {fn::secret: [secret]");
        assert_eq!(without_secret("    canary", "  fn::secret:"), "     [secret]");
        assert_eq!(without_secret("  fn::secret:", ""), "  fn::secret:");
        assert_eq!(without_secret("  b: 1", "  a: 2"), "  b: 1");
    }
}
