//! Storage for stacks and journals: objects that can be remote, a local disk, and both in memory.

pub(crate) mod disk;
pub(crate) mod files;
pub(crate) mod local;
pub(crate) mod memory;
pub(crate) mod objects;
