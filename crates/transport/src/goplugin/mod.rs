//! HashiCorp's go-plugin, both ends.
//!
//! A host starts a program with a *cookie* in its environment (by which the program recognizes that its host has started it), the versions of
//! the application's protocol that it speaks, and, for TLS, a certificate. The program listens, and prints one line: its address, the version it
//! chose, and its own certificate. From then on they speak gRPC, with four small services beside the application's.
//!
//! - [`start`] and [`attach`] give a [`Connection`]: the host's end.
//! - [`PluginSide`] is the plugin's end.
//! - [`Broker`] makes further connections between the two, in either direction.
//! - [`LogReader`] reads what plugins write to their standard error.
//!
//! Each broker connection is a connection of its own: the variant with many over one (yamux) is refused.

mod attach;
mod broker;
mod certificate;
mod connection;
mod crash;
mod diagnosis;
mod directory;
mod error;
mod handshake;
mod log;
mod plugin_side;
mod queue;
mod services;
mod short_rsa;
mod socket;
mod start;
mod stdio;
mod tls;
mod variables;

use std::path::PathBuf;
use std::time::Duration;

use crate::Deadlines;

pub use attach::{attach, reattach_providers};
pub use broker::{Accepted, Broker, BrokerError};
pub use connection::Connection;
pub use error::{PluginError, StartError, StartFailure};
pub use handshake::{Handshake, HandshakeError};
pub use log::{LogEntry, LogLevel, LogReader};
pub use plugin_side::{Listening, PluginSide};
pub use services::Stdio;
pub use socket::Network;
pub use start::start;

/// The environment variable by which a program recognizes that its host has started it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cookie {
    /// The name of the variable.
    pub key: &'static str,
    /// Its value.
    pub value: &'static str,
}

/// The host's requirements for a plugin.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The cookie of the application.
    pub cookie: Cookie,
    /// The versions of the application's protocol that the host speaks.
    pub versions: Vec<u32>,
    /// Whether both sides make a certificate for this one start and trust no other (AutoMTLS).
    pub tls: bool,
    /// How long the plugin may take until it can be called.
    pub start_deadline: Duration,
    /// The directory in which the one for the plugin's sockets is made. Without it: the first that exists and is short enough of those that the
    /// plugin's environment names for sockets (`PLUGIN_UNIX_SOCKET_DIR`), a user's running programs (`XDG_RUNTIME_DIR`) and temporary files
    /// (`TMPDIR`), or `/tmp`.
    pub socket_directory: Option<PathBuf>,
}

impl Settings {
    /// TLS, and the usual deadline for a start.
    pub fn new(cookie: Cookie, versions: Vec<u32>) -> Self {
        Self { cookie, versions, tls: true, start_deadline: Deadlines::default().start, socket_directory: None }
    }
}
