//! A local directory: it holds the journals for every kind of store, and the `file://` store is made of it. Implemented by real files and
//! by a simulated disk.

use std::io;

use crate::store::objects::Listed;

/// A file that is being written.
pub trait DiskFile: Send {
    /// Adds bytes at the end.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Reserves this many more bytes against a full disk, where the disk can promise that.
    fn reserve(&mut self, bytes: u64) -> io::Result<()>;

    /// Returns when the bytes are on the disk.
    fn sync(&mut self) -> io::Result<()>;
}

/// A directory tree. Paths are relative to its root and use `/`.
pub trait Disk: Send + Sync {
    /// The whole file; `None` if there is none.
    fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>>;

    /// Identifies the file by a value that changes with each [`Disk::rename`] over it; `None` if there is none.
    fn version(&self, path: &str) -> io::Result<Option<String>>;

    /// The contents of a directory, sorted by name; empty if it is missing.
    fn list(&self, directory: &str) -> io::Result<Vec<Listed>>;

    /// Creates an empty file and the directories above it, or truncates an existing file.
    fn create(&self, path: &str) -> io::Result<Box<dyn DiskFile>>;

    /// Opens a file for appending, truncated to its first `length` bytes.
    fn reopen(&self, path: &str, length: u64) -> io::Result<Box<dyn DiskFile>>;

    /// Renames a file, replacing any file of that name. Both must be in one directory.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file; `false` if there was none.
    fn remove(&self, path: &str) -> io::Result<bool>;

    /// Returns when the names in a directory, and that directory's own name, are on the disk.
    fn sync_directory(&self, directory: &str) -> io::Result<()>;

    /// Tries to lock a path exclusively, until the returned value is dropped or the process dies. `None`: another process holds the lock.
    fn guard(&self, path: &str) -> io::Result<Option<Box<dyn Send>>>;

    /// The path as a user would write it, for messages.
    fn show(&self, path: &str) -> String;
}

/// The directory part of a path.
pub(crate) fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}
