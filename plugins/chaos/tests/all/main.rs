//! Every way in which the plugin `chaos` misbehaves, and what the host makes of it.
//!
//! The rows of each table are run at once, each with a host, a directory and a plugin process of its own. `docs/chaos.md` is made
//! from the same tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "everything here is a test")]

mod answers;
mod calls;
mod engine;
mod group;
mod made;
mod nobody;
mod page;
mod resources;
mod stage;
mod starts;
mod thing;

// Shared with the host's own tests, which use all of it.
#[path = "../../../../crates/host/tests/all/role.rs"]
#[allow(dead_code)]
mod role;
#[path = "../../../../crates/host/tests/all/support.rs"]
#[allow(dead_code)]
mod support;
