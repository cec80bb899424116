//! Commands.
//!
//! Every command runs under a warden: this executable again, as a small process between the plugin and the command. It adopts
//! whatever the command starts, however that detaches itself, and ends all of it when the command has ended, when it is asked
//! to, and when the plugin is gone, however it went.

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

/// How to start a warden: an executable that calls [`crate::run`], and the arguments that make it one.
#[derive(Clone, Debug)]
pub struct WardenCommand {
    /// The executable.
    pub program: PathBuf,
    /// Its first arguments. The command's follow.
    pub arguments: Vec<OsString>,
}
