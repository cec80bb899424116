//! Small edits of a file's text. None of them is trusted: the caller parses the result and compares.

use outrigger_syntax::{Document, Entry, Key, Kind, Layout, List, Node, Object};

use super::render::{self, Form, Rendered};
use crate::config::{Item, Step};

/// Produces edited texts of a document.
pub(crate) struct Editor<'a> {
    document: &'a Document,
    text: &'a str,
    /// The style of the file where nothing else decides.
    form: Form,
    newline: &'static str,
}

/// A node and its surroundings.
#[derive(Clone, Copy)]
struct Site<'a> {
    node: &'a Node,
    holder: Holder<'a>,
    form: Form,
}

#[derive(Clone, Copy)]
enum Holder<'a> {
    Root,
    Entry { object: &'a Object, at: usize, key: &'a Key },
    Item { list: &'a List, at: usize },
}

/// The depth of values in the `config` block.
const VALUE_DEPTH: usize = 2;

impl<'a> Editor<'a> {
    pub(crate) fn new(document: &'a Document, form: Form) -> Self {
        let text: &str = document.source();
        Self { document, text, form, newline: if text.contains("\r\n") { "\r\n" } else { "\n" } }
    }

    /// Sets the value at the end of the path. `tree` has the wanted values along it. A new key goes before the others (`first`) or after
    /// them.
    pub(crate) fn set(&self, way: &[Step], tree: &Item, first: bool) -> Option<String> {
        let (site, depth) = self.walk(way);
        let wanted = |depth: usize| tree.get(way.get(..depth)?);
        if depth == way.len() {
            return self.replace(site, wanted(depth)?);
        }
        match (&site.node.kind, way.get(depth)?) {
            (Kind::Object(object), Step::Key(key)) if !self.is_whole(site.node, depth) => {
                self.insert_entry(site, object, key, wanted(depth + 1)?, first)
            }
            (Kind::List(list), Step::Index(index))
                if *index == list.items.len() && !list.items.is_empty() && !self.is_whole(site.node, depth) =>
            {
                self.append_item(site, list, wanted(depth + 1)?)
            }
            _ => self.replace(site, wanted(depth)?),
        }
    }

    /// Removes the value at the end of the path.
    pub(crate) fn remove(&self, way: &[Step]) -> Option<String> {
        let (site, depth) = self.walk(way);
        if depth != way.len() {
            return None;
        }
        match site.holder {
            Holder::Root => None,
            Holder::Entry { object, at, key } => {
                if object.own == 1 {
                    return self.empty(way);
                }
                match site.form {
                    Form::Block => self.remove_lines(
                        key.span.start as usize,
                        object.own_entries().get(at + 1).map(|next| next.key.span.start as usize),
                        site.node.span.end as usize,
                    ),
                    Form::Flow | Form::Json => self.remove_between(
                        key.span.start as usize..site.node.span.end as usize,
                        at.checked_sub(1)
                            .and_then(|at| object.own_entries().get(at))
                            .map(|before| before.value.span.end),
                        object.own_entries().get(at + 1).map(|next| next.key.span.start),
                    ),
                }
            }
            Holder::Item { list, at } => {
                if list.items.len() == 1 {
                    return self.empty(way);
                }
                let next = list.items.get(at + 1);
                match site.form {
                    Form::Block => self.remove_lines(
                        self.dash(site.node)?,
                        match next {
                            Some(next) => Some(self.dash(next)?),
                            None => None,
                        },
                        site.node.span.end as usize,
                    ),
                    Form::Flow | Form::Json => self.remove_between(
                        site.node.span.range(),
                        at.checked_sub(1).and_then(|at| list.items.get(at)).map(|before| before.span.end),
                        next.map(|next| next.span.start),
                    ),
                }
            }
        }
    }

    /// Follows the path as far as there are nodes.
    fn walk(&self, way: &[Step]) -> (Site<'a>, usize) {
        let mut site = Site { node: &self.document.root, holder: Holder::Root, form: self.form };
        for (depth, step) in way.iter().enumerate() {
            if self.is_whole(site.node, depth) {
                return (site, depth);
            }
            let form = |layout: Layout| if layout == Layout::Flow { site.form.max_flow() } else { site.form };
            let next = match (&site.node.kind, step) {
                (Kind::Object(object), Step::Key(key)) => {
                    object.own_entries().iter().position(|entry| *entry.key.text == **key).and_then(|at| {
                        let Entry { key, value } = object.entries.get(at)?;
                        let holder = Holder::Entry { object, at, key };
                        Some(Site { node: value, holder, form: form(object.layout) })
                    })
                }
                (Kind::List(list), Step::Index(at)) => list.items.get(*at).map(|node| Site {
                    node,
                    holder: Holder::Item { list, at: *at },
                    form: form(list.layout),
                }),
                _ => None,
            };
            match next {
                Some(next) => site = next,
                None => return (site, depth),
            }
        }
        (site, way.len())
    }

