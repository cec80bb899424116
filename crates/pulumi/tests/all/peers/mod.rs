//! The tests that need the peers.

mod child;
mod conformance;
mod methods;
#[path = "../../../../../xtask/src/peers/place.rs"]
mod place;
mod process;
mod random;
