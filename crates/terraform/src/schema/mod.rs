//! Schemas: what a provider says of its resources, data sources, functions and of itself.
//!
//! A schema of a large provider is five megabytes, of which a project uses a few kilobytes. [`Schemas`] keeps the provider's
//! answer as it came and remembers where each entry lies; an entry is decoded when it is asked for.

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
