//! The cost of a large schema to a program that uses little of it, compared with decoding all of it.

use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use serde::Deserialize;

use super::client;

/// One measurement, in one process.
#[derive(Deserialize)]
pub(super) struct Schema {
    /// The size of the schema.
    pub(super) bytes: usize,
    /// How many resource types it has, and how many of them are used.
    pub(super) resources: usize,
    pub(super) used: usize,
    some_ns: u64,
    all_ns: u64,
}

impl Schema {
    /// Reading the outline, and decoding the types in use.
    pub(super) fn some(&self) -> Duration {
        Duration::from_nanos(self.some_ns)
    }

    /// Reading the outline, and decoding everything.
    pub(super) fn all(&self) -> Duration {
        Duration::from_nanos(self.all_ns)
    }
}

/// Builds the program that measures, and runs it.
pub(super) fn run() -> Result<Schema> {
    client::figures(&mut Command::new(client::build("lazy")?))
}
