//! The real binary with the real peers: `pulumi`, its providers, its files.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod authored;
mod bad_input;
mod chaos;
mod check;
mod compiled;
mod configuration;
mod everyday;
mod hangup;
mod kit;
mod library;
mod logging;
#[path = "../../../../plugins/chaos/tests/all/made.rs"]
mod made;
mod not_started;
mod packages;
mod peers;
#[path = "../../../../xtask/src/peers/place.rs"]
mod place;
mod plugin_new;
mod plugin_process;
mod plugin_test;
mod questions;
mod quickstart;
mod sandbox;
mod screen;
mod secrecy;
mod signposts;
mod state_commands;
