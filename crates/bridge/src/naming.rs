//! Pulumi's names for everything in a Terraform provider.
//!
//! - [`provider_names`] names a whole provider, [`tokens`] its resources, data sources and functions, [`resources`] the properties of each
//!   and the one that is the id, [`object_names`] the properties of one object, at every level.
//! - [`case`] and [`inflect`] spell names: `cors_rule` in Terraform is `corsRules` in Pulumi. [`property_path`] translates paths.

pub mod case;
pub mod inflect;
pub mod object_names;
pub(crate) mod property_path;
pub(crate) mod provider_names;
pub mod resources;
pub mod tokens;
