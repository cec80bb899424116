//! A page as HTML that needs no other file.

use std::fmt::Write;

use outrigger_workspace::{Block, Member, Span, Text, plain};

use super::Links;
use crate::render::text::{harmless, one_line};

const STYLE: &str = "body{max-width:52rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff}\
    code,pre{font:14px/1.4 ui-monospace,monospace;background:#f3f3f3;border-radius:3px}code{padding:0 .2em}\
    pre{padding:.8em;overflow-x:auto}dt{margin-top:.8em}dd{margin-left:1.5em}.marks{color:#666}.deprecated{color:#a40}\
    @media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}code,pre{background:#2a2a2a}a{color:#8bf}.marks{color:#999}}";

/// The page. Subjects that have a page become links.
pub(crate) fn html(blocks: &[Block], links: Links<'_>) -> String {
    let title = blocks.iter().find_map(|block| match block {
        Block::Heading { text, .. } => Some(one_line(&plain(text))),
        _ => None,
    });
    let mut body = String::new();
    render(&mut body, blocks, links);
    let title = escaped(&title.unwrap_or_default());
    // No script and nothing from elsewhere, whatever a description contains.
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

fn render(out: &mut String, blocks: &[Block], links: Links<'_>) {
    let mut open = 0;
    for block in blocks {
        let depth = if let Block::Item { depth, .. } = block { depth + 1 } else { 0 };
        lists(out, &mut open, depth);
        // Writing to a string cannot fail, here and below.
        let _ = match block {
            Block::Heading { level, text, anchor } => {
                let id = anchor.as_ref().map(|anchor| format!(" id=\"{}\"", escaped(anchor))).unwrap_or_default();
                writeln!(out, "<h{level}{id}>{}</h{level}>", inline(text, links))
            }
            Block::Paragraph(text) => writeln!(out, "<p>{}</p>", inline(text, links)),
            Block::Item { text, .. } => writeln!(out, "<li>{}</li>", inline(text, links)),
            Block::Code { text, .. } => writeln!(out, "<pre>{}</pre>", escaped(text)),
            Block::Properties(rows) => {
                out.push_str("<dl>\n");
                for row in rows {
                    let comma = if row.marks.is_empty() { "" } else { ", " };
                    let (ty, marks) = (inline(&row.ty, links), inline(&row.marks, links));
                    let name = escaped(&row.name);
                    let _ = writeln!(
                        out,
                        "<dt><code>{name}</code> {ty}<span class=\"marks\">{comma}{marks}</span></dt>\n<dd>"
                    );
                    if let Some(reason) = &row.deprecated {
                        let _ = writeln!(out, "<p class=\"deprecated\">Deprecated: {}</p>", inline(reason, links));
                    }
                    render(out, &row.description, links);
                    out.push_str("</dd>\n");
                }
                writeln!(out, "</dl>")
            }
            Block::Members(members) => {
                out.push_str("<ul>\n");
                for Member { subject, name, summary } in members {
                    let name = inline(&vec![Span::Member(subject.clone(), name.clone())], links);
                    let _ = writeln!(out, "<li>{name} {}</li>", escaped(summary));
                }
                writeln!(out, "</ul>")
            }
        };
    }
    lists(out, &mut open, 0);
}

/// Opens and closes lists up to a depth.
fn lists(out: &mut String, open: &mut usize, depth: usize) {
    for _ in *open..depth {
        out.push_str("<ul>\n");
    }
    for _ in depth..*open {
        out.push_str("</ul>\n");
    }
    *open = depth;
}

fn inline(text: &Text, links: Links<'_>) -> String {
    let span = |span: &Span| match span {
        Span::Plain(text) => escaped(text),
        Span::Code(text) => format!("<code>{}</code>", escaped(text)),
        Span::Link { text, url } => format!("<a href=\"{}\" rel=\"nofollow\">{}</a>", escaped(url), escaped(text)),
        Span::Type { name, anchor } => format!("<a href=\"#{}\">{}</a>", escaped(anchor), escaped(name)),
        Span::Member(subject, name) => match links(subject) {
            Some(path) => format!("<a href=\"{}\"><code>{}</code></a>", escaped(&path), escaped(name)),
            None => format!("<code>{}</code>", escaped(name)),
        },
    };
    text.iter().map(span).collect()
}

/// Text without markup. Escape codes go first: afterwards they would not be whole.
fn escaped(text: &str) -> String {
    harmless(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
