//! The tests that need the peers: `pulumi`, its providers, its bridge.

mod asking;
mod both_ways;
mod calls;
mod differential;
mod drift;
mod event_log;
pub(crate) mod interruption;
mod json;
mod lifecycle;
mod live;
mod locks;
mod partial;
mod plugin_test;
mod providers;
mod recorded;
mod terraform;
mod walks;
