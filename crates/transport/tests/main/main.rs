//! go-plugin against the real one: its examples, and a plugin and a host of ours on its library.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod endings;
mod faults;
mod host_side;
mod kv;
mod launcher;
mod output;
mod plugin_side;
mod support;
