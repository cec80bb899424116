//! Differences as lines, nested by indentation.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use outrigger_value::{PathStep, PropertyPath, Value};

use super::delta::{Delta, Element};
use super::strings::{LineChange, around};
use crate::render::text::{harmless, one_line};
use crate::render::value::{change, to_line};
use outrigger_workspace::HIDDEN;
use outrigger_workspace::json::Secrets;

/// A value shorter than this is shown on its line, a longer one below it.
const ON_A_LINE: usize = 60;

/// How many lines of a new or deleted string are shown.
const TEXT_LINES: usize = 20;

/// The longest single line of a new or deleted string.
const TEXT_WIDTH: usize = 500;

const fn color(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(anstyle::Color::Ansi(color)))
}

const ADD: Style = color(AnsiColor::Green);
const DELETE: Style = color(AnsiColor::Red);
const UPDATE: Style = color(AnsiColor::Yellow);
const FORCES: Style = color(AnsiColor::Magenta).bold();
const DIM: Style = Style::new().dimmed();

/// How differences are written.
pub(super) struct Lines {
    pub(super) secrets: Secrets,
    /// Paths whose changes force a replacement.
    pub(super) replacing: Vec<PropertyPath>,
    /// Paths whose changes are not shown.
    pub(super) hidden: Vec<PropertyPath>,
}

/// The position of a line.
#[derive(Clone)]
struct Place {
    depth: usize,
    path: PropertyPath,
}

impl Place {
    fn below(&self, step: PathStep) -> Self {
        let path = PropertyPath(self.path.0.iter().cloned().chain([step]).collect());
        Self { depth: self.depth + 1, path }
    }

    fn indent(&self) -> String {
        "    ".repeat(self.depth)
    }
}

impl Lines {
    /// The difference of a whole resource.
    pub(super) fn render(&self, delta: &Delta) -> String {
        let mut out = String::new();
        let top = Place { depth: 1, path: PropertyPath::default() };
        if let Delta::Map(entries) = delta {
            self.entries(entries, &top, &mut out);
        }
        out
    }

    fn entries(&self, entries: &[(String, Delta)], place: &Place, out: &mut String) {
        for (key, delta) in entries {
            let place = place.below(PathStep::Key(key.clone()));
            self.one(&one_line(key), delta, &place, out);
        }
    }

    fn one(&self, name: &str, delta: &Delta, place: &Place, out: &mut String) {
        let (indent, forces) = (place.indent(), self.forces(&place.path, delta));
        // Writing to a string cannot fail, here and below.
        if self.hidden.iter().any(|hidden| hidden.contains(&place.path)) && *delta != Delta::Same {
            let _ =
                writeln!(out, "{indent}{UPDATE}~{UPDATE:#} {name}: (its changes are not shown: `hideDiffs`){forces}");
            return;
        }
        match delta {
            Delta::Same => {}
            Delta::Add(value) => self.whole(("+", ADD), name, value, &forces, place, out),
            Delta::Delete(value) => self.whole(("-", DELETE), name, value, &forces, place, out),
            Delta::Update(old, new) => {
                let (old, new) = self.both(old, new);
                if old == HIDDEN && new == HIDDEN {
                    let _ = writeln!(out, "{indent}{UPDATE}~{UPDATE:#} {name}: {HIDDEN} (changed){forces}");
                    return;
                }
                let _ = writeln!(
                    out,
                    "{indent}{UPDATE}~{UPDATE:#} {name}: {DELETE}{old}{DELETE:#} -> {ADD}{new}{ADD:#}{forces}"
                );
            }
            Delta::Announced(value) => {
                let value = to_line(value, self.secrets);
                let _ = writeln!(
                    out,
                    "{indent}{UPDATE}~{UPDATE:#} {name}: {value} (the provider reports a change){forces}"
                );
            }
            Delta::Rewritten => {
                let _ = writeln!(out, "{indent}{UPDATE}~{UPDATE:#} {name}: the same JSON, written differently{forces}");
            }
            Delta::Map(entries) => {
                let _ = writeln!(out, "{indent}{UPDATE}~{UPDATE:#} {name}:{forces}");
                self.entries(entries, place, out);
            }
            Delta::List(elements) => {
                let _ = writeln!(out, "{indent}{UPDATE}~{UPDATE:#} {name}:{forces}");
                self.elements(elements, place, out);
            }
            Delta::Lines(lines) => {
                let _ = writeln!(out, "{indent}{UPDATE}~{UPDATE:#} {name}:{forces}");
                text_lines(lines, &place.indent(), out);
            }
            Delta::Json(inner) => {
                let _ = writeln!(out, "{indent}{UPDATE}~{UPDATE:#} {name} (JSON):{forces}");
                match inner.as_ref() {
                    Delta::Map(entries) => self.entries(entries, place, out),
                    Delta::List(elements) => self.elements(elements, place, out),
                    other => self.one("value", other, &place.below(PathStep::Wildcard), out),
                }
            }
        }
    }

