//! A Terraform provider as Pulumi's dynamic bridge shows it.
//!
//! - `naming` gives everything Pulumi's names, worked out on demand: [`Naming`] is a provider under them.
//! - [`document`] is the package schema, written as it is made.
//! - [`Terraform`] is the protocol that a host plugs in; [`Parameters`] say which provider is meant.
//! - [`Bridge`] is the plugin: it finds and starts a provider, and turns each call of Pulumi's into calls of Terraform's. `resource` has
//!   the calls about resources; `values` turns properties into Terraform's values and back, and finds the provider's exact state again.
//!
//! Names decide what a program and a state file say. They are Pulumi's bridge's own to the letter; the few places where they are
//! not are listed in [`document`].

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
