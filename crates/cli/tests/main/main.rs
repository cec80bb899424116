//! The real binary with the real peers: `pulumi`, its providers, its files.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod authored;
mod bad_input;
mod chaos;
mod check;
mod compiled;
mod configuration;
mod everyday;
mod false_steps;
mod hangup;
mod kit;
mod library;
mod logging;
#[path = "../../../../plugins/chaos/tests/all/made.rs"]
mod made;
mod no_changes;
mod not_started;
mod package_info;
mod packages;
mod passphrase;
mod peers;
#[path = "../../../../xtask/src/peers/place.rs"]
mod place;
mod plugin_new;
mod plugin_pack;
mod plugin_process;
mod plugin_test;
mod questions;
mod quickstart;
mod recording;
mod sandbox;
mod screen;
mod screens;
mod secrecy;
mod signposts;
mod state_commands;
#[path = "../../../../xtask/src/pictures/svg.rs"]
mod svg;
mod walks;
