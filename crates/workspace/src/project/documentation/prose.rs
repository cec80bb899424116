//! Descriptions, which are Markdown of many authors, as blocks. HTML, Pulumi's marks and the code of other languages are left out here, so that no
//! renderer meets any of it.

use super::markup::{LONGEST_TAG, beginning, code_span, is_among, without_markup};
use super::{Block, Span, Text};

/// Languages of programs that are not written here.
const OTHER_LANGUAGES: &str = "c# cs csharp fsharp go golang hcl java javascript js nodejs py python terraform tf ts tsx typescript \
    vb";

/// The part that is searched for a first sentence: some descriptions are books.
const BEGINNING: usize = 1000;

/// The blocks of a description. Its headings begin at `level`.
pub(super) fn blocks(markdown: &str, level: u8) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut prose = String::new();
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        let Some((fence, language)) = fence(line) else {
            prose.push_str(line);
            prose.push('\n');
            continue;
        };
        let inside: Vec<&str> = lines.by_ref().take_while(|line| !line.trim().starts_with(fence)).collect();
        paragraphs(&std::mem::take(&mut prose), level, &mut blocks);
        // Code of another language stays as an empty block until the headings above it are known.
        let text = if is_among(OTHER_LANGUAGES, &language) { String::new() } else { inside.join("\n") };
        blocks.push(Block::Code { language, text });
    }
    paragraphs(&prose, level, &mut blocks);
    without_empty_sections(blocks)
}

/// The first sentence of a description.
pub(super) fn first_sentence(markdown: &str) -> String {
    let paragraph = blocks(beginning(markdown, BEGINNING), 1).into_iter().find_map(|block| match block {
        Block::Paragraph(text) => Some(super::plain(&text)),
        _ => None,
    });
    let paragraph = paragraph.unwrap_or_default();
    let end = paragraph.match_indices(". ").map(|(at, _)| at).find(|at| {
        // Not after `e.g.` and `i.e.`.
        !paragraph[..*at].ends_with(".g") && !paragraph[..*at].ends_with("i.e")
    });
    end.map_or_else(|| paragraph.clone(), |end| paragraph[..=end].to_owned())
}

/// The fence that a line opens, and the language behind it.
fn fence(line: &str) -> Option<(&'static str, String)> {
    let line = line.trim_start();
    let fence = ["```", "~~~"].into_iter().find(|fence| line.starts_with(fence))?;
    let info = line.trim_start_matches(['`', '~']);
    // A line such as "```code```" opens nothing.
    let language = info.split_whitespace().next().unwrap_or_default().to_lowercase();
    (!info.contains('`')).then_some((fence, language))
}

fn paragraphs(markdown: &str, level: u8, blocks: &mut Vec<Block>) {
    let text = without_markup(markdown);
    let mut open = String::new();
    let mut item = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let mut line = line.trim();
        for mark in ["->", "~>", "!>", ">"] {
            line = line.strip_prefix(mark).map_or(line, str::trim_start);
        }
        let (rest, marked) = match listed(line) {
            Some(rest) => (rest, true),
            None => (line, false),
        };
        let title = line.trim_start_matches('#');
        let depth = u8::try_from(line.len() - title.len()).unwrap_or(u8::MAX);
        let is_heading = (1..=6).contains(&depth) && title.starts_with(' ');
        let is_table = line.starts_with('|');
        if line.is_empty() || marked || is_heading || is_table {
            close(&mut open, &mut item, blocks);
        }
        if is_heading {
            let level = level.saturating_add(depth.saturating_sub(2)).min(6);
            blocks.push(Block::Heading { level, text: spans(title.trim()), anchor: None });
        } else if is_table {
            match blocks.last_mut() {
                Some(Block::Code { language, text }) if language == "table" => {
                    text.push('\n');
                    text.push_str(line);
                }
                _ => blocks.push(Block::Code { language: "table".to_owned(), text: line.to_owned() }),
            }
        } else {
            if marked {
                item = Some(indent / 2);
            }
            if !open.is_empty() {
                open.push(' ');
            }
            open.push_str(rest);
        }
    }
    close(&mut open, &mut item, blocks);
}

fn close(open: &mut String, item: &mut Option<usize>, blocks: &mut Vec<Block>) {
    let text = spans(&std::mem::take(open));
    match item.take() {
        _ if super::plain(&text).trim().is_empty() => {}
        Some(depth) => blocks.push(Block::Item { depth: depth.min(4), text }),
        None => blocks.push(Block::Paragraph(text)),
    }
}

/// The text of an item of a list.
fn listed(line: &str) -> Option<&str> {
    let number = line.len() - line.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let rest = match number {
        0 => line.strip_prefix(['-', '*', '+']),
        1..=3 => line[number..].strip_prefix(['.', ')']),
        _ => None,
    };
    rest.filter(|rest| rest.starts_with(' ')).map(str::trim)
}

