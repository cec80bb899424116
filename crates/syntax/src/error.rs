//! Syntax errors in a file.

use std::sync::Arc;

use granit_parser::{ErrorKind, ScanError};
use outrigger_diagnostic::{Diagnostic, Place, Position};

use crate::anchors::NoValue;
use crate::{MAX_BYTES, MAX_DEPTH, Span};

/// The text being parsed.
pub(crate) struct Source<'a> {
    pub(crate) file: &'a Arc<str>,
    pub(crate) text: &'a str,
    pub(crate) lines: &'a [u32],
}

impl Source<'_> {
    /// Line and column of a byte; a byte past the end is the end.
    pub(crate) fn position(&self, byte: u32) -> Position {
        let line = self.lines.partition_point(|start| *start <= byte).saturating_sub(1);
        let start = self.lines.get(line).copied().unwrap_or_default() as usize;
        let end = (byte as usize).min(self.text.len());
        // A byte order mark takes no column in an editor.
        let column = self.text.get(start..end).map_or(0, |before| before.chars().filter(|c| *c != '\u{feff}').count());
        Position { line: line as u32 + 1, column: column as u32 + 1 }
    }

    pub(crate) fn place(&self, span: Span) -> Place {
        Place { file: self.file.clone(), start: self.position(span.start), end: self.position(span.end) }
    }
}

pub(crate) fn too_large(file: &Arc<str>, len: usize) -> Diagnostic {
    Diagnostic::error("yaml-too-large", format!("`{file}` is too large"))
        .detail(format!("It has {len} bytes; at most {MAX_BYTES} are read."))
        .hint("Split the project, or read large data from a separate file with `fn::readFile`.")
}

pub(crate) fn not_utf8(file: &Arc<str>, bytes: &[u8], valid: usize) -> Diagnostic {
    let before = bytes.get(..valid).unwrap_or_default();
    let text = std::str::from_utf8(before).unwrap_or_default();
    let lines = crate::document::line_starts(text);
    let at = Source { file, text, lines: &lines };
    let position = at.position(valid.min(MAX_BYTES) as u32);
    Diagnostic::error("yaml-not-utf8", format!("`{file}` is not UTF-8 text"))
        .detail(format!("Byte {valid} is not part of a valid character."))
        .at(Place { file: file.clone(), start: position, end: position })
        .hint("Save the file in the encoding UTF-8.")
}

pub(crate) fn alias(at: &Source<'_>, span: Span, why: &NoValue) -> Diagnostic {
    let name = at.text.get(span.range()).unwrap_or_default();
    let found = |summary: String| Diagnostic::error("yaml-alias", summary).at(at.place(span));
    match why {
        NoValue::Missing => {
            let anchor = name.replacen('*', "&", 1);
            found(format!("the alias `{name}` has no anchor"))
                .detail(format!("No value before it has the anchor `{anchor}`; a value cannot contain itself."))
                .hint(format!("Write `{anchor}` before a value above, or put a string that begins with `*` in quotes."))
        }
        NoValue::TooLarge => found(format!("the alias `{name}` makes the file too large"))
            .detail(format!("Its aliases expand to more than {MAX_BYTES} bytes."))
            .hint("Use fewer aliases of values that contain aliases themselves."),
        NoValue::TooDeep => too_deep(at, span),
    }
}

pub(crate) fn merge_key(at: &Source<'_>, span: Span, found: &str) -> Diagnostic {
    Diagnostic::error("yaml-merge-key", format!("the merge key `<<` needs an object, not {found}"))
        .detail("It adds the entries of an object, or of each object in a list, that are not written beside it.")
        .at(at.place(span))
        .hint("Write an alias of an object (`<<: *name`), or put the key `<<` in quotes.")
}

pub(crate) fn key_not_text(at: &Source<'_>, span: Span, found: &str) -> Diagnostic {
    Diagnostic::error("yaml-key-not-text", "a key must be a string")
        .detail(format!("This key is {found}."))
        .at(at.place(span))
        .hint("Put the key in quotes.")
}

pub(crate) fn duplicate_key(at: &Source<'_>, key: &str, first: Span, second: Span) -> Diagnostic {
    let first = at.place(first);
    Diagnostic::error("yaml-duplicate-key", format!("the key `{key}` is given twice"))
        .detail(format!("It is already in line {}.", first.start.line))
        .at(at.place(second))
        .hint("Keep one of the two.")
        .note(format!("first given at {first}"))
}

