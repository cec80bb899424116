//! The store against the real `pulumi`: what it writes we read, what we write it opens.

// clippy's allowance for tests covers functions marked as tests, not their helpers.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod backend;
mod peer;
mod peers;
#[path = "../../../../xtask/src/peers/place.rs"]
mod place;
