//! Descriptions, as Pulumi's bridge rewrites them: Terraform's names become spans from which each language's documentation picks its own
//! spelling, notes become Markdown, and links into Terraform's documentation become absolute or are removed.
//!
//! Fenced code stays as it is.

use std::borrow::Cow;

use crate::naming::case;
use crate::naming::tokens::{Tokens, last_part};

/// The host for links that have none.
const TERRAFORM: &str = "https://www.terraform.io";

/// A provider's description, rewritten for Pulumi.
pub(crate) fn rewritten(text: &str, tokens: &Tokens) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((start, end)) = fenced(rest) {
        result.push_str(&prose(&rest[..start], tokens));
        result.push_str(&rest[start..end]);
        rest = &rest[end..];
    }
    result.push_str(&prose(rest, tokens));
    let trimmed = result.trim();
    if trimmed.len() == result.len() { result } else { trimmed.to_owned() }
}

/// A description with a line end after each line, as nested properties have theirs.
pub(crate) fn lines(text: &str) -> String {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last().is_some_and(|last| last.trim().is_empty()) {
        lines.pop();
    }
    lines.iter().flat_map(|line| [*line, "\n"]).collect()
}

/// Spells names in backticks, quotes or brackets, and names with an underscore, for every language.
pub(crate) fn spelled_for_each_language(text: &str, tokens: &Tokens) -> String {
    let bytes = text.as_bytes();
    let mut result = String::with_capacity(text.len());
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        let Some(end) = name_at(bytes, at) else {
            at += 1;
            continue;
        };
        result.push_str(&text[from..at]);
        push_span(&mut result, &text[at..=end], tokens);
        (from, at) = (end + 1, end + 1);
    }
    result.push_str(&text[from..]);
    result
}

/// The end of a name that begins, with the character before it, at `at`. The characters around it are ASCII, so both can be cut off.
fn name_at(bytes: &[u8], at: usize) -> Option<usize> {
    let open = bytes[at];
    if !is_space(open) && !matches!(open, b'"' | b'`' | b'[') {
        return None;
    }
    let length = bytes[at + 1..].iter().take_while(|byte| is_name(**byte)).count();
    let name = &bytes[at + 1..at + 1 + length];
    let end = at + 1 + length;
    let close = *bytes.get(end)?;
    let parts = name.split(|byte| *byte == b'_').count();
    let well_formed = name.split(|byte| *byte == b'_').all(|part| !part.is_empty());
    let several = parts > 1 && (is_space(close) || matches!(close, b'"' | b'`' | b']'));
    let one = parts == 1 && open == b'`' && close == b'`';
    (well_formed && (several || one)).then_some(end)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_digit() || byte.is_ascii_lowercase() || byte == b'_'
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

/// `whole` is a name with one character on each side.
fn push_span(result: &mut String, whole: &str, tokens: &Tokens) {
    let (open, name, close) = (&whole[..1], &whole[1..whole.len() - 1], &whole[whole.len() - 1..]);
    let around = |name: &str| format!("{open}{name}{close}");
    let (display, dotnet, go, python) = if let Some(token) = tokens.resources.token(name) {
        let display = around(&format!("{}.{}", tokens.package, last_part(token)));
        let short = around(last_part(token));
        (display.clone(), display, short.clone(), short)
    } else if let Some(token) = tokens.data_sources.token(name) {
        let display = around(&format!("{}.{}", tokens.package, last_part(token)));
        (display.clone(), display, around(last_part(token)), around(&case::python(last_part(token))))
    } else {
        let property = case::camel(name);
        (around(&property), around(&case::upper_first(&property)), around(&property), whole.to_owned())
    };
    let languages = [
        ("nodejs", &display),
        ("dotnet", &dotnet),
        ("go", &go),
        ("python", &python),
        ("yaml", &display),
        ("java", &display),
    ];
    result.push_str("<span");
    for (language, spelling) in languages {
        for part in [" pulumi-lang-", language, "=\"", spelling, "\""] {
            result.push_str(part);
        }
    }
    for part in [">", &display, "</span>"] {
        result.push_str(part);
    }
}

fn prose(text: &str, tokens: &Tokens) -> String {
    let mut text = Cow::Borrowed(text);
    for marker in ["-> ", "~> "] {
        if text.contains(marker) {
            text = Cow::Owned(text.replace(marker, "> "));
        }
    }
    let mut text = &*text;
    for word in ["\n(Required)\n", "\n(Optional)\n"] {
        text = text.strip_prefix(word).unwrap_or(text);
    }
    spelled_for_each_language(&links(&page_references(text)), tokens)
}

/// `[1]: /docs/providers/…` gets a host.
fn page_references(text: &str) -> Cow<'_, str> {
    const PATH: &str = "]: /docs/providers";
    if !text.contains(PATH) {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len() + 32);
    let mut rest = text;
    while let Some(at) = rest.find(PATH) {
        let number = rest[..at].bytes().rev().take_while(|byte| matches!(byte, b'1'..=b'9')).count();
        let numbered = number > 0 && rest[..at - number].ends_with('[');
        let path = at + PATH.len();
        if numbered && is_page(&rest[path..]) {
            result.push_str(&rest[..at + 3]);
            result.push_str(TERRAFORM);
        } else {
            result.push_str(&rest[..at + 3]);
        }
        result.push_str(&rest[at + 3..path]);
        rest = &rest[path..];
    }
    result.push_str(rest);
    Cow::Owned(result)
}

