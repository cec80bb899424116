//! A terminal's screen as an SVG: text with colours, which a reader can zoom and a reviewer can compare.

use std::fmt::Write;

/// The size of a character cell, in pixels.
const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 18.0;
const MARGIN: f64 = 12.0;

const FOREGROUND: &str = "#d8dee9";
const BACKGROUND: &str = "#1e2430";
/// Black, red, green, yellow, blue, magenta, cyan, white.
const COLORS: [&str; 8] = ["#3b4252", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d8dee9"];

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Style {
    color: Option<usize>,
    bold: bool,
    dim: bool,
}

/// A picture of a screen with so many columns. `text` has escape codes for colours, as `tmux capture-pane -e` prints them.
pub(super) fn render(text: &str, columns: usize) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let (width, height) = (columns as f64 * WIDTH + 2.0 * MARGIN, lines.len() as f64 * HEIGHT + 2.0 * MARGIN);
    // Writing to a string cannot fail, here and below.
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\" fill=\"{FOREGROUND}\">"
    );
    let _ = writeln!(out, "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>");
    let mut style = Style::default();
    for (row, line) in lines.iter().enumerate() {
        let y = MARGIN + (row as f64 + 0.75) * HEIGHT;
        let mut column = 0;
        for (span, text) in spans(line, &mut style) {
            let taken = text.chars().count();
            if !text.trim().is_empty() {
                let x = MARGIN + column as f64 * WIDTH;
                let length = taken as f64 * WIDTH;
                let _ = writeln!(
                    out,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\" xml:space=\"preserve\"{}>{}</text>",
                    attributes(span),
                    escaped(&text)
                );
            }
            column += taken;
        }
    }
    out.push_str("</svg>\n");
    out
}

/// The pieces of a line, each of one style. The style continues from line to line.
fn spans(line: &str, style: &mut Style) -> Vec<(Style, String)> {
    let mut found: Vec<(Style, String)> = Vec::new();
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            match found.last_mut() {
                Some((last, text)) if last == style => text.push(letter),
                _ => found.push((*style, letter.to_string())),
            }
            continue;
        }
        let mut code = String::new();
        for letter in letters.by_ref() {
            if letter.is_ascii_alphabetic() {
                break;
            }
            code.push(letter);
        }
        for number in code.trim_start_matches('[').split(';') {
            change(style, number.parse().unwrap_or(0));
        }
    }
    found
}

fn change(style: &mut Style, number: usize) {
    match number {
        0 => *style = Style::default(),
        1 => style.bold = true,
        2 => style.dim = true,
        22 => (style.bold, style.dim) = (false, false),
        30..=37 => style.color = Some(number - 30),
        39 => style.color = None,
        90..=97 => style.color = Some(number - 90),
        _ => {}
    }
}

fn attributes(style: Style) -> String {
    let mut out = String::new();
    if let Some(color) = style.color.and_then(|color| COLORS.get(color)) {
        let _ = write!(out, " fill=\"{color}\"");
    }
    if style.bold {
        out.push_str(" font-weight=\"bold\"");
    }
    if style.dim {
        out.push_str(" opacity=\"0.6\"");
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_become_attributes() {
        let svg = render("a \u{1b}[1m\u{1b}[31mb<c\u{1b}[0m\nd\n\n", 10);
        assert!(svg.contains(">a </text>"), "{svg}");
        assert!(svg.contains("fill=\"#e06c75\" font-weight=\"bold\">b&lt;c</text>"), "{svg}");
        assert!(svg.contains("height=\"60\""), "{svg}");
    }
}
