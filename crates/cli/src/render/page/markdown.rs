//! A page as Markdown, in which no text of a schema acts as markup or HTML.

use std::fmt::Write;

use outrigger_workspace::{Block, Member, Span, Text};

use super::Links;
use crate::render::text::{harmless, one_line};

/// The page. Subjects that have a page become links.
pub(crate) fn markdown(blocks: &[Block], links: Links<'_>) -> String {
    let mut out = String::new();
    render(&mut out, blocks, "", links);
    out
}

fn render(out: &mut String, blocks: &[Block], indent: &str, links: Links<'_>) {
    for (at, block) in blocks.iter().enumerate() {
        // Writing to a string cannot fail, here and below.
        let _ = match block {
            Block::Heading { level, text, anchor } => {
                if let Some(anchor) = anchor {
                    let _ = writeln!(out, "{indent}<a id=\"{anchor}\"></a>\n");
                }
                writeln!(out, "{indent}{} {}", "#".repeat(usize::from(*level)), inline(text, links))
            }
            Block::Paragraph(text) => writeln!(out, "{indent}{}", inline(text, links)),
            Block::Item { depth, text } => writeln!(out, "{indent}{:1$}- {2}", "", 2 * depth, inline(text, links)),
            Block::Code { language, text } => fenced(out, indent, language, text),
            Block::Properties(rows) => rows.iter().try_for_each(|row| {
                let comma = if row.marks.is_empty() { "" } else { ", " };
                let (ty, marks) = (inline(&row.ty, links), inline(&row.marks, links));
                writeln!(out, "{indent}- {} ({ty}{comma}{marks})", code(&row.name))?;
                let inside = format!("{indent}  ");
                if let Some(reason) = &row.deprecated {
                    writeln!(out, "\n{inside}**Deprecated:** {}", inline(reason, links))?;
                }
                if !row.description.is_empty() {
                    out.push('\n');
                    render(out, &row.description, &inside, links);
                }
                Ok(())
            }),
            Block::Members(members) => members.iter().try_for_each(|Member { subject, name, summary }| {
                let span = Span::Member(subject.clone(), name.clone());
                let colon = if summary.is_empty() { "" } else { ": " };
                writeln!(out, "{indent}- {}{colon}{}", inline(&vec![span], links), escaped(summary))
            }),
        };
        let is_item = |block: Option<&Block>| matches!(block, Some(Block::Item { .. }));
        if at + 1 < blocks.len() && !(is_item(Some(block)) && is_item(blocks.get(at + 1))) {
            out.push('\n');
        }
    }
}

fn fenced(out: &mut String, indent: &str, language: &str, text: &str) -> std::fmt::Result {
    let text = harmless(text);
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let language: String = language.chars().filter(char::is_ascii_alphanumeric).collect();
    writeln!(out, "{indent}{fence}{language}")?;
    text.lines().try_for_each(|line| writeln!(out, "{indent}{line}"))?;
    writeln!(out, "{indent}{fence}")
}

fn inline(text: &Text, links: Links<'_>) -> String {
    let span = |span: &Span| match span {
        Span::Plain(text) => escaped(text),
        Span::Code(text) => code(text),
        Span::Link { text, url } => format!("[{}](<{}>)", escaped(text), one_line(url).replace(['<', '>', '\\'], "")),
        Span::Type { name, anchor } => format!("[{}](#{anchor})", escaped(name)),
        Span::Member(subject, name) => match links(subject) {
            Some(path) => format!("[{}]({path})", code(name)),
            None => code(name),
        },
    };
    text.iter().map(span).collect()
}

/// Plain text: no character of it is markup, and it stays on its line.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in harmless(text).chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '>' | '|' | '~' => out.extend(['\\', letter]),
            '\n' | '\r' => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

fn code(text: &str) -> String {
    let text = one_line(text);
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let ticks = "`".repeat(longest + 1);
    // An empty pair of backticks would be two backticks.
    let space = if longest > 0 || text.is_empty() { " " } else { "" };
    format!("{ticks}{space}{text}{space}{ticks}")
}
