//! Builds the tree from parser events.

use std::sync::Arc;

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle, Tag};
use outrigger_diagnostic::Diagnostic;

use crate::anchors::{Anchors, NoValue};
use crate::error::{self, Source};
use crate::scalar::{self, Scalar};
use crate::texts::Texts;
use crate::{Entry, Key, Keys, Kind, Layout, List, MAX_DEPTH, Node, Object, Span, Style, Text};

/// At most this many findings are collected from one file.
const MAX_FINDINGS: usize = 20;

/// The tree, its aliases with their values, and the place where the next document begins.
type Parsed = (Node, Vec<(Span, Span)>, Option<Span>);

/// Reads the first document of the text.
pub(crate) fn parse(source: &Source<'_>, keys: Keys) -> Result<Parsed, Vec<Diagnostic>> {
    let options = granit_parser::options! {
        emit_comments: false,
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
    };
    let mut builder = Builder {
        source,
        keys,
        open: Vec::new(),
        root: None,
        last_end: 0,
        anchors: Anchors::new(),
        texts: Texts::default(),
        overflowed: false,
        findings: Vec::new(),
    };
    let mut events = Parser::new_from_str_with_options(source.text, options);
    for event in events.by_ref() {
        match event {
            Ok((Event::DocumentEnd | Event::StreamEnd, _)) => break,
            Ok((event, span)) => {
                let tag_start = span.tag_start().and_then(|mark| mark.byte_offset());
                let range = span.byte_range().unwrap_or(0..0);
                let span = Span { start: range.start as u32, end: range.end as u32 };
                builder.take(event, span, tag_start.map(|start| start as u32));
                if builder.open.len() > MAX_DEPTH {
                    builder.findings.push(error::too_deep(source, span));
                }
            }
            Err(problem) => {
                let in_flow = builder.open.last().is_some_and(|frame| frame.layout == Layout::Flow);
                builder.findings.push(error::syntax(source, &problem, in_flow));
                break;
            }
        }
        if builder.findings.len() >= MAX_FINDINGS || builder.open.len() > MAX_DEPTH || builder.overflowed {
            break;
        }
    }
    if !builder.findings.is_empty() {
        return Err(builder.findings);
    }
    let root = builder.root.unwrap_or(Node { kind: Kind::Null, span: Span::default() });
    let next = events.find_map(|event| match event {
        Ok((Event::DocumentStart(..), span)) => Some(span.byte_range().unwrap_or(0..0)),
        _ => None,
    });
    let next = next.map(|range| Span { start: range.start as u32, end: range.end as u32 });
    Ok((root, builder.anchors.into_uses(), next))
}

struct Builder<'a> {
    source: &'a Source<'a>,
    keys: Keys,
    open: Vec<Frame>,
    root: Option<Node>,
    /// The end of the last token with text.
    last_end: u32,
    anchors: Anchors,
    texts: Texts,
    /// Set when aliases have made the tree too large, which is reported once.
    overflowed: bool,
    findings: Vec<Diagnostic>,
}

/// An unfinished collection.
struct Frame {
    content: Content,
    span: Span,
    layout: Layout,
    /// The anchor's number, or 0.
    anchor: usize,
    /// The span of its last part.
    last: Option<Span>,
}

enum Content {
    List(Vec<Node>),
    Object { entries: Vec<Entry>, key: Slot, merges: Vec<Node> },
}

