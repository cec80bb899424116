//! One property: its type, description and deprecation.

use std::io;

use super::json::Members;
use crate::document::prose;
use crate::naming::object_names::{Field, Shape};
use crate::naming::tokens::Tokens;
use crate::naming::{case, inflect};

/// The note before the description of a write-only property.
const WRITE_ONLY: &str =
    "**NOTE:** This field is write-only and its value will not be updated in state as part of read operations.\n";

/// The module of a nested object's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Module {
    /// With the resources.
    Index,
    /// With the configuration variables.
    Config,
}

/// How descriptions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Described {
    /// As the provider wrote them.
    Plainly,
    /// With a line end after each line.
    InLines,
    /// Not at all: Pulumi's bridge describes arguments and results of functions on documentation pages only.
    Not,
}

/// The context in which properties are written.
#[derive(Clone, Copy)]
pub(super) struct PropertyContext<'p> {
    pub(super) tokens: &'p Tokens,
    pub(super) module: Module,
    pub(super) described: Described,
    /// The name for the type of a property's objects, given the name of the type that has the property.
    pub(super) type_name: fn(&str, &Field) -> String,
}

impl Module {
    fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Config => "config",
        }
    }

    /// The token of a type.
    pub(super) fn type_token(self, package: &str, name: &str) -> String {
        format!("{package}:{}/{name}:{name}", self.name())
    }
}

impl<'p> PropertyContext<'p> {
    pub(super) fn new(tokens: &'p Tokens, module: Module, described: Described) -> Self {
        Self { tokens, module, described, type_name }
    }

    /// Writes a property of an object whose type is called `owner`.
    pub(super) fn property(&self, members: &mut Members<'_, '_>, field: &Field, owner: &str) -> io::Result<()> {
        let type_name = field.shape.object().map(|_| (self.type_name)(owner, field)).unwrap_or_default();
        self.typed(members, &field.shape, &type_name)?;
        members.text_if_any("description", &self.description(field))?;
        if let Some(reason) = &field.deprecation {
            members.text("deprecationMessage", &prose::spelled_for_each_language(reason, self.tokens))?;
        }
        members.flag("secret", field.is_secret())
    }

    /// Writes a type. `type_name` is the name of the object type inside it.
    pub(super) fn typed(&self, members: &mut Members<'_, '_>, shape: &Shape, type_name: &str) -> io::Result<()> {
        match shape {
            Shape::String => members.text("type", "string"),
            Shape::Number => members.text("type", "number"),
            Shape::Bool => members.text("type", "boolean"),
            Shape::Any | Shape::Tuple(_) => members.text("$ref", "pulumi.json#/Any"),
            Shape::List(element) | Shape::Set(element) => {
                members.text("type", "array")?;
                members.object("items", |members| self.typed(members, element, type_name))
            }
            Shape::Map(element) => {
                members.text("type", "object")?;
                members.object("additionalProperties", |members| match **element {
                    // Pulumi's bridge describes a map of any values as a map of strings.
                    Shape::Any => members.text("type", "string"),
                    _ => self.typed(members, element, type_name),
                })
            }
            Shape::Object(_) | Shape::One { .. } => {
                let token = self.module.type_token(&self.tokens.package, type_name);
                members.text("$ref", &format!("#/types/{token}"))
            }
        }
    }

    fn description(&self, field: &Field) -> String {
        let text = match self.described {
            Described::Plainly | Described::InLines => prose::rewritten(&field.description, self.tokens),
            Described::Not => String::new(),
        };
        let noted = match (field.write_only, text.is_empty()) {
            (true, true) => return WRITE_ONLY.to_owned(),
            (true, false) => format!("{WRITE_ONLY}{text}"),
            (false, true) => return String::new(),
            (false, false) => text,
        };
        if self.described == Described::InLines { prose::lines(&noted) } else { noted }
    }
}

/// The type of a property's objects is named after the path to it.
fn type_name(owner: &str, field: &Field) -> String {
    let part = if field.shape.is_several() { inflect::singular(&field.name) } else { field.name.to_string() };
    format!("{owner}{}", case::title(&part))
}

/// In the configuration, the path begins with the variable.
pub(super) fn variable_type_name(owner: &str, field: &Field) -> String {
    if owner.is_empty() { field.name.to_string() } else { type_name(owner, field) }
}