pub(crate) fn bad_tag(at: &Source<'_>, span: Span, text: &str, tag: &str) -> Diagnostic {
    Diagnostic::error("yaml-tag-mismatch", format!("`{text}` cannot be read as `{tag}`"))
        .at(at.place(span))
        .hint("Remove the tag, or write a value that fits it.")
}

pub(crate) fn too_deep(at: &Source<'_>, span: Span) -> Diagnostic {
    Diagnostic::error("yaml-too-deep", "the nesting is too deep")
        .detail(format!("At most {MAX_DEPTH} levels are read."))
        .at(at.place(span))
        .hint("Flatten the value.")
}

/// A syntax error of the parser, in our words for common mistakes.
/// `in_flow` is whether the last open collection was written with `[ ]` or `{ }`.
pub(crate) fn syntax(at: &Source<'_>, problem: &ScanError, in_flow: bool) -> Diagnostic {
    let byte = problem.marker().byte_offset().unwrap_or(at.text.len()).min(at.text.len());
    let span = Span { start: byte as u32, end: byte as u32 };
    if let Some(span) = placeholder(at.text, byte, in_flow) {
        let text = at.text.get(span.range()).unwrap_or_default();
        return Diagnostic::error("yaml-unquoted-placeholder", "a placeholder inside `[ ]` or `{ }` needs quotes")
            .detail("Inside brackets, YAML reads `{` and `}` as the beginning and end of an object.")
            .at(at.place(span))
            .hint(format!("Quote the placeholder: \"{text}\"."));
    }
    let found = Diagnostic::error("yaml-syntax", "this is not valid YAML").at(at.place(span));
    match problem.kind() {
        ErrorKind::RecursionLimitExceeded => too_deep(at, span),
        ErrorKind::TabInBlockIndentation => found
            .detail("A tab is used for indentation; YAML allows only spaces there.")
            .hint("Replace the tab with spaces."),
        ErrorKind::MappingValueNotAllowed => found
            .detail("A `:` is not allowed here.")
            .hint("Check the indentation of this line and the one before, and quote a value that contains `: `."),
        ErrorKind::UnclosedQuotedScalar => {
            found.detail("A quote is opened here and never closed.").hint("Add the closing quote.")
        }
        ErrorKind::InvalidQuotedScalarIndent => found
            .detail("A quote that was opened before is not closed, or a line inside quotes is not indented.")
            .hint("Add the closing quote, or indent the line more than its key."),
        ErrorKind::InvalidTrailingDoubleQuotedScalar => found
            .detail("Something follows the closing quote.")
            .hint("Put the whole value in quotes, and write a quote inside it as `\\\"`."),
        ErrorKind::UnknownQuotedScalarEscape => found
            .detail("A `\\` in double quotes does not begin a valid escape.")
            .hint("Write `\\\\` for a backslash, or use single quotes."),
        ErrorKind::SimpleKeyExpected => found
            .detail("A `:` is missing after a key.")
            .hint("Write `key: value`, or indent a line that continues a string."),
        ErrorKind::ExpectedBlockMappingKey => found
            .detail("The indentation matches no block above.")
            .hint("Indent the line like the other entries of its block."),
        ErrorKind::UnclosedFlowCollection { open } => found
            .detail(format!("`{open}` is opened here and never closed."))
            .hint(format!("Add the closing `{}`.", if *open == '[' { ']' } else { '}' })),
        ErrorKind::UnexpectedCharacter { character } if character.is_control() => found
            .detail(format!("The control character `{}` is not allowed in a YAML file.", character.escape_debug()))
            .hint("Remove it, or write it as an escape in double quotes, such as `\"\\u0001\"`."),
        ErrorKind::UnexpectedCharacter { character } => found
            .detail(format!("A value cannot begin with `{}`.", character.escape_debug()))
            .hint("Put the value in quotes."),
        other => found.detail(format!("{other}.")).hint("Check indentation, quotes and brackets up to this line."),
    }
}

/// The unquoted `${…}` in a flow collection that caused the error at `byte`, if that is the cause.
/// YAML ends the plain scalar `$` at `{`, so the error is at the brace, or after the closing one.
fn placeholder(text: &str, byte: usize, in_flow: bool) -> Option<Span> {
    if !in_flow {
        return None;
    }
    let before = text.get(..byte)?;
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let start = if before.ends_with('$') && text.get(byte..)?.starts_with('{') {
        byte - 1
    } else {
        line + before.get(line..)?.rfind("${")?
    };
    let end = text.get(start..)?.find(['}', '\n']).map_or(text.len(), |at| start + at);
    let end = if text.get(end..)?.starts_with('}') { end + 1 } else { end };
    Some(Span { start: start as u32, end: end as u32 })
}
