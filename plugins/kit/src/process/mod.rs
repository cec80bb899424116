//! Commands.
//!
//! Every command runs under a warden: this executable again, as a small process between the plugin and the command. It adopts
//! every process that the command starts, however it detaches itself, and ends all of them when the command has ended, on request,
//! and when the plugin is gone for any reason.

mod command;
mod line;
mod output;
mod run;
mod tree;
mod warden;

use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) use command::Command;
pub(crate) use warden::watch_over;

/// The first argument of a warden's process.
pub(crate) const WARDEN: &str = "__warden";

/// How to start a warden: an executable that calls [`crate::run`], with the arguments that make it a warden.
#[derive(Clone, Debug)]
pub struct WardenCommand {
    /// The executable.
    pub program: PathBuf,
    /// Its first arguments, followed by the command's.
    pub arguments: Vec<OsString>,
}
