//! Our go-plugin against the original: its examples, and a plugin and a host of ours on its library.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod faults;
mod kv;
mod launcher;
mod peers;
mod support;
