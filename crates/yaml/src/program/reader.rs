//! Reads keys, literals and expressions, and collects the errors in them.

use std::sync::Arc;

use outrigger_diagnostic::{Diagnostic, Severity};
use outrigger_syntax::{self as syntax, Document, Key, Node, Object, Span};

use super::{Named, Options, function};
use crate::expression::{Expression, Kind, Literal};
use crate::interpolation;
use crate::suggestion;

/// The state of reading one file.
pub(super) struct Reader<'a> {
    pub(super) document: &'a Document,
    pub(super) findings: Vec<Diagnostic>,
    pub(super) invokes: usize,
    /// The options of every resource that declares none.
    pub(super) no_options: Arc<Options>,
}

pub(super) fn literal_of(key: &Key) -> Literal {
    Literal { text: Arc::clone(&key.text), span: key.span }
}

impl<'a> Reader<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        Self { document, findings: Vec::new(), invokes: 0, no_options: Arc::default() }
    }

    pub(super) fn error(
        &mut self,
        span: Span,
        code: &'static str,
        summary: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.findings.push(Diagnostic::error(code, summary).at(self.document.place(span)).hint(hint));
    }

    pub(super) fn warning(&mut self, span: Span, code: &'static str, summary: impl Into<String>) {
        self.findings.push(Diagnostic::warning(code, summary).at(self.document.place(span)));
    }

    /// The known key that matches, ignoring case as Pulumi does. A difference in case is reported.
    pub(super) fn known(&mut self, key: &Key, known: &[&'static str]) -> Option<&'static str> {
        let name = known.iter().find(|name| name.eq_ignore_ascii_case(&key.text))?;
        if **name != *key.text {
            let summary = format!("`{}` looks like a miscapitalization of `{name}`", key.text);
            self.warning(key.span, "yaml-capitalization", summary);
        }
        Some(name)
    }

    pub(super) fn unknown_key(&mut self, key: &Key, parent: &str, known: &[&str]) {
        self.stray_key(key, parent, known, Severity::Error);
    }

    /// Reports a key that has no effect. Where Pulumi warns and continues, so do we.
    pub(super) fn stray_key(&mut self, key: &Key, parent: &str, known: &[&str], severity: Severity) {
        let mut diagnostic = Diagnostic::error("yaml-unknown-key", format!("{} does not exist on {parent}", key.text))
            .at(self.document.place(key.span));
        diagnostic.severity = severity;
        self.findings.push(suggestion::suggest(diagnostic, &key.text, known.iter().copied(), "keys"));
    }

    pub(super) fn object<'n>(&mut self, name: &str, node: &'n Node) -> Option<&'n Object> {
        let object = node.as_object();
        if object.is_none() {
            self.wrong_kind(name, "an object", node);
        }
        object
    }

    pub(super) fn wrong_kind(&mut self, name: &str, wanted: &str, node: &Node) {
        let diagnostic = Diagnostic::error("yaml-wrong-kind", format!("{name} must be {wanted}"))
            .detail(format!("this is {}", node.word()))
            .at(self.document.place(node.span))
            .hint(format!("Write {wanted} here, or remove the key."));
        self.findings.push(diagnostic);
    }

    /// Text that must be literal: `$$` is a dollar sign, as everywhere, and a `${…}` is refused.
    pub(super) fn literal(&mut self, name: &str, node: &Node) -> Option<Literal> {
        let syntax::Kind::String(syntax::Text { value: text, .. }) = &node.kind else {
            self.wrong_kind(name, "a string", node);
            return None;
        };
        if !text.contains('$') {
            return Some(Literal { text: Arc::clone(text), span: node.span });
        }
        let parts = interpolation::parse(text).ok().filter(|parts| parts.iter().all(|part| part.access.is_none()));
        let Some(parts) = parts else {
            self.error(
                node.span,
                "yaml-not-a-literal",
                format!("{name} must be a literal string, not an expression"),
                "Write the value itself here; `$${…}` stands for the literal `${…}`.",
            );
            return None;
        };
        let text: String = parts.into_iter().map(|part| part.text).collect();
        Some(Literal { text: text.into(), span: node.span })
    }

    pub(super) fn boolean(&mut self, name: &str, node: &Node) -> Option<bool> {
        let value = node.as_bool();
        if value.is_none() {
            self.wrong_kind(name, "a boolean value", node);
        }
        value
    }

    pub(super) fn literals(&mut self, name: &str, node: &Node) -> Vec<Literal> {
        let Some(items) = node.as_list() else {
            self.wrong_kind(name, "a list of strings", node);
            return Vec::new();
        };
        items.iter().filter_map(|item| self.literal(&format!("an element of {name}"), item)).collect()
    }

    pub(super) fn named(&mut self, section: &str, node: &Node) -> Vec<Named> {
        let Some(object) = self.object(section, node) else { return Vec::new() };
        object
            .iter()
            .map(|entry| Named { name: literal_of(&entry.key), value: self.expression(&entry.value) })
            .collect()
    }

    pub(super) fn expression(&mut self, node: &Node) -> Expression {
        let kind = match &node.kind {
            syntax::Kind::Null => Kind::Null,
            syntax::Kind::Bool(value) => Kind::Bool(*value),
            syntax::Kind::Number(value) => Kind::Number(*value),
            syntax::Kind::String(text) => self.text(&text.value, node.span),
            syntax::Kind::List(list) => Kind::List(list.items.iter().map(|item| self.expression(item)).collect()),
            syntax::Kind::Object(object) => match function::read(self, object, node.span) {
                Some(kind) => kind,
                None => Kind::Object(
                    object.iter().map(|entry| (self.key(&entry.key), self.expression(&entry.value))).collect(),
                ),
            },
        };
        Expression { kind, span: node.span }
    }

    fn key(&mut self, key: &Key) -> Expression {
        Expression { kind: self.text(&key.text, key.span), span: key.span }
    }

    fn text(&mut self, text: &Arc<str>, span: Span) -> Kind {
        if !text.contains('$') {
            return Kind::String(Arc::clone(text));
        }
        match interpolation::parse(text) {
            Ok(mut parts) => match parts.as_mut_slice() {
                [] => Kind::String(Arc::default()),
                [only] if only.access.is_none() => Kind::String(std::mem::take(&mut only.text).into()),
                [only] if only.text.is_empty() => match only.access.take() {
                    Some(access) => Kind::Symbol(Box::new(access)),
                    None => Kind::Null,
                },
                _ => Kind::Text(parts),
            },
            Err(reason) => {
                let hint = "Write `${name.property}`, or `$$` for a dollar sign before a brace.";
                self.error(span, "yaml-interpolation", reason, hint);
                Kind::Null
            }
        }
    }
}
