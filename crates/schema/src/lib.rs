//! Pulumi package schemas, read lazily.
//!
//! - [`Package`] keeps the raw bytes and an index from tokens to byte ranges. Nothing else is decoded until it is asked for,
//!   because the schemas of the large clouds have megabytes and a program uses a handful of their types.
//! - [`Resource`], [`Function`] and [`Definition`] are what is decoded on demand, once each.
//! - [`Descriptions`] are what an entry says to readers, decoded apart from it.
//! - [`Package::builtin`] is the package `pulumi`, which every engine has inside.
//!
//! Invariant: no schema, however broken, makes anything here panic; what cannot be read is a [`SchemaError`] that names it.

mod builtin;
mod decode;
mod description;
mod package;
mod token;
mod types;

pub use description::{About, Descriptions, Entry};
pub use package::{Package, SchemaError};
pub use types::{
    Definition, EnumType, EnumValue, External, Function, ObjectType, Property, Reference, Resource, Returns, Type,
};
