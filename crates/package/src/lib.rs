//! From a Terraform provider's address and version constraint to an installed executable, without a network.
//!
//! [`Sources::find`] is the way in. It asks, in this order, the overrides for developers in the CLI configuration that Terraform and
//! OpenTofu share, the cache of Pulumi's own bridge, and the installation methods that the configuration names: directories, in
//! the layouts that `terraform providers mirror` writes. An archive is unpacked once, into a cache of ours.
//!
//! [`Parameters`] are what a Pulumi project says about a provider, as arguments of `package add`, and [`ParameterValue`] is what
//! remains of them in an SDK or a lock file.

mod address;
mod archive;
mod bridge_cache;
mod cache;
pub mod cli_config;
mod constraint;
mod digest;
mod executable;
mod mirror;
mod origins;
mod parameters;
mod pattern;
mod platform;
mod search_context;
mod sources;

pub use address::{Address, OPENTOFU_HOST, TERRAFORM_HOST};
pub use constraint::Constraint;
pub use digest::package_digest;
pub use mirror::{Location, ProviderPackage, packages};
pub use parameters::{LocalPath, ParameterValue, Parameters, Wanted};
pub use pattern::Pattern;
pub use platform::Platform;
pub use search_context::SearchContext;
pub use sources::{Installed, Sources};
