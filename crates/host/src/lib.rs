//! Plugin processes: find, start, watch, reuse, end.
//!
//! [`Host`] implements [`outrigger_provider::Plugins`]. A plugin is found as Pulumi finds it ([`find`]), started in a process
//! group of its own with all its output drained, and ended with everything that it started itself. If the host is killed,
//! the [`keeper`] ends what is left; if both are killed, the parent-death signal does.
//!
//! Nothing here reads the environment or the working directory: [`HostOptions`] brings everything.

// A diagnostic is made once, when a command fails: its size costs nothing, and a box around it would be in everybody's way.
#![allow(clippy::result_large_err)]

mod catalog;
mod environment;
pub mod find;
mod group;
mod host;
pub mod keeper;
mod lease;
mod limited;
mod mark;
mod options;
mod os;
mod output;
mod pool;
mod process;
mod running;
mod schema;
mod spawner;
mod supply;
mod terraform;

pub use host::Host;
pub use options::{BuiltIn, Deadlines, HostOptions, KeeperCommand, ProjectOptions, ProjectPlugin, debug_providers};
pub use outrigger_bridge::RawProvider;
pub use terraform::{TerraformOptions, bare_provider, stand_alone_bridge};
