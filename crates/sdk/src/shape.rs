//! The types of a plugin at run time. The derive macros make these; checking, comparing, predicting and the
//! schema all read them, so that none of that is generated for each type again.

use outrigger_value::{Value, nearest};

use crate::{Mismatch, Property};

/// The type of a property. A type with a name is reached through a function, so that it may contain itself.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A string.
    String,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// A boolean.
    Boolean,
    /// Anything.
    Any,
    /// A file or string.
    Asset,
    /// A set of assets.
    Archive,
    /// A list.
    List(Box<Shape>),
    /// A map with strings as keys.
    Map(Box<Shape>),
    /// An object.
    Object(fn() -> &'static ObjectShape),
    /// A string with a few possible values.
    Enum(fn() -> &'static EnumShape),
}

/// An object and its properties.
#[derive(Debug)]
pub struct ObjectShape {
    /// The name of the Rust type.
    pub name: &'static str,
    /// Its token in the schema; by default `PACKAGE:index:NAME`.
    pub token: Option<&'static str>,
    /// Its doc comment.
    pub description: &'static str,
    /// The replacement of something deprecated.
    pub deprecated: Option<&'static str>,
    /// Its properties, in the order of the fields.
    pub properties: Vec<PropertyShape>,
}

impl ObjectShape {
    /// The property of a name.
    pub fn property(&self, name: &str) -> Option<&PropertyShape> {
        self.properties.iter().find(|property| property.name == name)
    }
}

/// One property of an object.
#[derive(Debug)]
pub struct PropertyShape {
    /// Its name in the schema.
    pub name: &'static str,
    /// Its doc comment.
    pub description: &'static str,
    /// Its type.
    pub shape: Shape,
    /// Whether it must have a value.
    pub required: bool,
    /// Whether its value is secret.
    pub secret: bool,
    /// Whether a change replaces the resource.
    pub replace: bool,
    /// Whether an update does not change it.
    pub stable: bool,
    /// Whether a resource without a name in the program gets one here.
    pub autoname: bool,
    /// Its value when none is given.
    pub default: Option<Value>,
    /// Environment variables that are looked at, in this order, before the default.
    pub environment: Vec<&'static str>,
    /// The replacement of something deprecated.
    pub deprecated: Option<&'static str>,
}

impl PropertyShape {
    /// A property of a Rust type.
    pub fn of<T: Property>(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            description,
            shape: T::shape(),
            required: !T::OPTIONAL,
            secret: T::SECRET,
            replace: false,
            stable: false,
            autoname: false,
            default: None,
            environment: Vec::new(),
            deprecated: None,
        }
    }

    /// Its value is secret.
    #[must_use]
    pub fn secret(self) -> Self {
        Self { secret: true, ..self }
    }

    /// A change replaces the resource.
    #[must_use]
    pub fn replace(self) -> Self {
        Self { replace: true, ..self }
    }

    /// An update does not change it.
    #[must_use]
    pub fn stable(self) -> Self {
        Self { stable: true, ..self }
    }

    /// A resource without a name in the program gets one here. The property stays required: the user may have disabled autonaming.
    #[must_use]
    pub fn autoname(self) -> Self {
        Self { autoname: true, ..self }
    }

    /// Its value when none is given.
    #[must_use]
    pub fn default<T: Property>(self, value: T) -> Self {
        Self { default: Some(value.encode()), required: false, ..self }
    }

    /// An environment variable with the value if none is given. The property stays required: the variable may be missing.
    #[must_use]
    pub fn environment(mut self, variable: &'static str) -> Self {
        self.environment.push(variable);
        self
    }

    /// It is deprecated; something else should be used.
    #[must_use]
    pub fn deprecated(self, instead: &'static str) -> Self {
        Self { deprecated: Some(instead), ..self }
    }
}

/// A string with a few possible values.
#[derive(Debug)]
pub struct EnumShape {
    /// The name of the Rust type.
    pub name: &'static str,
    /// Its token in the schema; by default `PACKAGE:index:NAME`.
    pub token: Option<&'static str>,
    /// Its doc comment.
    pub description: &'static str,
    /// The values.
    pub values: Vec<EnumValue>,
}

/// A value of an enumeration.
#[derive(Debug)]
pub struct EnumValue {
    /// The variant's name.
    pub name: &'static str,
    /// The value.
    pub value: &'static str,
    /// Its doc comment.
    pub description: &'static str,
    /// The replacement of something deprecated.
    pub deprecated: Option<&'static str>,
}

impl EnumShape {
    /// Whether the string is one of the values.
    pub fn contains(&self, text: &str) -> bool {
        self.values.iter().any(|value| value.value == text)
    }

    /// The mismatch for another string, which lists the values.
    pub fn refuse(&self, text: &str) -> Mismatch {
        let values = self.values.iter().map(|value| value.value);
        let all = values.clone().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
        Mismatch::new(match nearest::closest(text, values) {
            Some(near) => format!("expected one of {all}, got `{text}`; did you mean `{near}`?"),
            None => format!("expected one of {all}, got `{text}`"),
        })
    }
}
