//! The host with real plugins and with small scripts that misbehave.

// Clippy knows only functions marked as tests; everything here is one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod faults;
mod peers;
mod role;
mod support;
