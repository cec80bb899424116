//! The journal's records, and the interface of a journal for the engine.

#[cfg(test)]
mod fault_tests;
pub(crate) mod frame;
pub(crate) mod merge;
pub(crate) mod recovery;
pub(crate) mod session;
#[cfg(test)]
mod session_tests;
pub(crate) mod writer;

use std::sync::Arc;

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;

use crate::{PendingOperation, Resource};

/// Identifies one entry of the state during a run. The entries of the base snapshot are numbered from 0 in its order, and the engine
/// continues from there for new entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryKey(pub u64);

/// Identifies one operation during a run. The pending operations of the base snapshot are numbered from 0 in its order, and the
/// engine continues from there for new operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub u64);

/// One atomic step. Applied in this order: `end`, `remove`, `put`, `begin`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Operations that have ended.
    pub end: Vec<OperationId>,
    /// Entries that no longer exist.
    pub remove: Vec<EntryKey>,
    /// Entries that are new or changed.
    pub put: Vec<(EntryKey, Arc<Resource>)>,
    /// Operations that are about to start.
    pub begin: Vec<(OperationId, PendingOperation)>,
}

/// Makes records durable, in call order.
#[async_trait]
pub trait Journal: Send + Sync {
    /// Returns when the record is durable. Many records may share one flush.
    ///
    /// A record that begins an operation fails once the lock is lost: nothing new may start then. A record that only ends, puts
    /// and removes is accepted as long as there is room to write it.
    async fn append(&self, record: Record) -> Result<(), Diagnostic>;
}

/// The journal of a run that changes nothing, and so has nothing to record.
#[derive(Clone, Copy, Debug)]
pub struct NoJournal;

#[async_trait]
impl Journal for NoJournal {
    async fn append(&self, _: Record) -> Result<(), Diagnostic> {
        Ok(())
    }
}
