//! A Terraform provider as Pulumi's dynamic bridge shows it.
//!
//! - [`Naming`] is a provider under Pulumi's names: [`tokens`] for what it has, properties for what those have, worked out on demand.
//! - [`names`] has the properties of one object, at every level, and finds them by either name. [`members`] has resources, data sources
//!   and functions, and knows where a resource's id comes from.
//! - [`case`] and [`inflect`] spell names: what is `cors_rule` for Terraform is `corsRules` for Pulumi.
//! - [`document`] is the package schema, written as it is made.
//! - [`Bridge`] is the plugin: it finds and starts a provider, and turns each call of Pulumi's into calls of Terraform's. Values go
//!   through `encode` and come back through `decode`; [`stored`] and [`delta`] find the provider's exact state again.
//!
//! Names decide what a program and a state file say. They are Pulumi's bridge's own to the letter; the few places where they are
//! not are listed in [`document`].

mod apply;
mod autoname;
mod bare;
pub mod case;
#[cfg(test)]
mod chance;
mod configuration;
mod decode;
pub mod delta;
mod difference;
pub mod document;
mod encode;
mod function;
mod identity;
mod ignored;
pub mod inflect;
mod inputs;
mod json;
mod log;
mod mapping;
pub mod members;
mod meta;
pub mod names;
mod naming;
mod origin;
mod package;
mod place;
mod plans;
mod plugin;
mod process;
mod prose;
mod provider;
mod read;
mod resource;
mod secrets;
mod sound;
pub mod stored;
mod timeouts;
pub mod tokens;
mod unknown;
mod words;

pub use bare::BareProvider;
pub use naming::{Naming, NamingError};
pub use origin::{NoStore, Origin, Origins, Place, SchemaKeeper, SchemaStore};
pub use outrigger_transport::goplugin::LogLevel;
pub use plugin::{Bridge, BridgeOptions, NAME};
