//! What the programs in `bin` measure of a process.

mod memory;
mod processor;

pub use self::memory::peak;
pub use self::processor::processor_time;
