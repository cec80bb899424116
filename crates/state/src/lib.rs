//! One stack's state: Pulumi's checkpoint, our journal, the lock, and the file backend that holds them.
//!
//! - [`Resource`] and [`Snapshot`] are the state in memory; `deployment` reads and writes Pulumi's JSON.
//! - [`Record`] is one step of the journal. Intents and results are appended and durable before they count.
//! - A snapshot plus records replayed in order is the state; the checkpoint file is that state written out.
//! - [`Backend`] is a store of stacks; [`Session`] is one command's hold on one of them.
//!
//! What stacks are kept in goes through [`Objects`], what stays on this machine through [`Disk`], time through [`Clock`], and facts
//! about processes through [`Machine`], so that all of it runs in a simulation, with a [`MemoryDisk`] and [`MemoryObjects`] that
//! fail, lose power and lose answers on demand.

mod alias;
mod backend;
mod checkpoint;
mod clock;
mod disk;
mod edit;
mod entry;
mod failure;
#[cfg(test)]
mod fault_tests;
mod fields;
mod files;
mod frame;
mod history;
mod home;
mod integrity;
mod journal;
mod json;
mod local;
mod location;
mod lock;
mod machine;
mod memory;
mod merge;
mod node;
mod objects;
mod order;
mod outline;
mod property;
mod recovery;
mod rename;
mod resource;
mod session;
#[cfg(test)]
mod session_tests;
mod snapshot;
mod stack_name;
mod stacks;
mod table;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod world;
mod writer;

pub use backend::{Backend, BackendOptions, StackSummary};
pub use clock::{Clock, SystemClock};
pub use disk::{Disk, DiskFile};
pub use edit::{Chosen, Edit, Edited, Mark};
pub use history::{UpdateInfo, UpdateKind};
pub use home::Home;
pub use journal::{EntryKey, Journal, NoJournal, OperationId, Record};
pub use local::LocalDisk;
pub use location::resolve;
pub use lock::{Lock, LockHolder, cancel, holders};
pub use machine::{Life, LocalMachine, Machine, ProcessFacts};
pub use memory::{Fault, MemoryDisk, MemoryObjects, Unsynced};
pub use objects::{Condition, Listed, Object, Objects, Version};
pub use outline::{Outline, Outlined};
pub use property::properties_to_json;
pub use resource::{OperationKind, PendingOperation, Resource, SecretsProviderState, Snapshot};
pub use session::{Keys, Mode, Opened, Session, SessionOptions, Viewed, fold, fold_gone};
pub use stack_name::StackName;
