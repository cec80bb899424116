//! Finds the installed executable of a plugin by its name, without a network.
//!
//! Each module has a [`Resolver`](outrigger_transport::Resolver), through which hosts and protocols use it.
//!
//! - [`pulumi::Search`] finds Pulumi's plugins where `pulumi` finds them.
//! - [`pulumi::Archive`] writes the archives of a plugin's release, with the names that `pulumi` looks for.
//! - [`terraform::Sources`] finds Terraform providers by their addresses and version constraints.

// A diagnostic is made once, when a command fails: its size costs nothing, and a box around it would burden every caller.
#![allow(clippy::result_large_err)]

pub mod pulumi;
pub mod terraform;
