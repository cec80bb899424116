//! The parts of a schema, once it is decoded.

use std::collections::BTreeMap;

use outrigger_value::Value;

/// The type of a property, an element or a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A string.
    String,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// True or false.
    Boolean,
    /// Anything.
    Any,
    /// Anything, as a JSON string on the wire.
    Json,
    /// A file or string.
    Asset,
    /// A set of assets.
    Archive,
    /// A list.
    List(Box<Type>),
    /// A map with string keys.
    Map(Box<Type>),
    /// One of several types.
    Union(Vec<Type>),
    /// An object or an enumeration by its token; [`crate::Package::ty`] has it.
    Named(Reference),
    /// A resource by its token.
    Resource(Reference),
}

/// A type that is defined elsewhere in the schema or in another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The token.
    pub token: String,
    /// The package that defines it, if it is another one.
    pub external: Option<External>,
    /// The type to use when the token has no definition.
    pub underlying: Option<Box<Type>>,
}

/// Another package, as a schema refers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// Its name.
    pub package: String,
    /// Its version, without a leading `v`; empty if none is given.
    pub version: String,
}

/// A property of a resource, of a function's arguments or result, or of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Its type.
    pub ty: Type,
    /// Whether it must be given.
    pub required: bool,
    /// Whether its value is secret.
    pub secret: bool,
    /// Whether a change forces a replacement.
    pub replace_on_changes: bool,
    /// Whether the schema announces that a change forces a replacement.
    pub will_replace_on_changes: bool,
    /// Whether it may not be an output.
    pub plain: bool,
    /// The only value that it can have.
    pub constant: Option<Value>,
    /// The value that it has when none is given. Recorded; the YAML language does not apply it.
    pub default: Option<Value>,
    /// Why it should no longer be used.
    pub deprecated: Option<String>,
}

/// A resource type, or a package's provider.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resource {
    /// Its full token.
    pub token: String,
    /// The inputs, by name.
    pub inputs: BTreeMap<String, Property>,
    /// The outputs, by name.
    pub properties: BTreeMap<String, Property>,
    /// The properties that may be given when it is looked up by id, if the schema lists them.
    pub state_inputs: Option<BTreeMap<String, Property>>,
    /// Types that it had before.
    pub aliases: Vec<String>,
    /// Whether it is a component.
    pub is_component: bool,
    /// Why it should no longer be used.
    pub deprecated: Option<String>,
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its full token.
    pub token: String,
    /// Its arguments, by name.
    pub inputs: BTreeMap<String, Property>,
    /// The order of the arguments, for languages that pass them one by one.
    pub multi_argument_inputs: Vec<String>,
    /// The function's result.
    pub returns: Returns,
    /// Why it should no longer be used.
    pub deprecated: Option<String>,
}

/// The result type of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum Returns {
    /// Nothing that the schema describes.
    Nothing,
    /// An object with these properties.
    Object(BTreeMap<String, Property>),
    /// One value: the wire carries a map with one entry, and its value is the result.
    Value(Type),
}

/// A definition under `types`.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition {
    /// An object.
    Object(ObjectType),
    /// An enumeration.
    Enum(EnumType),
}

/// An object type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectType {
    /// Its full token.
    pub token: String,
    /// Its properties, by name.
    pub properties: BTreeMap<String, Property>,
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumType {
    /// Its full token.
    pub token: String,
    /// The type of its values.
    pub element: Type,
    /// Its values.
    pub values: Vec<EnumValue>,
}

/// A value of an enumeration.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumValue {
    /// Its name; may be empty.
    pub name: String,
    /// The value.
    pub value: Value,
}
