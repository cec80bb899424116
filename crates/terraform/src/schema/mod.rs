//! Schemas of a provider, its resources, data sources and functions.
//!
//! A schema of a large provider is five megabytes, of which a project uses a few kilobytes. [`Schemas`] keeps the provider's answer as received,
//! with the position of each entry; an entry is decoded on first use.

mod decode;
mod document;
mod identity;
mod index;
mod model;
mod wire;

pub use document::document;
pub(crate) use document::function_json;
pub use identity::{IdentityAttribute, IdentitySchema};
pub use index::{Kind, SchemaError, Schemas};
pub use model::{
    Attribute, Block, Capabilities, Deprecation, Description, Function, NestedBlock, NestedObject, Nesting, Parameter,
    Schema, Shape,
};
pub(crate) use wire::{Field, Reader};
