//! The tests that need the peers.

mod faults;
mod lifecycle;
mod schema;
mod survival;
