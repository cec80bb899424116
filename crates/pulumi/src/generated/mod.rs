//! Made by `cargo xtask codegen` from `proto/`. Wire types stay inside this crate.
#![allow(
    clippy::all,
    clippy::unwrap_used,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "generated; the server traits are used by tests"
)]

#[rustfmt::skip]
pub mod google_rpc;
#[rustfmt::skip]
pub mod pulumirpc;