/// A heading above nothing, or above nothing but text after left-out code, belonged to the left-out part.
fn without_empty_sections(blocks: Vec<Block>) -> Vec<Block> {
    let mut kept: Vec<Block> = Vec::new();
    let is_left_out = |block: &Block| matches!(block, Block::Code { text, .. } if text.trim().is_empty());
    for block in blocks.into_iter().rev() {
        if let Block::Heading { level, .. } = &block {
            let above_nothing = match kept.iter().rev().find(|below| !is_left_out(below)) {
                None => true,
                Some(Block::Heading { level: below, .. }) => below <= level,
                Some(Block::Code { .. }) => false,
                Some(_) => kept.last().is_some_and(is_left_out),
            };
            if above_nothing {
                continue;
            }
        }
        kept.push(block);
    }
    kept.retain(|block| !is_left_out(block));
    kept.reverse();
    kept
}

/// Code, links and plain text.
fn spans(text: &str) -> Text {
    let mut spans = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '[', '!', '\\', '*']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let letter = char::from(rest.as_bytes()[0]);
        let found = match letter {
            '`' => code_span(rest).map(|(taken, code)| (taken, Span::Code(code.trim_matches('`').trim().to_owned()))),
            '[' | '!' => link(rest),
            '\\' => {
                rest[1..].chars().next().filter(char::is_ascii_punctuation).map(|next| (2, Span::Plain(next.into())))
            }
            '*' if rest.starts_with("**") => Some((2, Span::Plain(String::new()))),
            _ => None,
        };
        match found {
            Some((taken, Span::Plain(text))) => {
                plain.push_str(&text);
                rest = &rest[taken..];
            }
            Some((taken, span)) => {
                push_plain(&mut spans, &mut plain);
                spans.push(span);
                rest = &rest[taken..];
            }
            None => {
                plain.push(letter);
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    push_plain(&mut spans, &mut plain);
    spans
}

fn push_plain(spans: &mut Text, plain: &mut String) {
    if !plain.is_empty() {
        spans.push(Span::Plain(std::mem::take(plain)));
    }
}

/// `[text](address)` and `![text](address)`. Only web pages become links.
fn link(text: &str) -> Option<(usize, Span)> {
    let inside = text.strip_prefix("![").or_else(|| text.strip_prefix('['))?;
    let inside = beginning(inside, LONGEST_TAG);
    let (shown, rest) = inside.split_once("](").filter(|(shown, _)| !shown.contains('['))?;
    let (url, _) = rest.split_once(')')?;
    let brackets = if text.starts_with('!') { 5 } else { 4 };
    let taken = shown.len() + url.len() + brackets;
    let shown = shown.replace(['`', '*'], "");
    let url = url.split_whitespace().next().unwrap_or_default();
    let span = match url.starts_with("https://") || url.starts_with("http://") {
        true if !text.starts_with('!') => Span::Link { text: shown, url: url.to_owned() },
        _ => Span::Plain(shown),
    };
    Some((taken, span))
}

#[cfg(test)]
mod tests {
    use super::super::plain;
    use super::*;

    fn shown(markdown: &str) -> Vec<String> {
        let line = |block: &Block| match block {
            Block::Heading { level, text, .. } => format!("{level} {}", plain(text)),
            Block::Paragraph(text) => plain(text),
            Block::Item { depth, text } => format!("{depth}- {}", plain(text)),
            Block::Code { language, text } => format!("{language}: {text}"),
            _ => String::new(),
        };
        blocks(markdown, 3).iter().map(line).collect()
    }

    #[test]
    fn noise_and_other_languages_are_left_out() {
        let markdown = "Sets {{% ref#/resources/p:a:B/inputProperties/x %}} and <span pulumi-lang-nodejs=\"`minUpper`\" pulumi-lang-go=\"`a > b`\">`minUpper`</span> of <name>.\n\n\
            {{% examples %}}\n## Example Usage\n<!--Start PulumiCodeChooser -->\n```typescript\nlet a;\n```\n```yaml\na: 1\n```\n\
            ### Other\n```go\nfunc\n```\n{{% /examples %}}\n\n-> **Note:** see [it](https://x.example/a) or [that](javascript:x).\n\n\
            * one\n  more\n  - two &amp; `a <b> c`\n## Import\n\n```sh\n$ pulumi import x\n```\n";
        assert_eq!(
            shown(markdown),
            [
                "Sets x and minUpper of <name>.",
                "3 Example Usage",
                "yaml: a: 1",
                "Note: see it or that.",
                "0- one more",
                "1- two & a <b> c",
                "3 Import",
                "sh: $ pulumi import x",
            ]
        );
    }

    #[test]
    fn nothing_a_description_holds_makes_it_fail() {
        for text in [
            "```",
            "<",
            "<a",
            "`",
            "``",
            "[",
            "![",
            "[a](",
            "{{%",
            "<!--",
            "\\",
            "é<é>`é",
            "# ",
            "|",
            "&",
            "-",
            "9. x",
            "****",
        ] {
            blocks(text, 2);
            first_sentence(text);
        }
        let long = "é".repeat(BEGINNING);
        assert!(!first_sentence(&long).is_empty());
        for part in ["`[", "[", "`", "<", "<a \"'"] {
            blocks(&part.repeat(100_000), 2);
        }
    }

    #[test]
    fn a_first_sentence_ends_at_its_full_stop() {
        assert_eq!(first_sentence("## T\n\nA pet, e.g. a dog.\nIt barks."), "A pet, e.g. a dog.");
        assert_eq!(first_sentence("One 1.5 thing"), "One 1.5 thing");
    }
}
