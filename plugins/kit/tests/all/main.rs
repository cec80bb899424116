//! The plugin, called through the host's traits. `crates/cli/tests` tests it with real hosts.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod commands;
mod directories;
mod faults;
mod files;
mod functions;
mod page;
mod random;
mod requests;
mod server;
mod stage;