/// The key whose value comes next.
enum Slot {
    Empty,
    Key(Key),
    Merge,
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, span: Span, tag_start: Option<u32>) {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let (node, merge) = self.scalar(&text, style, tag.as_deref(), span, tag_start);
                self.last_end = self.last_end.max(span.end);
                self.define(anchor, &node);
                self.add(node, merge);
            }
            Event::Alias(anchor) => self.alias(Some(anchor), span),
            Event::UnresolvedAlias(_) => self.alias(None, span),
            Event::SequenceStart(style, anchor, _) => self.begin(Content::List(Vec::new()), style, anchor, span),
            Event::MappingStart(style, anchor, _) => {
                let content = Content::Object { entries: Vec::new(), key: Slot::Empty, merges: Vec::new() };
                self.begin(content, style, anchor, span);
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(frame) = self.open.pop() {
                    let anchor = frame.anchor;
                    let node = self.close(frame, span);
                    self.last_end = self.last_end.max(node.span.end);
                    self.define(anchor, &node);
                    self.add(node, false);
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, content: Content, style: StructureStyle, anchor: usize, span: Span) {
        self.last_end = self.last_end.max(span.end);
        self.open.push(Frame { content, span, layout: layout(style), anchor, last: None });
    }

    /// Anchors are numbered from 1.
    fn define(&mut self, anchor: usize, node: &Node) {
        if anchor != 0 {
            self.anchors.define(anchor, node);
        }
    }

    fn alias(&mut self, anchor: Option<usize>, span: Span) {
        self.last_end = span.end;
        let room = MAX_DEPTH.saturating_sub(self.open.len());
        let found = anchor.ok_or(NoValue::Missing).and_then(|anchor| self.anchors.expand(anchor, span, room));
        match found {
            Ok(node) => self.add(node, false),
            Err(why) => {
                self.findings.push(error::alias(self.source, span, &why));
                self.overflowed = matches!(why, NoValue::TooLarge);
                // A placeholder preserves the structure, so that the rest of the file is checked too.
                let text = Text { value: "".into(), style: Style::Plain };
                self.add_unchecked(Node { kind: Kind::String(text), span }, false);
            }
        }
    }

    /// The node of a scalar, and whether it is a merge key if it is used as a key.
    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        span: Span,
        tag_start: Option<u32>,
    ) -> (Node, bool) {
        let absent = span.start == span.end && style == ScalarStyle::Plain;
        let text = if absent { "" } else { text };
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
            ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
        };
        let mut span = match style {
            Style::Block => self.block_span(span),
            Style::Plain if absent && tag.is_none() => self.absent_span(span),
            Style::Plain | Style::Quoted => span,
        };
        if let Some(start) = tag_start {
            span.start = span.start.min(start);
        }
        let mut string = || Kind::String(Text { value: self.texts.share(text), style });
        let merge = style == Style::Plain && tag.is_none() && text == "<<";
        let kind = match tag.map(Tag::core_suffix) {
            None if style == Style::Plain => match scalar::resolve(text) {
                Scalar::Null => Kind::Null,
                Scalar::Bool(value) => Kind::Bool(value),
                Scalar::Text => string(),
                number => number.as_f64().map_or_else(string, Kind::Number),
            },
            Some(Some(core @ ("null" | "bool" | "int" | "float"))) => match (core, scalar::resolve(text)) {
                ("null", Scalar::Null) => Kind::Null,
                ("bool", Scalar::Bool(value)) => Kind::Bool(value),
                ("int", number @ (Scalar::Int(_) | Scalar::UInt(_)))
                | ("float", number @ (Scalar::Int(_) | Scalar::Float(_))) => {
                    number.as_f64().map_or_else(string, Kind::Number)
                }
                _ => {
                    self.findings.push(error::bad_tag(self.source, span, text, &format!("!!{core}")));
                    string()
                }
            },
            // Quoted text, `!!str`, and tags that the peer ignores.
            _ => string(),
        };
        (Node { kind, span }, merge)
    }

    fn close(&mut self, frame: Frame, end: Span) -> Node {
        let Frame { content, span, layout, last, .. } = frame;
        let span = closed(span, end, layout, last);
        match content {
            // Most collections are small and final: spare capacity would be most of the tree.
            Content::List(items) => Node { span, kind: Kind::List(List { items: items.into(), layout }) },
            Content::Object { mut entries, merges, .. } => {
                self.check_duplicates(&entries);
                let own = entries.len() as u32;
                merges.into_iter().for_each(|value| self.merge(&mut entries, value));
                Node { span, kind: Kind::Object(Object { entries: entries.into(), own, layout }) }
            }
        }
    }

    /// Existing entries win: those beside the merge key, and those earlier in its list.
    fn merge(&mut self, entries: &mut Vec<Entry>, value: Node) {
        match value.kind {
            Kind::Object(object) => {
                let known: std::collections::HashSet<Arc<str>> =
                    entries.iter().map(|entry| entry.key.text.clone()).collect();
                let new: Vec<Entry> =
                    object.entries.into_iter().filter(|entry| !known.contains(&entry.key.text)).collect();
                entries.extend(new);
            }
            Kind::List(list) if list.items.iter().all(|item| item.as_object().is_some()) => {
                list.items.into_iter().for_each(|item| self.merge(entries, item));
            }
            _ => self.findings.push(error::merge_key(self.source, value.span, value.word())),
        }
    }

    fn check_duplicates(&mut self, entries: &[Entry]) {
        // A hash table costs more than a scan for the few keys of most objects.
        const FEW: usize = 12;
        let mut seen = std::collections::HashMap::new();
        for (at, entry) in entries.iter().enumerate() {
            let text = &*entry.key.text;
            let first = if entries.len() <= FEW {
                entries.iter().take(at).find(|earlier| &*earlier.key.text == text).map(|earlier| earlier.key.span)
            } else {
                seen.insert(text, entry.key.span)
            };
            // Refused keys are empty placeholders.
            if let (Some(first), true) = (first, self.findings.is_empty() || !text.is_empty()) {
                self.findings.push(error::duplicate_key(self.source, text, first, entry.key.span));
            }
        }
    }

    fn add(&mut self, node: Node, merge: bool) {
        let waits = self.open.last().map(|frame| &frame.content);
        let as_key = matches!(waits, Some(Content::Object { key: Slot::Empty, .. }));
        if as_key && !self.may_be_key(&node) {
            self.findings.push(error::key_not_text(self.source, node.span, node.word()));
        }
        self.add_unchecked(node, merge);
    }

    fn may_be_key(&self, node: &Node) -> bool {
        match node.kind {
            Kind::String(_) => true,
            Kind::Null | Kind::Bool(_) | Kind::Number(_) => self.keys == Keys::Scalar,
            Kind::List(_) | Kind::Object(_) => false,
        }
    }

    fn add_unchecked(&mut self, node: Node, merge: bool) {
        let Some(frame) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        frame.last = Some(node.span);
        match &mut frame.content {
            Content::List(items) => items.push(node),
            Content::Object { entries, key, merges } => match std::mem::replace(key, Slot::Empty) {
                Slot::Key(key) => entries.push(Entry { key, value: node }),
                Slot::Merge => merges.push(node),
                Slot::Empty if merge => *key = Slot::Merge,
                Slot::Empty => {
                    let text = match node.kind {
                        Kind::String(text) => text.value,
                        Kind::Null => "<nil>".into(),
                        Kind::Bool(value) => value.to_string().into(),
                        Kind::Number(value) => {
                            printed_number(self.source.text.get(node.span.range()).unwrap_or_default(), value)
                        }
                        Kind::List(_) | Kind::Object(_) => "".into(),
                    };
                    *key = Slot::Key(Key { text, span: node.span });
                }
            },
        }
    }

    /// The parser places a missing value before the colon of its key; a value would be after it.
    fn absent_span(&self, span: Span) -> Span {
        let rest = self.source.text.get(span.start as usize..).unwrap_or_default();
        let blanks = rest.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if !rest.get(blanks..).unwrap_or_default().starts_with(':') {
            return span;
        }
        let at = span.start + blanks as u32 + 1;
        Span { start: at, end: at }
    }

    /// The parser reports the lines of a block scalar without its `|` or `>` and with the blank lines after it.
    fn block_span(&self, span: Span) -> Span {
        let text = self.source.text;
        let content = text.get(span.range()).unwrap_or_default().trim_end();
        let between = text.get(self.last_end as usize..span.start as usize).unwrap_or_default();
        let start = block_header(between).map_or(span.start, |at| self.last_end + at as u32);
        let end = if content.is_empty() {
            // No content: the header's line is everything.
            let line = text.get(start as usize..).unwrap_or_default();
            start + line.find(['\n', '\r']).unwrap_or(line.len()) as u32
        } else {
            span.start + content.len() as u32
        };
        Span { start, end: end.max(start) }
    }
}

