//! From a plugin's name to an installed executable, without a network.
//!
//! Each module has a [`Resolver`](outrigger_transport::Resolver): the door that hosts and protocols come through.
//!
//! - [`pulumi::Search`] finds Pulumi's plugins where `pulumi` finds them.
//! - [`pulumi::Archive`] writes the archives of a plugin's release, with the names that `pulumi` looks for.
//! - [`terraform::Sources`] finds Terraform providers by their addresses and version constraints.

// A diagnostic is made once, when a command fails: its size costs nothing, and a box around it would be in everybody's way.
#![allow(clippy::result_large_err)]

pub mod pulumi;
pub mod terraform;