    /// Whether the node can only be changed as a whole: a secret is written as a map but has no parts, and the parts of an
    /// alias are elsewhere, where others may use them.
    fn is_whole(&self, node: &Node, depth: usize) -> bool {
        self.document.is_alias(node.span)
            || (depth >= VALUE_DEPTH && matches!(Item::from_node(self.document, node), Item::Secure(_)))
    }

    fn replace(&self, site: Site<'a>, item: &Item) -> Option<String> {
        let (start, end) = (site.node.span.start as usize, site.node.span.end as usize);
        if site.form != Form::Block {
            let text = render::inline(item, site.form);
            return match (start == end, site.holder) {
                (false, _) => self.spliced(start, end, &text),
                (true, Holder::Entry { key, .. }) => {
                    let colon = self.colon(key)?;
                    self.spliced(colon, end.max(colon), &format!(" {text}"))
                }
                (true, Holder::Item { .. }) => None,
                (true, Holder::Root) => Some(format!("{}{text}{}", self.text, self.newline)),
            };
        }
        match site.holder {
            Holder::Root => self.replace_root(item),
            Holder::Entry { key, .. } => {
                let indent = self.column(key.span.start as usize) + 2;
                self.replace_after(self.colon(key)?, site.node, item, indent, false)
            }
            Holder::Item { .. } => {
                let dash = self.dash(site.node)?;
                self.replace_after(dash + 1, site.node, item, self.column(dash) + 2, true)
            }
        }
    }

    /// An empty file, or one with only comments.
    fn replace_root(&self, item: &Item) -> Option<String> {
        let Rendered::Lines(lines) = render::value(item, Form::Block, 0, self.newline) else { return None };
        let span = self.document.root.span;
        if span.start != span.end {
            return self.spliced(span.start as usize, span.end as usize, &lines);
        }
        let gap = if self.text.is_empty() || self.text.ends_with('\n') { "" } else { self.newline };
        Some(format!("{}{gap}{lines}{}", self.text, self.newline))
    }

    /// Replaces the value that follows a colon or a dash, which ends at `after`. Comments after the value on its line,
    /// or between the key and a value on later lines, stay.
    fn replace_after(&self, after: usize, node: &Node, item: &Item, indent: usize, in_list: bool) -> Option<String> {
        let (start, end) = (node.span.start as usize, (node.span.end as usize).max(after));
        let (head_end, tail_end) = (self.line_end(after), self.line_end(end));
        let same_line = start <= head_end;
        let rest = if same_line { self.text.get(end..tail_end)? } else { self.text.get(after..head_end)? };
        match render::value(item, Form::Block, indent, self.newline) {
            Rendered::Inline(text) => {
                // Nothing may follow the first line of a block scalar.
                let text = if text.contains('\n') && !rest.trim().is_empty() {
                    render::inline(item, Form::Block)
                } else {
                    text
                };
                match (same_line, start < end) {
                    (true, true) => self.spliced(start, end, &text),
                    (true, false) => self.spliced(after, end, &format!(" {text}")),
                    (false, _) => self.spliced(after, end, &format!(" {text}{rest}")),
                }
            }
            Rendered::Lines(lines) if in_list => {
                if !rest.trim().is_empty() || !same_line {
                    return None;
                }
                self.spliced(after, end, &format!(" {}", lines.trim_start_matches(' ')))
            }
            Rendered::Lines(lines) if same_line => {
                self.spliced(after, tail_end, &format!("{}{}{lines}", rest.trim_end(), self.newline))
            }
            Rendered::Lines(lines) => self.spliced(self.line_start(start), end, &lines),
        }
    }

    fn insert_entry(&self, site: Site<'a>, object: &'a Object, key: &str, item: &Item, first: bool) -> Option<String> {
        let form = if object.layout == Layout::Flow { site.form.max_flow() } else { site.form };
        let (Some(head), Some(last)) = (object.own_entries().first(), object.own_entries().last()) else {
            // `{}` does not show the user's style: use indentation, unless that is impossible.
            let map = Item::Map([(key.to_owned(), item.clone())].into());
            return self.replace(site, &map);
        };
        if form != Form::Block {
            let entry = render::entry(key, item, form, 0, self.newline);
            let entry = match form {
                Form::Flow | Form::Json => entry,
                Form::Block => return None,
            };
            let at = last.value.span.end.max(last.key.span.end) as usize;
            let gap = self.gap_before(last.key.span.start as usize);
            return self.spliced(at, at, &format!(",{gap}{entry}"));
        }
        let indent = self.column(head.key.span.start as usize);
        let entry = render::entry(key, item, Form::Block, indent, self.newline);
        if first {
            let at = head.key.span.start as usize;
            return self.spliced(at, at, &format!("{entry}{}{}", self.newline, " ".repeat(indent)));
        }
        let at = self.line_end((last.value.span.end as usize).max(last.key.span.end as usize));
        self.spliced(at, at, &format!("{}{}{entry}", self.newline, " ".repeat(indent)))
    }

