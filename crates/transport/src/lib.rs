//! How a process becomes a channel.
//!
//! - [`Launcher`] and [`Process`]: a crate asks for a process here without knowing who starts it; the host implements both.
//! - [`port`]: Pulumi's start-up, where a plugin prints the port that it listens on as its first line.
//! - [`channel`]: a gRPC channel over one direct loopback connection, and the limits that every client and server uses.

pub mod channel;
mod error;
mod launch;
mod line;
pub mod port;

pub use error::StartError;
pub use launch::{LaunchRequest, Launcher, Process};
pub use line::{FIRST_LINE_LIMIT, FirstLine};
