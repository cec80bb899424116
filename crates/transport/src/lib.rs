//! Starts processes, connects to them, and opens them as plugins.
//!
//! - [`Protocol`] is a protocol as a host sees it: it claims plugins and opens them, with the services that the host gives it in an [`Opening`].
//! - [`Resolver`]: from a plugin's name to its program.
//! - [`Launcher`] and [`Process`]: a crate requests a process here without knowing how it is started; the host implements both.
//! - [`Address`]: the address of a listener.
//! - [`port`]: Pulumi's start-up, where a plugin prints the port that it listens on as its first line.
//! - [`caller`]: the common part of every call, and [`status`], the meaning of its failure.
//! - [`channel`]: a gRPC channel over one connection, and the limits that every client and server uses.
//! - [`dial`]: connects to an address.
//! - [`server`]: services on a socket of this machine.
//! - [`codec`]: encoding and decoding of messages, for generated code.
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
