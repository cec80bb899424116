//! The real binary with the real peers: `pulumi`, its providers, its files.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod asking;
mod authored;
mod bad_input;
mod both_ways;
mod calls;
mod chaos;
mod check;
mod compiled;
mod configuration;
mod differential;
mod drift;
mod event_log;
mod everyday;
mod interruption;
mod kit;
mod library;
mod lifecycle;
mod live;
mod locks;
mod logging;
#[path = "../../../../plugins/chaos/tests/all/made.rs"]
mod made;
mod packages;
mod partial;
#[path = "../../../../xtask/src/peers/place.rs"]
mod place;
mod plugin_new;
mod plugin_process;
mod providers;
mod quickstart;
mod recorded;
mod sandbox;
mod screen;
mod secrecy;
mod terraform;
