//! Types in the checker: those of schemas, expanded one level at a time, and those of literals.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::Arc;

use outrigger_schema::{Definition, EnumType, Package, Property, Resource, Type};
use outrigger_value::Value;

/// The type of an expression or of a place.
#[derive(Clone)]
pub(super) enum Ty {
    /// Unknown, or wrong in a way that has been reported: it fits everywhere.
    Unknown,
    Any,
    String,
    Number,
    Integer,
    Boolean,
    Asset,
    Archive,
    List(Arc<Ty>),
    Map(Arc<Ty>),
    Union(Arc<[Ty]>),
    /// An object as written in the file.
    Literal(Arc<[(Arc<str>, Ty)]>),
    /// An object of a schema: an object type, or a named set of properties.
    Object(Arc<Shape>),
    Enum(Arc<EnumType>),
    Resource(Arc<Held>),
    /// Any resource.
    AnyResource,
}

/// Named properties of a schema.
pub(super) struct Shape {
    pub(super) label: String,
    pub(super) package: Arc<Package>,
    pub(super) properties: BTreeMap<String, Property>,
}

/// A resource type; without a schema if it belongs to another package.
pub(super) struct Held {
    pub(super) token: String,
    pub(super) schema: Option<(Arc<Package>, Arc<Resource>)>,
}

impl Ty {
    pub(super) fn list(element: Ty) -> Ty {
        Ty::List(Arc::new(element))
    }

    pub(super) fn map(element: Ty) -> Ty {
        Ty::Map(Arc::new(element))
    }

    /// Expands a schema's type. Types of other packages are not checked: their schemas may not be loaded.
    pub(super) fn of(package: &Arc<Package>, ty: &Type) -> Ty {
        match ty {
            Type::String => Ty::String,
            Type::Number => Ty::Number,
            Type::Integer => Ty::Integer,
            Type::Boolean => Ty::Boolean,
            Type::Any | Type::Json => Ty::Any,
            Type::Asset => Ty::Asset,
            Type::Archive => Ty::Archive,
            Type::List(element) => Ty::list(Ty::of(package, element)),
            Type::Map(element) => Ty::map(Ty::of(package, element)),
            Type::Union(branches) => Ty::Union(branches.iter().map(|branch| Ty::of(package, branch)).collect()),
            Type::Named(reference) if reference.external.is_some() => Ty::Unknown,
            Type::Named(reference) => match package.ty(&reference.token) {
                Ok(Some(definition)) => match &*definition {
                    Definition::Object(object) => Ty::Object(Arc::new(Shape {
                        label: object.token.clone(),
                        package: package.clone(),
                        properties: object.properties.clone(),
                    })),
                    Definition::Enum(values) => Ty::Enum(Arc::new(values.clone())),
                },
                Ok(None) => reference.underlying.as_deref().map_or(Ty::Any, |underlying| Ty::of(package, underlying)),
                Err(_) => Ty::Unknown,
            },
            Type::Resource(reference) => {
                let schema = match reference.external {
                    Some(_) => None,
                    None => package.resource(&reference.token).ok().flatten(),
                };
                let schema = schema.map(|schema| (package.clone(), schema));
                Ty::Resource(Arc::new(Held { token: reference.token.clone(), schema }))
            }
        }
    }

    /// The type of a config value. Lists and secrets are not examined, as in Pulumi.
    pub(super) fn of_value(value: &Value) -> Ty {
        match value {
            Value::String(_) => Ty::String,
            Value::Number(_) => Ty::Number,
            Value::Bool(_) => Ty::Boolean,
            Value::Map(_) => Ty::map(Ty::Any),
            _ => Ty::Unknown,
        }
    }

    /// The type of a config entry declared with this type name.
    pub(super) fn named(name: &str) -> Ty {
        match name.to_ascii_lowercase().as_str() {
            "string" => Ty::String,
            "number" => Ty::Number,
            "int" | "integer" => Ty::Integer,
            "bool" | "boolean" => Ty::Boolean,
            "object" => Ty::map(Ty::Any),
            _ => Ty::Unknown,
        }
    }

    pub(super) fn is_primitive(&self) -> bool {
        matches!(
            self,
            Ty::Any | Ty::String | Ty::Number | Ty::Integer | Ty::Boolean | Ty::Asset | Ty::Archive | Ty::AnyResource
        )
    }
}

/// The form in which Pulumi shows types to users.
impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut beginning = Beginning { out: f, room: LONGEST };
        match self.write(&mut beginning) {
            Err(_) if beginning.room == 0 => f.write_str("…"),
            written => written,
        }
    }
}

/// How much of a type is shown. Variables that name each other twice make types that are larger than any memory.
const LONGEST: usize = 400;

/// Takes a text up to a length, and then refuses.
struct Beginning<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    room: usize,
}

impl fmt::Write for Beginning<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let fitting =
            text.char_indices().map(|(at, letter)| at + letter.len_utf8()).take_while(|end| *end <= self.room);
        let fitting = fitting.last().unwrap_or_default();
        self.out.write_str(text.get(..fitting).unwrap_or_default())?;
        if fitting < text.len() {
            self.room = 0;
            return Err(fmt::Error);
        }
        self.room -= fitting;
        Ok(())
    }
}

impl Ty {
    fn write(&self, f: &mut Beginning<'_, '_>) -> fmt::Result {
        match self {
            Ty::Unknown => f.write_str("unknown"),
            Ty::Any => f.write_str("any"),
            Ty::String => f.write_str("string"),
            Ty::Number => f.write_str("number"),
            Ty::Integer => f.write_str("integer"),
            Ty::Boolean => f.write_str("boolean"),
            Ty::Asset => f.write_str("asset"),
            Ty::Archive => f.write_str("archive"),
            Ty::List(element) => element.within(f, "List"),
            Ty::Map(element) => element.within(f, "Map"),
            Ty::Union(branches) => {
                f.write_str("Union<")?;
                for (number, branch) in branches.iter().enumerate() {
                    f.write_str(if number == 0 { "" } else { ", " })?;
                    branch.write(f)?;
                }
                f.write_str(">")
            }
            Ty::Literal(entries) => {
                f.write_str("{")?;
                for (number, (name, ty)) in entries.iter().enumerate() {
                    write!(f, "{}{name}: ", if number == 0 { "" } else { ", " })?;
                    ty.write(f)?;
                }
                f.write_str("}")
            }
            Ty::Object(shape) => f.write_str(&shape.label),
            Ty::Enum(values) => f.write_str(&values.token),
            Ty::Resource(held) => f.write_str(&held.token),
            Ty::AnyResource => f.write_str("resource"),
        }
    }
    fn within(&self, f: &mut Beginning<'_, '_>, container: &str) -> fmt::Result {
        write!(f, "{container}<")?;
        self.write(f)?;
        f.write_str(">")
    }
}
