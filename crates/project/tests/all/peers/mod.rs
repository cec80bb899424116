//! The tests that need the peers.

mod config_checks;
mod config_commands;
#[path = "../../../../../xtask/src/peers/place.rs"]
mod place;
mod pulumi;