    fn elements(&self, elements: &[Element], place: &Place, out: &mut String) {
        for Element { from, to, delta, value } in elements {
            let index = to.or(*from).unwrap_or_default();
            let below = place.below(PathStep::Index(index));
            let name = match (from, to) {
                (Some(from), Some(to)) if from != to => format!("[{from}] -> [{to}]"),
                _ => format!("[{index}]"),
            };
            if *delta == Delta::Same {
                let shown = self.shortened(value);
                let _ = writeln!(out, "{}{UPDATE}~{UPDATE:#} {name}: {DIM}moved:{DIM:#} {shown}", below.indent());
            } else {
                self.one(&name, delta, &below, out);
            }
        }
    }

    /// A new or deleted value.
    fn whole(
        &self,
        (mark, style): (&str, Style),
        name: &str,
        value: &Value,
        forces: &str,
        place: &Place,
        out: &mut String,
    ) {
        let indent = place.indent();
        let line = to_line(value, self.secrets);
        let nested = match value {
            Value::Secret(inner) if self.secrets == Secrets::Shown => inner,
            other => other,
        };
        let mut heading = |rest: &str| {
            let _ = writeln!(out, "{indent}{style}{mark}{style:#} {name}:{rest}{forces}");
        };
        match nested {
            Value::Map(map) if line.chars().count() > ON_A_LINE && !map.is_empty() => {
                heading("");
                for (key, value) in map.iter().filter(|(key, _)| !super::is_internal(key)) {
                    let below = place.below(PathStep::Key(key.clone()));
                    self.whole((mark, style), &one_line(key), value, "", &below, out);
                }
            }
            Value::List(items) if line.chars().count() > ON_A_LINE => {
                heading("");
                for (index, value) in items.iter().enumerate() {
                    let below = place.below(PathStep::Index(index));
                    self.whole((mark, style), &format!("[{index}]"), value, "", &below, out);
                }
            }
            Value::String(text) if text.trim_end().contains('\n') => {
                heading("");
                let count = text.lines().count();
                for text in text.lines().take(TEXT_LINES) {
                    let _ = writeln!(out, "{indent}    {style}{mark} {}{style:#}", printable(text));
                }
                if count > TEXT_LINES {
                    let _ = writeln!(out, "{indent}    {DIM}… {} more lines{DIM:#}", count - TEXT_LINES);
                }
            }
            _ => heading(&format!(" {}", cut(&line))),
        }
    }

    /// Both sides of a change, on one line.
    fn both(&self, old: &Value, new: &Value) -> (String, String) {
        if let (Value::String(old), Value::String(new)) = (old.bare(), new.bare()) {
            let (old, new) = around(old, new);
            return (to_line(&old.into(), self.secrets), to_line(&new.into(), self.secrets));
        }
        let [old, new] = change(old, new, self.secrets);
        (cut(&old), cut(&new))
    }

    fn shortened(&self, value: &Value) -> String {
        crate::render::text::clip(&to_line(value, self.secrets), ON_A_LINE)
    }

    /// The remark on a change that forces a replacement: at its own place, or where the whole value is shown.
    fn forces(&self, path: &PropertyPath, delta: &Delta) -> String {
        let leaf = !matches!(delta, Delta::Map(_) | Delta::List(_) | Delta::Json(_));
        let at = |forcing: &PropertyPath| forcing == path || (leaf && path.contains(forcing));
        if self.replacing.iter().any(at) { format!(" {FORCES}(forces replacement){FORCES:#}") } else { String::new() }
    }
}

fn text_lines(lines: &[LineChange], indent: &str, out: &mut String) {
    for line in lines {
        let _ = match line {
            LineChange::Kept(text) => writeln!(out, "{indent}      {DIM}{}{DIM:#}", printable(text)),
            LineChange::Removed(text) => writeln!(out, "{indent}    {DELETE}- {}{DELETE:#}", printable(text)),
            LineChange::Added(text) => writeln!(out, "{indent}    {ADD}+ {}{ADD:#}", printable(text)),
            LineChange::Skipped(1) => writeln!(out, "{indent}      {DIM}… 1 line is the same{DIM:#}"),
            LineChange::Skipped(count) => writeln!(out, "{indent}      {DIM}… {count} lines are the same{DIM:#}"),
        };
    }
}

/// A line of a string without anything that moves the cursor; its indentation stays.
fn printable(line: &str) -> String {
    cut(&harmless(line).replace('\t', "    "))
}

fn cut(text: &str) -> String {
    crate::render::text::clip(text, TEXT_WIDTH)
}