/// `/aws/r/instance.html`, with anything after it.
fn is_page(path: &str) -> bool {
    let end = path.find(|c: char| !matches!(c, 'a'..='z' | '1'..='9' | '_' | '/')).unwrap_or(path.len());
    let (folders, rest) = path.split_at(end);
    let mut parts = folders.split('/');
    let rooted = parts.next() == Some("");
    let mut parts = parts.peekable();
    rooted
        && parts.peek().is_some()
        && parts.all(|part| !part.is_empty())
        && rest.strip_prefix('.').is_some_and(|suffix| suffix.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Gives a link from the root a host, and replaces a relative one by its text.
fn links(text: &str) -> Cow<'_, str> {
    if !text.contains("](") {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let Some((label, target, end)) = link_at(&rest[open..]) else {
            result.push_str(&rest[..=open]);
            rest = &rest[open + 1..];
            continue;
        };
        result.push_str(&rest[..open]);
        if target.starts_with("http") {
            result.push_str(&rest[open..open + end]);
        } else if target.starts_with('/') {
            for part in ["[", label, "](", TERRAFORM, target, ")"] {
                result.push_str(part);
            }
        } else {
            result.push_str(label);
        }
        rest = &rest[open + end..];
    }
    result.push_str(rest);
    Cow::Owned(result)
}

/// Label, target and length of a link at the start of the text.
fn link_at(text: &str) -> Option<(&str, &str, usize)> {
    let close = text.find(']')?;
    let inner = text[close + 1..].strip_prefix('(')?;
    let end = inner.find(')')?;
    Some((&text[1..close], &inner[..end], close + 2 + end + 1))
}

/// The first fenced block, with the line ends after it that belong to it.
fn fenced(text: &str) -> Option<(usize, usize)> {
    const FENCE: &str = "```";
    let mut from = 0;
    while let Some(offset) = text[from..].find(FENCE) {
        let start = from + offset;
        let line_end = text[start + FENCE.len()..].find('\n').map_or(text.len(), |at| start + FENCE.len() + at);
        let mut close = line_end;
        while let Some(offset) = text[close..].find(FENCE) {
            let after = close + offset + FENCE.len();
            if let Some(end) = line_end_after(text, after) {
                return Some((start, end));
            }
            close += offset + 1;
        }
        from = start + 1;
    }
    None
}

/// The last line end that only white space separates from `at`.
fn line_end_after(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let spaces = bytes[at..].iter().take_while(|byte| is_space(**byte)).count();
    (at..=at + spaces).rev().find(|end| *end == bytes.len() || bytes[*end] == b'\n')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::naming::tokens::{ProviderNames, Selection};

    fn tokens() -> Tokens {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let provider = ProviderNames {
            provider: "x".to_owned(),
            resources: names(&["x_big_disk"]),
            data_sources: names(&["x_big_disk", "x_zone_ids"]),
            functions: names(&[]),
        };
        Tokens::new(&provider, &Selection::default()).unwrap()
    }

    fn span(spellings: [&str; 4]) -> String {
        let [display, dotnet, go, python] = spellings;
        format!(
            "<span pulumi-lang-nodejs=\"{display}\" pulumi-lang-dotnet=\"{dotnet}\" pulumi-lang-go=\"{go}\" \
             pulumi-lang-python=\"{python}\" pulumi-lang-yaml=\"{display}\" pulumi-lang-java=\"{display}\">{display}</span>"
        )
    }

    #[test]
    fn names_are_spelled_for_each_language() {
        let text = |text: &str| rewritten(text, &tokens());
        assert_eq!(text("Set `true`."), format!("Set {}.", span(["`true`", "`True`", "`true`", "`true`"])));
        let property = span([" maxSize ", " MaxSize ", " maxSize ", " max_size "]);
        assert_eq!(text("The max_size of it"), format!("The{property}of it"));
        let resource = span(["`x.BigDisk`", "`x.BigDisk`", "`BigDisk`", "`BigDisk`"]);
        assert_eq!(text("See `x_big_disk`"), format!("See {resource}"), "a resource goes before a data source");
        let data = span(["`x.getZoneIds`", "`x.getZoneIds`", "`getZoneIds`", "`get_zone_ids`"]);
        assert_eq!(text("See `x_zone_ids`"), format!("See {data}"));
        for same in ["`TRUE`", "true", "a_b", "`a__b`", "`_a`", "`a-b`", "x a_b.", "`a.b`"] {
            assert_eq!(text(same), same);
        }
    }

    /// The space between two names belongs to the first.
    #[test]
    fn two_names_share_no_space() {
        let first = span([" aB ", " AB ", " aB ", " a_b "]);
        assert_eq!(rewritten("x a_b c_d e", &tokens()), format!("x{first}c_d e"));
    }

    #[test]
    fn notes_and_links_are_markdown() {
        let pairs = [
            ("-> **Note** it", "> **Note** it"),
            ("~> It", "> It"),
            ("\n(Required)\nThe size", "The size"),
            ("[docs](/docs/a)", "[docs](https://www.terraform.io/docs/a)"),
            ("[docs](https://example.com)", "[docs](https://example.com)"),
            ("[docs](#there) and [docs](other.html)", "docs and docs"),
            ("a [b] (c) [d", "a [b] (c) [d"),
            ("[1]: /docs/providers/x/r/y.html", "[1]: https://www.terraform.io/docs/providers/x/r/y.html"),
            ("[0]: /docs/providers/x/r/y.html", "[0]: /docs/providers/x/r/y.html"),
            ("[1]: /docs/providers/x", "[1]: /docs/providers/x"),
        ];
        for (before, after) in pairs {
            assert_eq!(rewritten(before, &tokens()), after, "{before}");
        }
    }

    #[test]
    fn what_is_fenced_stays() {
        let text = "Like\n```hcl\na `true` -> x_y \n```\nand `true`";
        let last = span(["`true`", "`True`", "`true`", "`true`"]);
        assert_eq!(rewritten(text, &tokens()), format!("Like\n```hcl\na `true` -> x_y \n```\nand {last}"));
        assert_eq!(rewritten("```\nno end -> a", &tokens()), "```\nno end > a");
    }

    #[test]
    fn lines_have_ends() {
        assert_eq!(lines("a\nb"), "a\nb\n");
        assert_eq!(lines("a\n"), "a\n");
        assert_eq!(lines("a\n  "), "a\n");
    }

    proptest! {
        #[test]
        fn any_text_can_be_rewritten(text in "([a-z_`\\[\\]() \n/#>~é-]|```|\\]\\(|\\]: /docs/providers){0,40}") {
            let _ = rewritten(&text, &tokens());
        }
    }
}
