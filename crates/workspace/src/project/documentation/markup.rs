//! Markup in Markdown that is not Markdown: HTML, and Pulumi's marks.

/// The HTML tags; a placeholder such as `<name>` is not one.
const TAGS: &str = "a abbr b blockquote br center cite code dd del details div dl dt em font h1 h2 h3 h4 h5 h6 hr i img \
    kbd li ol p pre pulumi-lang s small span strong sub summary sup table tbody td th thead tr tt u ul";

/// A longer tag or link does not count, so that the work is linear in the text.
pub(super) const LONGEST_TAG: usize = 1024;

/// No code has more backticks around it.
const LONGEST_FENCE: usize = 8;

/// Markdown without comments, tags and short codes. Code in backticks stays as it is.
pub(super) fn without_markup(markdown: &str) -> String {
    let mut result = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(at) = rest.find(['`', '<', '{', '&']) {
        result.push_str(&rest[..at]);
        rest = &rest[at..];
        let found = code_span(rest).or_else(|| reference(rest)).or_else(|| markup(rest));
        let (taken, replacement) = found.unwrap_or((1, &rest[..1]));
        result.push_str(replacement);
        rest = &rest[taken..];
    }
    result.push_str(rest);
    result
}

/// The code in backticks that a text begins with: its length, and its content.
pub(super) fn code_span(text: &str) -> Option<(usize, &str)> {
    let ticks = text.len() - text.trim_start_matches('`').len();
    if ticks > LONGEST_FENCE {
        return Some((ticks, ""));
    }
    let end = text[ticks..].find(&text[..ticks]).filter(|_| ticks > 0)? + 2 * ticks;
    // A paragraph that ends before has a stray backtick.
    (!text[..end].contains("\n\n")).then_some((end, &text[..end]))
}

/// The target of Pulumi's mark `{{% ref #/resources/TOKEN/inputProperties/NAME %}}`: the length of the mark, and the name.
fn reference(text: &str) -> Option<(usize, &str)> {
    let inside = beginning(text.strip_prefix("{{%")?, LONGEST_TAG);
    let (target, _) = inside.split_once("%}}")?;
    let name = target.trim().strip_prefix("ref")?.trim_start().rsplit(['/', ':']).next()?;
    Some((target.len() + 6, name))
}

fn markup(text: &str) -> Option<(usize, &str)> {
    for (open, close) in [("<!--", "-->"), ("{{%", "%}}"), ("{{<", ">}}")] {
        if text.starts_with(open) {
            return Some((text.find(close).map_or(text.len(), |at| at + close.len()), ""));
        }
    }
    for (entity, letter) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")]
    {
        if text.starts_with(entity) {
            return Some((entity.len(), letter));
        }
    }
    let inside =
        text.strip_prefix('<').filter(|tag| tag.starts_with(|first: char| first == '/' || first.is_alphabetic()))?;
    let mut quoted = None;
    let end = inside.bytes().take(LONGEST_TAG).position(|byte| match (quoted, byte) {
        (Some(quote), _) => {
            if byte == quote {
                quoted = None;
            }
            false
        }
        (None, b'"' | b'\'') => {
            quoted = Some(byte);
            false
        }
        (None, byte) => byte == b'>',
    })?;
    let tag = &inside[..end];
    if tag.starts_with("https://") || tag.starts_with("http://") {
        return Some((end + 2, tag));
    }
    let name = tag.trim_start_matches('/').split([' ', '\n', '\t', '/']).next().unwrap_or_default().to_lowercase();
    let replacement = match (&*name, tag.starts_with('/')) {
        ("li", false) => "\n- ",
        ("br" | "hr", _) => "\n",
        ("p" | "div" | "ul" | "ol" | "table" | "tr" | "pre" | "blockquote", _) => "\n\n",
        ("code" | "tt" | "kbd", _) => "`",
        _ => "",
    };
    is_among(TAGS, &name).then_some((end + 2, replacement))
}

/// Whether a list of words has a word.
pub(super) fn is_among(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

/// At most so many bytes of a text.
pub(super) fn beginning(text: &str, length: usize) -> &str {
    let end = (0..=length.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}
