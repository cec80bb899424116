//! Shared by the programs in `bin`: starting a plugin, and measuring a process.

mod memory;
#[allow(clippy::unwrap_used, reason = "it is made for tests")]
#[path = "../../../crates/pulumi/tests/all/peers/process.rs"]
mod process;
mod processor;
mod started;

pub use self::memory::peak;
pub use self::processor::processor_time;
pub use self::started::Started;
