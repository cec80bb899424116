//! The tests that need the peers.

mod endings;
mod faults;
mod host_side;
mod output;
#[path = "../../../../../xtask/src/peers/place.rs"]
mod place;
mod plugin_side;
