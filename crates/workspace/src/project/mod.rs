//! Projects on disk, with plugins that are processes.

mod asked;
mod call_log;
mod check;
mod compiler;
mod config;
mod environment;
mod keys;
mod open;
mod operation;
mod other_stacks;
mod packages;
mod plugins;
mod source;
mod stack;
mod tested;
mod used_plugins;

pub use asked::{Asked, Bare, BridgePlace, call_failed, terraform_provider};
pub use check::{Report, check};
pub use config::{Configuration, Secrecy};
pub use environment::{Environment, Frontend, Passphrase, Silent};
pub use open::{Store, Workspace, home, project, project_directory};
pub use operation::{Operation, Request};
pub use packages::{Added, Installation, Locked, add_package, install};
pub use plugins::{BRIDGE_VERSION, stand_alone_bridge};
pub use stack::Removal;
pub use tested::Tested;
pub use used_plugins::{UsedPlugin, used_plugins};
