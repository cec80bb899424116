//! Made by `cargo xtask codegen` from `proto/`. Wire types stay inside this crate.
#![allow(clippy::all, clippy::unwrap_used, dead_code, missing_docs, unreachable_pub, reason = "generated")]

#[rustfmt::skip]
pub mod plugin;
