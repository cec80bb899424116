//! A Terraform provider as Pulumi's dynamic bridge shows it.
//!
//! - [`Naming`] is a provider under Pulumi's names: [`tokens`] for what it has, properties for what those have, worked out on demand.
//! - [`names`] has the properties of one object, at every level, and finds them by either name. [`members`] has resources, data sources
//!   and functions, and knows where a resource's id comes from.
//! - [`case`] and [`inflect`] spell names: what is `cors_rule` for Terraform is `corsRules` for Pulumi.
//! - [`document`] is the package schema, written as it is made.
//!
//! Names decide what a program and a state file say. They are Pulumi's bridge's own to the letter; the few places where they are
//! not are listed in [`document`].

pub mod case;
mod decode;
mod delta;
pub mod document;
mod encode;
pub mod inflect;
mod inputs;
pub mod members;
mod meta;
pub mod names;
mod naming;
mod prose;
mod secrets;
pub mod tokens;

pub use naming::{Naming, NamingError};
