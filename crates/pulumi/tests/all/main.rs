//! The client half against real plugins: Pulumi's own conformance providers, and bridged ones.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod peers;
