//! How a process becomes a channel, and a plugin.
//!
//! - [`Protocol`] is what a host plugs in: it claims plugins and opens them, with what the host gives it in an [`Opening`].
//! - [`Resolver`]: from a plugin's name to its program.
//! - [`Launcher`] and [`Process`]: a crate asks for a process here without knowing who starts it; the host implements both.
//! - [`Address`]: where somebody listens.
//! - [`port`]: Pulumi's start-up, where a plugin prints the port that it listens on as its first line.
//! - [`caller`]: what every call has in common, and [`status`], what it means when it fails.
//! - [`channel`]: a gRPC channel over one connection, and the limits that every client and server uses.
//! - [`dial`]: from an address to a channel.
//! - [`server`]: services on a socket of this machine.
//! - [`codec`]: messages on their way in and out, for generated code.
//! - [`tap`]: a log of every call.
//! - `goplugin` (a feature of that name): HashiCorp's go-plugin, both ends, as Terraform's providers use it.

mod address;
pub mod caller;
pub mod channel;
pub mod codec;
mod deadlines;
pub mod dial;
mod error;
#[cfg(feature = "goplugin")]
mod generated;
#[cfg(feature = "goplugin")]
pub mod goplugin;
mod launch;
mod line;
mod lines;
pub mod port;
mod protocol;
mod resolver;
pub mod server;
pub mod status;
mod stream;
pub mod tap;
mod wire;

pub use address::Address;
pub use deadlines::Deadlines;
pub use error::StartError;
pub use launch::{LaunchRequest, Launcher, OutputLine, OutputLines, OutputStream, Process};
pub use line::{FIRST_LINE_LIMIT, FirstLine};
pub use lines::{LINE_LIMIT, LinePart, Lines};
pub use protocol::{OpenError, Opened, Opening, Protocol, SchemaKeeper, SchemaStore};
pub use resolver::{Origin, Place, Reattach, Resolved, Resolver, Unresolved};
pub use stream::Incoming;
