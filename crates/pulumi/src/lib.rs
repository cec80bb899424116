//! `pulumirpc`, both halves: a Pulumi plugin becomes a `Plugin` and a `Provider`, and any `Plugin` becomes a Pulumi plugin.
//!
//! - [`Pulumi`] and [`Attached`] are the protocols that a host plugs in.
//! - [`connect()`] turns a process, or the address of one, into a [`PulumiPlugin`].
//! - [`serve()`] is the other half: it serves a `Plugin` to `pulumi`, to us, and to any other host that speaks the protocol.
//! - [`EngineServer`] is the service that plugins call back; [`monitor`] has the one for plugins that make
//!   components and for whole programs.
//! - [`hash_assets`] fills in the hashes of assets and archives, as Pulumi computes them.
//!
//! Wire types are private: no other crate sees a protobuf message.

// A diagnostic is made once, when a command fails: its size costs nothing, and a box around it would burden every caller.
#![allow(clippy::result_large_err)]

mod apply;
mod assets;
mod component;
mod configuration;
mod connect;
mod connection;
mod difference;
mod encoding;
mod engine;
mod failure;
mod features;
mod function;
mod generated;
#[cfg(feature = "json")]
mod json;
pub mod monitor;
mod options;
mod plan;
mod plugin;
mod protocol;
mod provider;
mod read;
mod routes;
mod served;
mod server;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod faults;

// Generated code names the codec as this crate's own.
use outrigger_transport::codec;
use outrigger_value::secrecy;

pub use assets::{hash_assets, lacks_hashes};
pub use connect::{ConnectDeadlines, ConnectOptions, Origin, connect};
pub use encoding::EncodingError;
pub use engine::EngineServer;
pub use plugin::PulumiPlugin;
pub use protocol::{Attached, Pulumi};
pub use server::{engine_is_there, serve};
