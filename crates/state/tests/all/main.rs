//! The store against the real `pulumi`: each reads the files that the other writes.

// clippy's allowance for tests covers functions marked as tests, not their helpers.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod backend;
mod peer;
mod peers;
#[path = "../../../../xtask/src/peers/place.rs"]
mod place;
