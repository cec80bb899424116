//! The nodes of the tree.

use std::sync::Arc;

/// A range of bytes in the source. `end` is exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

/// A value and its source bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The kind of value.
    pub kind: Kind,
    /// Its place. An empty value (`key:`) has an empty span after the colon or dash; the value of an alias has the span
    /// of the alias, and its parts those where they were written.
    pub span: Span,
}

/// The kind of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `null`, `~`, or an empty value.
    Null,
    /// True or false.
    Bool(bool),
    /// A number. The peer keeps all of them as doubles; the exact text is [`Document::text`](crate::Document::text).
    Number(f64),
    /// Text.
    String(Text),
    /// A list.
    List(List),
    /// An object.
    Object(Object),
}

/// Text and how it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The text, with escapes and folding resolved.
    pub value: Arc<str>,
    /// How it was written.
    pub style: Style,
}

/// How a scalar was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// With `'` or `"`.
    Quoted,
    /// As a block after `|` or `>`.
    Block,
}

/// How a collection was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// By indentation.
    Block,
    /// With `[ ]` or `{ }`.
    Flow,
}

/// A list.
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    /// Its elements.
    pub items: Box<[Node]>,
    /// How it was written.
    pub layout: Layout,
}

/// An object. Its keys are text and all different.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Its entries: first its own, in the order of the file, then those from merge keys.
    pub entries: Box<[Entry]>,
    /// How many of the entries are its own. A file has fewer bytes than this can count.
    pub own: u32,
    /// How it was written.
    pub layout: Layout,
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: Key,
    /// The value.
    pub value: Node,
}

/// A key and its source bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The text, without quotes.
    pub text: Arc<str>,
    /// Its place.
    pub span: Span,
}

impl Span {
    /// The range for slicing.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The span from the beginning of this one to the end of the other.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end }
    }
}

impl Node {
    /// The text, if this is text.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(&text.value),
            _ => None,
        }
    }

    /// The boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.kind {
            Kind::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The number, if this is one.
    pub fn as_number(&self) -> Option<f64> {
        match self.kind {
            Kind::Number(value) => Some(value),
            _ => None,
        }
    }

    /// The elements, if this is a list.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::List(list) => Some(&list.items),
            _ => None,
        }
    }

    /// The object, if this is one.
    pub fn as_object(&self) -> Option<&Object> {
        match &self.kind {
            Kind::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        self.kind == Kind::Null
    }

    /// The kind of value, for messages.
    pub fn word(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number(_) => "a number",
            Kind::String(_) => "a string",
            Kind::List(_) => "a list",
            Kind::Object(_) => "an object",
        }
    }
}

impl Object {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| &*entry.key.text == key)
    }

    /// Its own entries, without those from merge keys.
    pub fn own_entries(&self) -> &[Entry] {
        self.entries.get(..self.own as usize).unwrap_or(&self.entries)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries in the order of the file.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = &'a Entry;
    type IntoIter = std::slice::Iter<'a, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}
