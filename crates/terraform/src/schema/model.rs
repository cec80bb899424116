//! A provider's schemas, in the terms of protocol 6; protocol 5 is a subset of it.

use std::sync::Arc;

use crate::cty::{Path, Step, Type};

/// The schema of a resource, a data source or the provider itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// The version of stored state.
    pub version: i64,
    /// Its attributes and blocks.
    pub block: Block,
}

/// Attributes and nested blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The attributes, in the provider's order.
    pub attributes: Vec<Attribute>,
    /// The nested blocks, in the provider's order.
    pub blocks: Vec<NestedBlock>,
    /// Its description.
    pub description: Description,
    /// Set if it is deprecated.
    pub deprecation: Option<Deprecation>,
}

/// A description by the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// The text; may be empty.
    pub text: String,
    /// Whether it is Markdown.
    pub markdown: bool,
}

/// The deprecation of something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deprecation {
    /// The advice on what to use instead; empty if the provider gives none.
    pub message: String,
}

/// An attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub shape: Shape,
    /// Its description.
    pub description: Description,
    /// Must be given.
    pub required: bool,
    /// May be given.
    pub optional: bool,
    /// The provider may fill it in.
    pub computed: bool,
    /// Must not be shown.
    pub sensitive: bool,
    /// Never stored: the provider sees it in the configuration only.
    pub write_only: bool,
    /// Set if it is deprecated.
    pub deprecation: Option<Deprecation>,
}

/// The type of an attribute's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A value of a type.
    Type(Type),
    /// Objects whose attributes have schemas of their own (protocol 6).
    Nested(NestedObject),
}

/// Objects whose attributes have schemas of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct NestedObject {
    /// The attributes, in the provider's order.
    pub attributes: Vec<Attribute>,
    /// The number of objects, and how they are found. Never `Group`.
    pub nesting: Nesting,
}

/// A nested block.
#[derive(Clone, Debug, PartialEq)]
pub struct NestedBlock {
    /// Its name.
    pub name: Arc<str>,
    /// Its contents. Large providers repeat blocks many times over; equal ones may be shared.
    pub block: Arc<Block>,
    /// The number of blocks, and how they are found.
    pub nesting: Nesting,
    /// The minimum number of blocks.
    pub min_items: i64,
    /// The maximum number of blocks; 0 means any number.
    pub max_items: i64,
}

/// How nested objects are collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nesting {
    /// One, or none.
    Single,
    /// In order.
    List,
    /// In no order.
    Set,
    /// By name.
    Map,
    /// One, always.
    Group,
}

/// A provider function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The arguments, in order.
    pub parameters: Vec<Parameter>,
    /// The parameter for any number of further arguments.
    pub variadic: Option<Parameter>,
    /// The result's type.
    pub result: Type,
    /// A short text.
    pub summary: String,
    /// A longer description.
    pub description: Description,
    /// The deprecation message; empty if the function is not deprecated.
    pub deprecation_message: String,
}

/// A function's parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether the function accepts null.
    pub allow_null: bool,
    /// Whether the function accepts unknown values.
    pub allow_unknown: bool,
    /// Its description.
    pub description: Description,
}

/// The features of a provider beyond the first versions of its protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// It wants to plan deletions.
    pub plan_destroy: bool,
    /// It works without a request for its schema first.
    pub schema_optional: bool,
    /// It can take over resources of other types.
    pub move_state: bool,
    /// It can write configurations of existing resources.
    pub generate_config: bool,
}

impl Block {
    /// The type of this block's values: an object with an attribute for each attribute and each nested block.
    pub fn ty(&self) -> Type {
        let attributes = self.attributes.iter().map(|attribute| (Arc::clone(&attribute.name), attribute.shape.ty()));
        let blocks = self.blocks.iter().map(|block| (Arc::clone(&block.name), block.ty()));
        Type::object(attributes.chain(blocks))
    }

    /// An attribute by name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| &*attribute.name == name)
    }

    /// A nested block by name.
    pub fn nested(&self, name: &str) -> Option<&NestedBlock> {
        self.blocks.iter().find(|block| &*block.name == name)
    }

    /// The attribute at a path. Indexes and keys in the path do not matter.
    pub fn attribute_at(&self, path: &Path) -> Option<&Attribute> {
        let names = path.0.iter().filter_map(|step| match step {
            Step::Attribute(name) => Some(&**name),
            Step::Index(_) | Step::Key(_) => None,
        });
        let mut block = Some(self);
        let mut attributes = &self.attributes[..];
        let mut found = None;
        for name in names {
            found = attributes.iter().find(|attribute| &*attribute.name == name);
            match (found.map(|attribute| &attribute.shape), block.and_then(|block| block.nested(name))) {
                (Some(Shape::Nested(nested)), _) => (block, attributes) = (None, &nested.attributes),
                (Some(Shape::Type(_)), _) => (block, attributes) = (None, &[]),
                (None, Some(nested)) => (block, attributes) = (Some(&*nested.block), &nested.block.attributes),
                (None, None) => return None,
            }
        }
        found
    }

    /// Whether any attribute in it is write-only.
    pub fn has_write_only(&self) -> bool {
        self.attributes.iter().any(Attribute::has_write_only)
            || self.blocks.iter().any(|block| block.block.has_write_only())
    }
}

impl Attribute {
    fn has_write_only(&self) -> bool {
        self.write_only
            || matches!(&self.shape, Shape::Nested(nested) if nested.attributes.iter().any(Self::has_write_only))
    }
}

impl NestedBlock {
    /// The type of its value.
    pub fn ty(&self) -> Type {
        self.nesting.of(self.block.ty())
    }
}

impl NestedObject {
    /// The type of one object.
    pub fn element(&self) -> Type {
        Type::object(self.attributes.iter().map(|attribute| (Arc::clone(&attribute.name), attribute.shape.ty())))
    }

    /// The type of its value.
    pub fn ty(&self) -> Type {
        self.nesting.of(self.element())
    }
}

impl Shape {
    /// The type of its value.
    pub fn ty(&self) -> Type {
        match self {
            Self::Type(ty) => ty.clone(),
            Self::Nested(nested) => nested.ty(),
        }
    }
}

impl Nesting {
    /// The type of a collection of such objects.
    pub fn of(self, element: Type) -> Type {
        match self {
            Self::Single | Self::Group => element,
            Self::List => Type::list(element),
            Self::Set => Type::set(element),
            Self::Map => Type::map(element),
        }
    }
}
