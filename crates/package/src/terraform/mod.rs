//! Terraform providers: [`Sources`] searches, in this order, the variables that name running providers, the overrides for developers in the CLI
//! configuration that Terraform and OpenTofu share, the cache of Pulumi's own bridge, and the installation methods of the configuration:
//! directories, in the layouts that `terraform providers mirror` writes. An archive is unpacked once, into a cache of ours.

mod archive;
mod bridge_cache;
mod cache;
pub mod cli_config;
mod digest;
mod executable;
mod mirror;
mod pattern;
mod platform;
mod search_context;
mod sources;

pub use digest::package_digest;
pub use mirror::{Location, ProviderPackage, packages};
pub use pattern::Pattern;
pub use platform::Platform;
pub use search_context::SearchContext;
pub use sources::Sources;
