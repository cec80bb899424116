//! Reads typed values from a syntax tree and collects the errors.

use outrigger_diagnostic::Diagnostic;
use outrigger_syntax::{Document, Node, Object, Span};
use outrigger_value::nearest::closest;

/// The document being read and the findings so far.
pub(super) struct Reader<'a> {
    document: &'a Document,
    findings: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        Self { document, findings: Vec::new() }
    }

    pub(super) fn document(&self) -> &'a Document {
        self.document
    }

    pub(super) fn finish(self) -> Vec<Diagnostic> {
        self.findings
    }

    pub(super) fn root(&mut self) -> Option<&'a Object> {
        let root = &self.document.root;
        if root.as_object().is_none() {
            let summary = format!("`{}` must hold an object", self.document.file());
            self.fail("project-not-object", &summary, root.span, "Begin with `name:` and `runtime:`.");
        }
        root.as_object()
    }

    pub(super) fn fail(&mut self, code: &'static str, summary: &str, span: Span, hint: &str) {
        let found = Diagnostic::error(code, summary).at(self.document.place(span));
        self.findings.push(found.hint(hint));
    }

    pub(super) fn wrong_kind(&mut self, key: &str, node: &Node, wanted: &str) {
        let summary = format!("`{key}` must be {wanted}, not {}", node.word());
        let hint = match wanted {
            "a string" => "Put the value in quotes.".to_owned(),
            _ => format!("Write {wanted} here, or remove `{key}`."),
        };
        self.fail("project-wrong-kind", &summary, node.span, &hint);
    }

    /// Text; a missing value is no error, null is.
    pub(super) fn string(&mut self, object: &'a Object, key: &str) -> Option<(String, Span)> {
        let node = object.get(key)?;
        match node.as_str() {
            Some(text) => Some((text.to_owned(), node.span)),
            None => {
                self.wrong_kind(key, node, "a string");
                None
            }
        }
    }

    /// Text; neither a missing value nor null is an error.
    pub(super) fn optional_string(&mut self, object: &'a Object, key: &str) -> Option<(String, Span)> {
        if object.get(key).is_some_and(Node::is_null) { None } else { self.string(object, key) }
    }

    /// An object; neither a missing value nor null is an error.
    pub(super) fn optional_object(&mut self, object: &'a Object, key: &str) -> Option<&'a Object> {
        let node = object.get(key).filter(|node| !node.is_null())?;
        if node.as_object().is_none() {
            self.wrong_kind(key, node, "an object");
        }
        node.as_object()
    }

    /// Refuses unknown keys.
    pub(super) fn only_keys(&mut self, object: &Object, owner: &str, known: &[&'static str]) {
        for entry in object {
            if known.contains(&&*entry.key.text) {
                continue;
            }
            let summary = format!("`{owner}` cannot have `{}`", entry.key.text);
            let hint = match closest(&entry.key.text, known.iter().copied()) {
                Some(near) => format!("Did you mean `{near}`?"),
                None => format!("It can have {}.", listed(known)),
            };
            self.fail("project-unknown-key", &summary, entry.key.span, &hint);
        }
    }
}

fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => "no keys".to_owned(),
        [only] => format!("only {only}"),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
