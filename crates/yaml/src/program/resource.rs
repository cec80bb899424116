//! A resource as declared in the file.

use std::sync::Arc;

use outrigger_diagnostic::Severity;
use outrigger_syntax::{Entry, Node, Span};

use super::options::{self, Options};
use super::reader::{Reader, literal_of};
use crate::expression::{Expression, Literal};

/// A declared resource.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The name by which the program refers to it.
    pub key: Literal,
    /// The type as written.
    pub ty: Literal,
    /// The logical name, if different.
    pub name: Option<Box<Literal>>,
    /// Whether it is the provider of every resource of its package that names none.
    pub default_provider: bool,
    /// Its inputs.
    pub properties: Properties,
    /// Whether there is a `properties` key.
    pub has_properties: bool,
    /// The lookup of an existing resource that is read and not managed.
    pub get: Option<Box<Get>>,
    /// Its options. Resources without options share one value.
    pub options: Arc<Options>,
    /// Unknown keys of the resource.
    pub unknown: Vec<Literal>,
}

/// The inputs of a resource.
#[derive(Clone, Debug)]
pub enum Properties {
    /// By name.
    Map(Vec<Property>),
    /// One expression for all of them.
    Whole(Box<Expression>),
}

/// A property.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: Literal,
    /// Its value.
    pub value: Expression,
}

/// The lookup of an existing resource.
#[derive(Clone, Debug)]
pub struct Get {
    /// Its place.
    pub span: Span,
    /// The provider's id.
    pub id: Option<Expression>,
    /// The known part of its state.
    pub state: Vec<Property>,
}

pub(crate) const KEYS: [&str; 6] = ["type", "name", "defaultProvider", "properties", "options", "get"];
const UNUSED: [&str; 2] = ["condition", "metadata"];

impl Resource {
    /// The name in the resource's URN.
    pub fn logical_name(&self) -> &str {
        self.name.as_ref().map(|name| &*name.text).filter(|name| !name.is_empty()).unwrap_or(&self.key.text)
    }

    /// Every expression of the resource, in Pulumi's order of evaluation.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let (map, whole) = match &self.properties {
            Properties::Map(map) => (map.as_slice(), None),
            Properties::Whole(expression) => (&[][..], Some(&**expression)),
        };
        let get = self.get.iter().flat_map(|get| get.id.iter().chain(get.state.iter().map(|property| &property.value)));
        map.iter().map(|property| &property.value).chain(whole).chain(self.options.expressions()).chain(get)
    }
}

/// Reads a resource. One whose type cannot be read has been reported and stays with an empty type, so that references
/// to it are not reported too.
pub(super) fn read(reader: &mut Reader<'_>, entry: &Entry) -> Resource {
    let mut has_type = false;
    let mut resource = Resource {
        key: literal_of(&entry.key),
        ty: Literal { text: Arc::default(), span: entry.key.span },
        name: None,
        default_provider: false,
        properties: Properties::Map(Vec::new()),
        has_properties: false,
        get: None,
        options: Arc::clone(&reader.no_options),
        unknown: Vec::new(),
    };
    let Some(object) = reader.object(&format!("resources.{}", entry.key.text), &entry.value) else { return resource };
    for field in object {
        let value = &field.value;
        match reader.known(&field.key, &KEYS) {
            Some("type") => {
                has_type = true;
                if let Some(ty) = reader.literal("type", value) {
                    resource.ty = ty;
                    has_type = !resource.ty.text.is_empty();
                }
            }
            Some("name") => resource.name = reader.literal("name", value).map(Box::new),
            Some("defaultProvider") => {
                resource.default_provider = reader.boolean("defaultProvider", value).unwrap_or_default();
            }
            Some("properties") => {
                resource.has_properties = true;
                resource.properties = properties(reader, value);
            }
            Some("options") => resource.options = Arc::new(options::read(reader, value)),
            Some("get") => resource.get = get(reader, value).map(Box::new),
            _ => match reader.known(&field.key, &UNUSED) {
                Some(name) => {
                    let summary = format!("`{name}` has no effect on a resource");
                    reader.warning(field.key.span, "yaml-no-effect", summary);
                }
                None => resource.unknown.push(literal_of(&field.key)),
            },
        }
    }
    if !has_type {
        reader.error(
            entry.key.span,
            "yaml-missing-type",
            format!("Required field 'type' is missing on resource \"{}\"", entry.key.text),
            "Add `type: package:module:Type`.",
        );
    }
    resource
}

fn properties(reader: &mut Reader<'_>, node: &Node) -> Properties {
    match node.as_object() {
        Some(_) => Properties::Map(property_map(reader, "properties", node)),
        None if node.as_str().is_some_and(|text| text.contains("${")) => {
            Properties::Whole(Box::new(reader.expression(node)))
        }
        None => {
            reader.wrong_kind("properties", "an object", node);
            Properties::Map(Vec::new())
        }
    }
}

fn property_map(reader: &mut Reader<'_>, name: &str, node: &Node) -> Vec<Property> {
    let Some(object) = reader.object(name, node) else { return Vec::new() };
    object
        .iter()
        .map(|entry| Property { name: literal_of(&entry.key), value: reader.expression(&entry.value) })
        .collect()
}

fn get(reader: &mut Reader<'_>, node: &Node) -> Option<Get> {
    let object = reader.object("get", node)?;
    let mut get = Get { span: node.span, id: None, state: Vec::new() };
    for field in object {
        match reader.known(&field.key, &["id", "state"]) {
            Some("id") => get.id = Some(reader.expression(&field.value)),
            Some(_) => get.state = property_map(reader, "state", &field.value),
            None => reader.stray_key(&field.key, "get", &["id", "state"], Severity::Warning),
        }
    }
    if get.id.is_none() {
        // Pulumi would create a resource without inputs here.
        reader.error(
            node.span,
            "yaml-get-without-id",
            "get needs an id",
            "Add `id:`, the provider's id of the resource.",
        );
    }
    Some(get)
}
