//! One stack's state: Pulumi's checkpoint, our journal, the lock, and the file backend that holds them.
//!
//! - [`Resource`] and [`Snapshot`] are the state in memory; `deployment` reads and writes Pulumi's JSON.
//! - [`Record`] is one step of the journal. Intents and results are appended and durable before they count.
//! - A snapshot plus records replayed in order is the state; the checkpoint file is that state written out.

mod journal;
mod resource;

pub use journal::{EntryKey, Journal, OperationId, Record};
pub use resource::{CustomTimeouts, OperationKind, PendingOperation, Resource, SecretsProviderState, Snapshot};
