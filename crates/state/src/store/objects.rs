//! Objects: the storage of checkpoints, locks, history and backups, each a whole under a path.
//!
//! The calls block. They come one after another, only from a session's writer thread and threads for blocking work, and the simulator
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

/// Identifies one version of an object, as an entity tag does; it changes with each put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version(pub String);

/// The condition of a put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition<'a> {
    /// None.
    Always,
    /// There must be no object.
    Absent,
    /// The object must have this version.
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

/// A store of objects. Paths are relative to its root and use `/`; a directory is a common prefix of paths, and exists as long as a path
/// below it does.
pub trait Objects: Send + Sync {
    /// The object; `None` if there is none. Shows every put that has returned.
    fn get(&self, path: &str) -> io::Result<Option<Object>>;

    /// Whether the object exists. As current as [`Objects::get`].
    fn exists(&self, path: &str) -> io::Result<bool>;

    /// Puts a whole object in place: a reader sees the old one or the new one, and the new one is durable on return. Fails
    /// with `AlreadyExists` if the condition does not hold. After any other error the object may be in place anyway, if only the answer was
    /// lost.
    fn put(&self, path: &str, bytes: &[u8], condition: Condition<'_>) -> io::Result<()>;

    /// The names in a directory, sorted; empty if it is missing.
    fn list(&self, directory: &str) -> io::Result<Vec<Listed>>;

    /// Whether a list shows every put that has returned. Some object stores lag behind.
    fn lists_are_current(&self) -> bool;

    /// Removes objects; missing ones are ignored.
    fn delete(&self, paths: &[String]) -> io::Result<()>;

    /// Removes the remains of interrupted puts in a directory.
    fn sweep(&self, directory: &str) -> io::Result<()>;

    /// The path as a user would write it, for messages.
    fn describe(&self, path: &str) -> String;
}
