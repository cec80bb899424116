//! Reading a stack's file.

use std::collections::BTreeMap;
use std::sync::Arc;

use outrigger_diagnostic::{Diagnostic, Place};
use outrigger_syntax::scalar::{self, Scalar};
use outrigger_syntax::{Document, Keys, Node, Object};

use crate::config::{ConfigKey, Item};

/// A stack's file.
#[derive(Clone, Debug)]
pub struct StackConfig {
    pub(super) document: Document,
    pub(super) project: Arc<str>,
    entries: BTreeMap<ConfigKey, StackEntry>,
    settings: BTreeMap<&'static str, String>,
    environment: Option<Place>,
    warnings: Vec<Diagnostic>,
}

/// A value of the `config` block.
#[derive(Clone, Debug, PartialEq)]
pub struct StackEntry {
    /// The value; a scalar is text here, whatever its form in the file.
    pub item: Item,
    /// The value's place.
    pub place: Place,
    /// The key as written.
    pub(super) written: Arc<str>,
}

/// The keys of the file whose values are text.
const SETTINGS: [&str; 3] = ["secretsprovider", "encryptedkey", "encryptionsalt"];

impl StackConfig {
    /// Parses a stack's file; `None` is a file that does not exist yet.
    /// `file` is its path as the user would write it, `project` the project's name.
    pub fn parse(file: &str, bytes: Option<&[u8]>, project: &str) -> Result<Self, Vec<Diagnostic>> {
        let document = Document::parse_bytes_with(file, bytes.unwrap_or_default(), Keys::Scalar)?;
        let mut stack = Self {
            project: project.into(),
            entries: BTreeMap::new(),
            settings: BTreeMap::new(),
            environment: None,
            warnings: Vec::new(),
            document,
        };
        let document = stack.document.clone();
        let mut findings = Vec::new();
        match &document.root.kind {
            outrigger_syntax::Kind::Null => {}
            outrigger_syntax::Kind::Object(root) => stack.read(&document, root, &mut findings),
            _ => findings.push(
                Diagnostic::error("stack-config-not-object", format!("`{file}` must hold an object"))
                    .at(document.place(document.root.span))
                    .hint("Begin with `config:`."),
            ),
        }
        if findings.is_empty() { Ok(stack) } else { Err(findings) }
    }

    /// The path of the file as the user would write it.
    pub fn file(&self) -> &Arc<str> {
        self.document.file()
    }

    /// The whole text.
    pub fn source(&self) -> &Arc<str> {
        self.document.source()
    }

    /// The values of the `config` block.
    pub fn entries(&self) -> &BTreeMap<ConfigKey, StackEntry> {
        &self.entries
    }

    /// Whether any value is secret.
    pub fn has_secrets(&self) -> bool {
        self.entries.values().any(|entry| entry.item.is_secret())
    }

    /// The secrets provider, such as `passphrase` or the URL of a key service.
    pub fn secrets_provider(&self) -> Option<&str> {
        self.setting("secretsprovider")
    }

    /// The salt of the passphrase.
    pub fn encryption_salt(&self) -> Option<&str> {
        self.setting("encryptionsalt")
    }

