//! The host with real plugins and with small scripts that misbehave.

// Clippy recognizes only functions marked as tests, but everything here belongs to one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod faults;
mod peers;
mod role;
mod support;