/// The offset of the `|` or `>` that opens a block scalar, in the text between the token before and the content.
fn block_header(between: &str) -> Option<usize> {
    let mut rest = between;
    loop {
        let at = between.len() - rest.len();
        rest = match rest.chars().next()? {
            '|' | '>' => return Some(at),
            '#' => &rest[rest.find(['\n', '\r']).unwrap_or(rest.len())..],
            // A tag or an anchor may contain any character.
            '!' | '&' => &rest[rest.find(char::is_whitespace).unwrap_or(rest.len())..],
            other => &rest[other.len_utf8()..],
        };
    }
}

/// A number as Go prints it. The text of an alias is not a number, so the value is used.
fn printed_number(text: &str, value: f64) -> Arc<str> {
    match scalar::resolve(text) {
        Scalar::Int(value) => value.to_string().into(),
        Scalar::UInt(value) => value.to_string().into(),
        Scalar::Float(value) => scalar::printed(value).into(),
        Scalar::Null | Scalar::Bool(_) | Scalar::Text => scalar::printed(value).into(),
    }
}

fn layout(style: StructureStyle) -> Layout {
    match style {
        StructureStyle::Block => Layout::Block,
        StructureStyle::Flow => Layout::Flow,
    }
}

/// A block collection ends with its last element; the parser reports its end at the start of the next token.
fn closed(start: Span, end: Span, layout: Layout, last: Option<Span>) -> Span {
    match layout {
        Layout::Flow => start.to(end),
        Layout::Block => Span { start: start.start, end: last.map_or(start.end, |last| last.end).max(start.start) },
    }
}
