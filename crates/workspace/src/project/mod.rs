//! Projects on disk, with plugins that are processes.

mod asked;
mod call_log;
mod check;
mod compiler;
mod config;
mod documentation;
mod environment;
mod keys;
mod open;
mod operation;
mod other_stacks;
mod pack;
mod packages;
mod passphrase;
mod plugins;
mod source;
mod stack;
mod tested;
mod used_plugins;

pub use asked::{Asked, Bare, BridgePlace, call_failed, terraform_provider};
pub use check::{Report, check};
pub use config::{Configuration, Secrecy};
pub use documentation::{Block, Documentation, Member, PropertyRow, Span, Subject, Text, plain};
pub use environment::{Environment, Frontend, Passphrase, Silent};
pub use open::{Store, Workspace, home, project, project_directory};
pub use operation::{GivenConfig, Operation, Request};
pub use pack::{Pack, Packed, pack};
pub use packages::{Added, Installation, Locked, add_package, install};
pub use plugins::{BRIDGE_VERSION, stand_alone_bridge};
pub use stack::Removal;
pub use tested::Tested;
pub use used_plugins::{UsedPlugin, used_plugins};
