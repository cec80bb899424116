//! Plugin processes: start, watch, reuse, end.
//!
//! A [`Host`] has processes, a [`Run`] uses them: it implements [`outrigger_provider::Plugins`]. What plugins speak is not known
//! here: the first of the host's [protocols](outrigger_transport::Protocol) that claims a plugin opens it. Its processes are started
//! in groups of their own with all their output drained, and ended with everything that they started themselves. If the host is
//! killed, the [`keeper`] ends what is left; if both are killed, the parent-death signal does.
//!
//! Nothing here reads the environment or the working directory: [`HostOptions`] brings everything.

// A diagnostic is made once, when a command fails: its size costs nothing, and a box around it would be in everybody's way.
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
