//! Plugin processes: start, watch, reuse, end.
//!
//! A [`Host`] owns processes, and a [`Run`] uses them: it implements [`outrigger_provider::Plugins`]. The host does not know the plugins'
//! protocols: the first of its [protocols](outrigger_transport::Protocol) that claims a plugin opens it. Processes are started
//! in groups of their own with all their output drained, and ended with everything that they started themselves. If the host is
//! killed, the [`keeper`] ends the remaining processes; if both are killed, the parent-death signal does.
//!
//! Nothing here reads the environment or the working directory: [`HostOptions`] contains everything.

// A diagnostic is made once, when a command fails: its size costs nothing, and a box would be in everyone's way.
#![allow(clippy::result_large_err)]

mod catalog;
mod environment;
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
mod run;
mod running;
mod schema;
mod spawner;
mod supply;

pub use host::Host;
pub use options::{HostOptions, KeeperCommand, ProjectOptions};
pub use os::return_freed_memory;
pub use outrigger_transport::Deadlines;
pub use run::Run;
