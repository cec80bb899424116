//! One stack's state: Pulumi's checkpoint, our journal, the lock, and the file backend that stores them.
//!
//! - [`Resource`] and [`Snapshot`] are the state in memory; `checkpoint` reads and writes Pulumi's JSON.
//! - [`Record`] is one step of the journal. Intents and results are appended and durable before they count.
//! - A snapshot plus records replayed in order is the state; the checkpoint file is a written copy of that state.
//! - [`Backend`] is a store of stacks; [`Session`] is one command's session on one of them.
//!
//! `backend` deals with whole stacks, `checkpoint` with the state as text and in memory, `journal` with runs and recovery, `store` with the
//! storage below.
//!
//! Storage of stacks goes through [`Objects`], local files through [`Disk`], time through [`Clock`], and facts
//! about processes through [`Machine`], so that everything can run in a simulation, with a [`MemoryDisk`] and [`MemoryObjects`] that
//! fail, lose power and lose answers on demand.

mod backend;
mod checkpoint;
mod clock;
mod failure;
mod journal;
mod machine;
mod resource;
mod store;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod world;

pub use backend::edit::{Chosen, Edit, Edited, Mark};
pub use backend::history::{UpdateInfo, UpdateKind};
pub use backend::home::Home;
pub use backend::location::resolve;
pub use backend::lock::{Lock, LockHolder, cancel, holders};
pub use backend::outline::{Outline, Outlined};
pub use backend::stack_name::StackName;
pub use backend::{Backend, BackendOptions, StackSummary};
pub use checkpoint::entry::resource_to_json;
pub use checkpoint::json::indented;
pub use checkpoint::property::properties_to_json;
pub use clock::{Clock, SystemClock};
pub use journal::session::{Keys, Mode, Opened, Session, SessionOptions, Viewed, fold, fold_gone};
pub use journal::{EntryKey, Journal, NoJournal, OperationId, Record};
pub use machine::{Life, LocalMachine, Machine, ProcessFacts};
pub use resource::{OperationKind, PendingOperation, Resource, SecretsProviderState, Snapshot};
pub use store::disk::{Disk, DiskFile};
pub use store::local::LocalDisk;
pub use store::memory::{Fault, MemoryDisk, MemoryObjects, Unsynced};
pub use store::objects::{Condition, Listed, Object, Objects, Version};
