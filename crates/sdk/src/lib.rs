//! A library for writing plugins for `pulumi` and `outrigger`.
//!
//! A plugin is a [`Package`]: resource types, functions, a configuration. Each is a struct with doc comments and a trait;
//! the schema, the checks, the comparison of old and new and the previews come from the structs.
//!
//! - [`Resource`] and its [`Inputs`] and [`Outputs`]; [`Function`]; [`Object`] and [`Enumeration`] for the values inside.
//! - [`Context`] comes with every call: the configuration, messages to the user, cancellation, retries.
//! - [`Error`] is a failure, and the resource that exists in spite of it.
//!
//! `docs/writing-a-plugin.md` starts at the beginning.

// The derive macros name this crate; its own tests use them, too.
extern crate self as outrigger_sdk;

mod autoname;
mod changes;
mod check;
mod context;
#[doc(hidden)]
pub mod derive;
mod erased;
mod error;
mod function;
mod package;
mod plugin;
mod preview;
mod properties;
mod property;
mod provider;
mod resource;
mod schema;
mod secret;
mod serve;
pub mod shape;
pub mod testing;
mod validation;
mod waiting;

pub use outrigger_provider::DiffKind;
pub use outrigger_sdk_derive::{Enumeration, Inputs, Object, Outputs};
pub use outrigger_value::{Archive, ArchiveSource, Asset, AssetSource, PropertyMap, Value};

pub use changes::Changes;
pub use check::Check;
pub use context::Context;
pub use error::{Error, ErrorContext, Result};
pub use function::Function;
pub use package::Package;
pub use preview::Preview;
pub use properties::{Inputs, Outputs, Properties};
pub use property::{Mismatch, Property};
pub use resource::{Created, Resource, State};
pub use schema::SchemaMistake;
pub use secret::Secret;
pub use serve::{serve, serve_plugin, serve_with};
pub use waiting::Backoff;
