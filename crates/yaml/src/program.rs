//! The program part of a project file: resources, variables, outputs, and the options of each.
//!
//! Parsing needs no schema and no plugin. It reports every error that it finds; names and types are checked in
//! `check`.

mod function;
mod options;
mod packages;
mod reader;
mod resource;

use outrigger_diagnostic::{Diagnostic, Severity};
use outrigger_syntax::{Document, Key, Span};
use outrigger_value::nearest::closest;

use crate::expression::{Expression, Invoke, Literal};
use reader::Reader;

pub(crate) use options::KEYS as OPTION_KEYS;
pub use options::{Options, Timeouts};
pub(crate) use packages::package_name;
pub(crate) use resource::KEYS as RESOURCE_KEYS;
pub use resource::{Get, Properties, Property, Resource};

/// A parsed program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The project's name, if the program's file has it.
    pub name: Option<String>,
    /// Config entries that the program's file declares.
    pub config: Vec<ConfigEntry>,
    /// Resources in the order of the file.
    pub resources: Vec<Resource>,
    /// Variables in the order of the file.
    pub variables: Vec<Named>,
    /// Outputs in the order of the file.
    pub outputs: Vec<Named>,
    /// `pulumi.requiredVersion`.
    pub required_version: Option<Expression>,
    /// How many calls to package functions there are.
    pub invokes: usize,
}

/// A name and its expression.
#[derive(Clone, Debug)]
pub struct Named {
    /// The name.
    pub name: Literal,
    /// The expression.
    pub value: Expression,
}

/// A config entry declared in the program's file.
#[derive(Clone, Debug)]
pub struct ConfigEntry {
    /// The key as written.
    pub key: Literal,
    /// The type's name.
    pub ty: Option<Literal>,
    /// The key of the stack's value, if different.
    pub name: Option<Literal>,
    /// The value if the stack has none.
    pub default: Option<Expression>,
    /// Whether the value is secret.
    pub secret: Option<(bool, Span)>,
}

impl Program {
    /// Every function call, at any depth.
    pub(crate) fn invokes(&self) -> Vec<(&Invoke, Span)> {
        let mut found = Vec::new();
        let resources = self.resources.iter().flat_map(|resource| resource.expressions());
        let named = self.variables.iter().chain(&self.outputs).map(|named| &named.value);
        let others = self.config.iter().filter_map(|entry| entry.default.as_ref()).chain(&self.required_version);
        let all = resources.chain(named).chain(others);
        all.for_each(|expression| expression.invokes(&mut |invoke, span| found.push((invoke, span))));
        found
    }

    /// Parses a program from the syntax tree of its file. The program is usable if no finding is an error.
    pub fn parse(document: &Document) -> (Self, Vec<Diagnostic>) {
        let mut reader = Reader::new(document);
        let mut program = Self::default();
        match document.root.as_object() {
            Some(_) => program.read(&mut reader),
            None => reader.error(
                document.root.span,
                "yaml-not-an-object",
                format!("a program must be an object, not {}", document.root.word()),
                "Begin the file with `name:` and `runtime: yaml`.",
            ),
        }
        if let Some(span) = document.second {
            reader.warning(
                span,
                "yaml-documents",
                "only the first YAML document of the file is read, and another one begins here",
            );
        }
        program.invokes = reader.invokes;
        (program, reader.findings)
    }

