//! A provider's schemas, in the words of protocol 6; protocol 5 is a subset of it.

use std::sync::Arc;

use crate::cty::{Path, Step, Type};

/// The schema of a resource, a data source or the provider itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// The version of stored state.
    pub version: i64,
    /// What it consists of.
    pub block: Block,
}

/// Attributes and nested blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The attributes, in the provider's order.
    pub attributes: Vec<Attribute>,
    /// The nested blocks, in the provider's order.
    pub blocks: Vec<NestedBlock>,
    /// What it is.
    pub description: Description,
    /// Not to be used any more.
    pub deprecation: Option<Deprecation>,
}

/// A text of the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// The text; may be empty.
    pub text: String,
    /// Whether it is Markdown.
    pub markdown: bool,
}

/// Something is not to be used any more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deprecation {
    /// What to do instead; empty when the provider does not say.
    pub message: String,
}

/// An attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub shape: Shape,
    /// What it is.
    pub description: Description,
    /// Must be given.
    pub required: bool,
    /// May be given.
    pub optional: bool,
    /// The provider may fill it in.
    pub computed: bool,
    /// Never shown.
    pub sensitive: bool,
    /// Never stored: the provider sees it in the configuration only.
    pub write_only: bool,
    /// Not to be used any more.
    pub deprecation: Option<Deprecation>,
}

/// What an attribute holds.
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
    /// How many objects there are, and how they are found. Never `Group`.
    pub nesting: Nesting,
}

/// A nested block.
#[derive(Clone, Debug, PartialEq)]
pub struct NestedBlock {
    /// Its name.
    pub name: Arc<str>,
    /// What it consists of. Large providers repeat blocks many times over; equal ones may be shared.
    pub block: Arc<Block>,
    /// How many blocks there are, and how they are found.
    pub nesting: Nesting,
    /// How many there must be.
    pub min_items: i64,
    /// How many there may be; 0 means any number.
    pub max_items: i64,
}

/// How nested objects are kept.
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
    /// Any number of arguments after those.
    pub variadic: Option<Parameter>,
    /// The result's type.
    pub result: Type,
    /// In a few words.
    pub summary: String,
    /// What it does.
    pub description: Description,
    /// Why it is not to be used any more; empty when it is.
    pub deprecation_message: String,
}

/// A function's parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether the function takes null.
    pub allow_null: bool,
    /// Whether the function takes unknown values.
    pub allow_unknown: bool,
    /// What it is.
    pub description: Description,
}

/// What a provider can do beyond the first versions of its protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// It wants to plan deletions.
    pub plan_destroy: bool,
    /// It works without having been asked for its schema first.
    pub schema_optional: bool,
    /// It can take over resources of other types.
    pub move_state: bool,
    /// It can write configurations of what exists.
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

    /// The attribute that a path leads to. Which element of several it leads through says nothing about that.
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

    /// Whether any attribute in it is never stored.
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
    /// The type of objects of a type that are kept like this.
    pub fn of(self, element: Type) -> Type {
        match self {
            Self::Single | Self::Group => element,
            Self::List => Type::list(element),
            Self::Set => Type::set(element),
            Self::Map => Type::map(element),
        }
    }
}
