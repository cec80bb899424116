//! What the programs in `bin` share: a plugin that they start, and what they measure of a process.

mod memory;
#[allow(clippy::unwrap_used, reason = "it is made for tests")]
#[path = "../../../crates/pulumi/tests/all/peers/process.rs"]
mod process;
mod processor;
mod started;

pub use self::memory::peak;
pub use self::processor::processor_time;
pub use self::started::Started;