    fn append_item(&self, site: Site<'a>, list: &'a List, item: &Item) -> Option<String> {
        let form = if list.layout == Layout::Flow { site.form.max_flow() } else { site.form };
        let last = list.items.last()?;
        if form != Form::Block {
            let at = last.span.end as usize;
            let gap = self.gap_before(last.span.start as usize);
            return self.spliced(at, at, &format!(",{gap}{}", render::inline(item, form)));
        }
        let indent = self.column(self.dash(last)?);
        let item = render::list_item(item, Form::Block, indent, self.newline);
        let at = self.line_end(last.span.end as usize);
        self.spliced(at, at, &format!("{}{}{item}", self.newline, " ".repeat(indent)))
    }

    /// Leaves an empty map or list if the last part is removed; an empty root leaves nothing.
    fn empty(&self, way: &[Step]) -> Option<String> {
        let (_, parent) = way.split_last()?;
        let (site, _) = self.walk(parent);
        if let (Holder::Root, Kind::Object(object), Form::Block) = (site.holder, &site.node.kind, self.form)
            && object.layout == Layout::Block
        {
            let only = object.own_entries().first()?;
            return self.remove_lines(only.key.span.start as usize, None, only.value.span.end as usize);
        }
        let empty = match site.node.kind {
            Kind::List(_) => Item::List(Vec::new()),
            _ => Item::Map([].into()),
        };
        match site.holder {
            Holder::Root => self.spliced(site.node.span.start as usize, site.node.span.end as usize, "{}"),
            _ => self.replace(site, &empty),
        }
    }

    /// Removes the lines from `start` to `end`; if something else precedes it on its line, up to the next part.
    fn remove_lines(&self, start: usize, next: Option<usize>, end: usize) -> Option<String> {
        let line_start = self.line_start(start);
        if !self.text.get(line_start..start)?.trim().is_empty() {
            return self.spliced(start, next?, "");
        }
        self.spliced(line_start, self.after_line(end), "")
    }

    /// Removes a part of a flow collection with its comma.
    fn remove_between(&self, range: std::ops::Range<usize>, before: Option<u32>, next: Option<u32>) -> Option<String> {
        match (before, next) {
            (_, Some(next)) => self.spliced(range.start, next as usize, ""),
            (Some(before), None) => self.spliced(before as usize, range.end, ""),
            (None, None) => None,
        }
    }

    fn spliced(&self, start: usize, end: usize, new: &str) -> Option<String> {
        let (before, after) = (self.text.get(..start)?, self.text.get(end.max(start)..)?);
        Some([before, new, after].concat())
    }

    /// The byte after the colon of a key.
    fn colon(&self, key: &Key) -> Option<usize> {
        let rest = self.text.get(key.span.end as usize..)?;
        let blank = rest.len() - rest.trim_start().len();
        rest.get(blank..)?.starts_with(':').then_some(key.span.end as usize + blank + 1)
    }

    /// The dash of a list item.
    fn dash(&self, node: &Node) -> Option<usize> {
        let before = self.text.get(..node.span.start as usize)?.trim_end();
        before.ends_with('-').then(|| before.len() - 1)
    }

    /// The separator of the parts of a flow collection: the blanks before one of them.
    fn gap_before(&self, start: usize) -> &'a str {
        let before = self.text.get(..start).unwrap_or_default();
        let gap = before.get(before.trim_end().len()..).unwrap_or_default();
        // The only part of a collection may follow its bracket directly.
        if gap.is_empty() { " " } else { gap }
    }

    fn column(&self, at: usize) -> usize {
        let line = self.text.get(self.line_start(at)..at).unwrap_or_default();
        line.chars().filter(|c| *c != '\u{feff}').count()
    }

    fn line_start(&self, at: usize) -> usize {
        self.text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
    }

    /// The end of the line without its break.
    fn line_end(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        at + line.strip_suffix('\r').unwrap_or(line).len()
    }

    /// The beginning of the next line.
    fn after_line(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        rest.find('\n').map_or(self.text.len(), |end| at + end + 1)
    }
}

impl Form {
    /// The form inside brackets.
    fn max_flow(self) -> Form {
        if self == Form::Block { Form::Flow } else { self }
    }
}
