//! What a store of stacks keeps its checkpoints, locks, history and backups in: whole objects under paths.
//!
//! The calls block. Only a session's writer thread and threads for blocking work make them, one after another, and the simulator
//! polls nothing: an implementation on an async client drives it on that thread.

use std::io::{self, ErrorKind};

/// An object that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its contents.
    pub bytes: Vec<u8>,
    /// Its version.
    pub version: Version,
}

/// Names one version of an object, as an entity tag does: after each put it is another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version(pub String);

/// When a put may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition<'a> {
    /// Whatever is there.
    Always,
    /// Only if there is no object.
    Absent,
    /// Only if the object has this version.
    Unchanged(&'a Version),
}

/// The error of a put whose condition does not hold.
pub(crate) fn conflict() -> io::Error {
    io::Error::new(ErrorKind::AlreadyExists, "another command has written it meanwhile")
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// The name, without the directory.
    pub name: String,
    /// Whether it is a directory itself.
    pub directory: bool,
}

/// A store of objects. Paths are relative to its root and use `/`; a directory is what paths have in common, and is there as long
/// as there is a path below it.
pub trait Objects: Send + Sync {
    /// The object; `None` if there is none. Shows every put that has returned.
    fn get(&self, path: &str) -> io::Result<Option<Object>>;

    /// Whether there is an object. As current as [`Objects::get`].
    fn exists(&self, path: &str) -> io::Result<bool>;

    /// Puts an object in place as a whole: a reader sees the old one or the new one, and the new one is durable on return. Fails
    /// with `AlreadyExists` if the condition does not hold. After any error the object may be there all the same: its answer may
    /// have been lost.
    fn put(&self, path: &str, bytes: &[u8], condition: Condition<'_>) -> io::Result<()>;

    /// The names in a directory, sorted; empty if it is not there.
    fn list(&self, directory: &str) -> io::Result<Vec<Listed>>;

    /// Whether a list shows every put that has returned. Some object stores lag behind.
    fn lists_are_current(&self) -> bool;

    /// Removes objects, as far as they are there.
    fn delete(&self, paths: &[String]) -> io::Result<()>;

    /// Removes what interrupted puts left in a directory.
    fn sweep(&self, directory: &str) -> io::Result<()>;

    /// The path as a user would write it, for messages.
    fn describe(&self, path: &str) -> String;
}