    /// The settings by name.
    pub(super) fn settings(&self) -> &BTreeMap<&'static str, String> {
        &self.settings
    }

    /// Warnings about the file.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Refuses a stack that also takes configuration from Pulumi ESC: those values would be missing.
    pub fn check_environment(&self) -> Result<(), Diagnostic> {
        let Some(place) = &self.environment else { return Ok(()) };
        Err(Diagnostic::error("stack-config-environment", "the stack takes configuration from Pulumi ESC environments")
            .detail("Only Pulumi Cloud can open environments.")
            .at(place.clone())
            .hint("Write the values into `config` and remove `environment`, or use `pulumi` for this stack."))
    }

    fn setting(&self, key: &str) -> Option<&str> {
        self.settings.get(key).map(String::as_str).filter(|text| !text.is_empty())
    }

    fn read(&mut self, document: &Document, root: &Object, findings: &mut Vec<Diagnostic>) {
        refuse_other_keys(document, root, findings);
        for key in SETTINGS {
            let Some(node) = root.get(key).filter(|node| !node.is_null()) else { continue };
            match setting(document, node) {
                Some(text) => _ = self.settings.insert(key, text),
                None => findings.push(
                    Diagnostic::error(
                        "stack-config-wrong-kind",
                        format!("`{key}` must be a string, not {}", node.word()),
                    )
                    .at(document.place(node.span))
                    .hint("Restore the value from version control; it cannot be generated again."),
                ),
            }
        }
        if let Some(entry) = root.entry("environment").filter(|entry| !is_empty(&entry.value)) {
            self.environment = Some(document.place(entry.key.span));
        }
        let Some(node) = root.get("config").filter(|node| !node.is_null()) else { return };
        match node.as_object() {
            Some(config) => self.read_config(document, config, findings),
            None => findings.push(
                Diagnostic::error(
                    "stack-config-wrong-kind",
                    format!("`config` must be an object, not {}", node.word()),
                )
                .at(document.place(node.span))
                .hint("Write the values below `config:`, one on each line, as `key: value`."),
            ),
        }
    }

    fn read_config(&mut self, document: &Document, config: &Object, findings: &mut Vec<Diagnostic>) {
        refuse_other_keys(document, config, findings);
        for entry in config {
            let place = document.place(entry.key.span.to(entry.value.span));
            let key = match ConfigKey::parse(&entry.key.text, &self.project) {
                Ok(key) => key,
                Err(problem) => {
                    findings.push(
                        Diagnostic::error("config-key", problem.to_string())
                            .at(document.place(entry.key.span))
                            .hint("Rename the key."),
                    );
                    continue;
                }
            };
            if entry.value.is_null() {
                self.warnings.push(
                    Diagnostic::warning(
                        "config-empty",
                        format!("`{}` has no value and counts as an empty string", entry.key.text),
                    )
                    .at(place.clone())
                    .hint("Write `\"\"` for an empty string."),
                );
            }
            let item = Item::from_node(document, &entry.value);
            if let Some(problem) = not_a_value(&item) {
                findings.push(
                    Diagnostic::error("config-number", format!("`{}` {problem}", entry.key.text))
                        .at(document.place(entry.value.span))
                        .hint("Put the value in quotes."),
                );
            }
            let (item, written) = (item.into_entry(), entry.key.text.clone());
            if let Some(first) = self.entries.insert(key, StackEntry { item, place, written }) {
                findings.push(
                    Diagnostic::error("config-twice", format!("`{}` is given twice", entry.key.text))
                        .detail(format!("`{}` in line {} is the same key.", first.written, first.place.start.line))
                        .at(document.place(entry.key.span))
                        .hint("Keep one of the two.")
                        .note(format!("first given at {}", first.place)),
                );
            }
        }
    }
}

/// Inside a value any scalar can be a key; the names of values must be text.
fn refuse_other_keys(document: &Document, object: &Object, findings: &mut Vec<Diagnostic>) {
    for entry in object {
        if scalar::resolve(document.text(entry.key.span)) != Scalar::Text {
            findings.push(
                Diagnostic::error("stack-config-key", format!("the key `{}` must be a string", entry.key.text))
                    .at(document.place(entry.key.span))
                    .hint("Put the key in quotes."),
            );
        }
    }
}

/// Text; here the peer reads numbers and booleans as the text that they were written with.
fn setting(document: &Document, node: &Node) -> Option<String> {
    match node.kind {
        outrigger_syntax::Kind::Number(_) | outrigger_syntax::Kind::Bool(_) => {
            Some(document.text(node.span).to_owned())
        }
        _ => node.as_str().map(str::to_owned),
    }
}

fn is_empty(node: &Node) -> bool {
    node.is_null() || node.as_list().is_some_and(<[Node]>::is_empty) || node.as_object().is_some_and(Object::is_empty)
}

/// Infinity and not-a-number do not exist in JSON, in which the peer keeps values.
fn not_a_value(item: &Item) -> Option<&'static str> {
    const PROBLEM: &str = "holds a number that is not finite";
    match item {
        Item::Float(value) if !value.is_finite() => Some(PROBLEM),
        Item::List(items) => items.iter().find_map(not_a_value),
        Item::Map(map) => map.values().find_map(not_a_value),
        _ => None,
    }
}
