//! The plugin, through the traits that a host calls. With real hosts it is tested where they are: `crates/cli/tests`.
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
