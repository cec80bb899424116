//! A Terraform provider as Pulumi's dynamic bridge shows it.
//!
//! - `naming` gives everything Pulumi's names, worked out on demand: [`Naming`] is a provider under them.
//! - [`document`] is the package schema, written as it is made.
//! - [`Terraform`] is the protocol that a host plugs in; [`Parameters`] name a provider.
//! - [`Bridge`] is the plugin: it finds and starts a provider, and turns Pulumi's calls into Terraform's. `resource` has the calls about
//!   resources; `values` converts properties to Terraform's values and back, and restores the provider's exact state.
//!
//! Names appear in programs and state files, so they match those of Pulumi's bridge exactly; [`document`] lists the few exceptions.

mod configuration;
mod diagnostics;
pub mod document;
mod function;
mod log;
mod naming;
mod origin;
mod package;
mod parameters;
mod plugin;
mod process;
mod protocol;
mod provider;
mod raw_provider;
mod resource;
#[cfg(test)]
mod test_support;
mod values;

pub use naming::provider_names::{Naming, NamingError};
pub use naming::{case, inflect, object_names, resources, tokens};
pub use outrigger_transport::goplugin::LogLevel;
pub use parameters::{LocalPath, ParameterValue, Parameters, Wanted};
pub use plugin::{Bridge, BridgeOptions, NAME};
pub use protocol::Terraform;
pub use raw_provider::RawProvider;
pub use values::{delta, stored_state};
