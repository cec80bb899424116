//! The operating system: all of the host's system calls that std lacks are made here.
//!
//! Linux is the main platform. Other unixes compile and work with less: they have no parent-death signal, and a process
//! cannot be distinguished from a later one with the same id.
#![allow(unsafe_code)]

mod allocator;
mod birth;
mod group;
mod identity;
mod marked;
mod socket;

pub use allocator::return_freed_memory;
pub(crate) use birth::{keeper_child, plugin_child};
pub(crate) use group::{alive, interrupt, kill, signal_name, wait_until_exited};
pub(crate) use identity::Identity;
#[cfg(test)]
pub(crate) use marked::TRANSFORMATION;
pub(crate) use marked::{kill_each, look};
pub(crate) use socket::{quiet_pair, send_quietly};
