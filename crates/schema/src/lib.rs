//! Pulumi package schemas, read lazily.
//!
//! - [`Package`] keeps the raw bytes and an index from tokens to byte ranges. Everything else is decoded only on demand,
//!   because the schemas of the large clouds have megabytes and a program uses a handful of their types.
//! - [`Resource`], [`Function`] and [`Definition`] are decoded on demand, once each.
//! - [`Descriptions`] hold the documentation of an entry, decoded separately.
//! - [`Package::builtin`] is the package `pulumi`, which every engine has built in.
//!
//! Invariant: no schema, however broken, makes anything here panic; an unreadable entry is a [`SchemaError`] that names it.

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
