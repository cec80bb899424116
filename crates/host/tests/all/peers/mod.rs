//! The tests that need the peers.

mod faults;
mod lifecycle;
mod runs;
mod schema;
mod survival;
mod terraform;
mod third_protocol;
