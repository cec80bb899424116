//! Every misdeed of the plugin `chaos`, and the host's reaction.
//!
//! The rows of each table run at once, each with its own host, directory and plugin process. `docs/chaos.md` is generated
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