    fn read(&mut self, reader: &mut Reader<'_>) {
        let Some(root) = reader.document.root.as_object() else { return };
        for entry in root {
            let (key, value) = (&entry.key, &entry.value);
            match reader.known(key, &SECTIONS) {
                Some("name") => self.name = value.as_str().map(str::to_owned),
                Some("config") => self.read_config(reader, "config", value),
                Some("configuration") => {
                    reader.warning(
                        key.span,
                        "yaml-legacy-configuration",
                        "`configuration` is an old name for `config`",
                    );
                    self.read_config(reader, "configuration", value);
                }
                Some("variables") => self.variables = reader.named("variables", value),
                Some("outputs") => self.outputs = reader.named("outputs", value),
                Some("resources") => {
                    let Some(object) = reader.object("resources", value) else { continue };
                    self.resources = object.iter().map(|entry| resource::read(reader, entry)).collect();
                }
                Some("pulumi") => {
                    let Some(object) = reader.object("pulumi", value) else { continue };
                    for entry in object {
                        match reader.known(&entry.key, &["requiredVersion"]) {
                            Some(_) => self.required_version = Some(reader.expression(&entry.value)),
                            None => {
                                reader.stray_key(&entry.key, "pulumi", &["requiredVersion"], Severity::Warning);
                            }
                        }
                    }
                }
                Some("components") if value.as_object().is_none_or(|object| !object.is_empty()) => reader.error(
                    key.span,
                    "yaml-components",
                    "components are only supported in plugins, not in programs",
                    "Move the components to a component plugin with a PulumiPlugin.yaml.",
                ),
                Some("namespace") => reader.error(
                    key.span,
                    "yaml-namespace",
                    "`namespace` is only supported in component plugins",
                    "Remove the key.",
                ),
                // Every other key belongs to the project file or is unknown.
                _ => top_level(reader, key),
            }
        }
    }

    fn read_config(&mut self, reader: &mut Reader<'_>, section: &str, value: &outrigger_syntax::Node) {
        // A text is the old form of `stackConfigDir`, and null is nothing: the project file's reader checks both.
        if value.is_null() || value.as_str().is_some() {
            return;
        }
        let Some(object) = reader.object(section, value) else { return };
        for entry in object {
            let key = reader::literal_of(&entry.key);
            if self.config.iter().any(|known| known.key.text == key.text) {
                continue;
            }
            let mut declared = ConfigEntry { key, ty: None, name: None, default: None, secret: None };
            if let Some(fields) = entry.value.as_object() {
                for field in fields {
                    match reader.known(&field.key, &CONFIG_FIELDS) {
                        Some("type") => declared.ty = reader.literal("type", &field.value),
                        Some("name") => declared.name = reader.literal("name", &field.value),
                        Some("default") => declared.default = Some(reader.expression(&field.value)),
                        Some("secret") => {
                            declared.secret =
                                reader.boolean("secret", &field.value).map(|value| (value, field.value.span));
                        }
                        Some(_) => {}
                        None => reader.stray_key(&field.key, "config", &CONFIG_FIELDS, Severity::Warning),
                    }
                }
            } else {
                declared.default = Some(reader.expression(&entry.value));
            }
            self.config.push(declared);
        }
    }
}

const SECTIONS: [&str; 9] =
    ["name", "config", "configuration", "variables", "outputs", "resources", "pulumi", "components", "namespace"];

/// The keys of the project file besides the program's.
const PROJECT: [&str; 14] = [
    "runtime",
    "description",
    "main",
    "stackConfigDir",
    "template",
    "backend",
    "options",
    "packages",
    "plugins",
    "sdks",
    "requiredPulumiVersion",
    "author",
    "website",
    "license",
];

/// Refuses an unknown key that nearly matches a known one. The peer ignores it, but under a misspelt `resources` every resource would be
/// missing from the program, and `up` would delete them.
fn top_level(reader: &mut Reader<'_>, key: &Key) {
    let known = || SECTIONS.into_iter().chain(PROJECT);
    if known().any(|known| known.eq_ignore_ascii_case(&key.text)) {
        return;
    }
    if let Some(near) = closest(&key.text, known()) {
        let summary = format!("a project has no key `{}`", key.text);
        reader.error(key.span, "yaml-unknown-key", summary, format!("Did you mean `{near}`?"));
    }
}

const CONFIG_FIELDS: [&str; 7] = ["type", "name", "default", "secret", "value", "items", "description"];
