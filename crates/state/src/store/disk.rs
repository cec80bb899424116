//! A local directory: where journals are, whatever store the stacks are in, and what the `file://` store is made of. Real files
//! and a simulated disk both provide it.

use std::io;

use crate::store::objects::Listed;

/// A file that is being written.
pub trait DiskFile: Send {
    /// Adds bytes at the end.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Sees to it that this many bytes more can be added although the disk fills up, where the disk can promise that.
    fn reserve(&mut self, bytes: u64) -> io::Result<()>;

    /// Returns when the bytes are on the disk.
    fn sync(&mut self) -> io::Result<()>;
}

/// A directory tree. Paths are relative to its root and use `/`.
pub trait Disk: Send + Sync {
    /// The whole file; `None` if there is none.
    fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>>;

    /// Which file is there, in a form that is another one after each [`Disk::rename`] over it; `None` if there is none.
    fn version(&self, path: &str) -> io::Result<Option<String>>;

    /// What is in a directory, sorted by name; empty if it is not there.
    fn list(&self, directory: &str) -> io::Result<Vec<Listed>>;

    /// Makes an empty file and the directories above it, or empties the one that is there.
    fn create(&self, path: &str) -> io::Result<Box<dyn DiskFile>>;

    /// Opens a file to add to it, cut to its first `length` bytes.
    fn reopen(&self, path: &str, length: u64) -> io::Result<Box<dyn DiskFile>>;

    /// Gives a file another name, over what had that name. Both must be in one directory.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file; `false` if there was none.
    fn remove(&self, path: &str) -> io::Result<bool>;

    /// Returns when the names in a directory, and that directory's own name, are on the disk.
    fn sync_directory(&self, directory: &str) -> io::Result<()>;

    /// Tries to take an exclusive hold on a path; it ends when the answer is dropped or the process dies. `None`: another process
    /// has it.
    fn guard(&self, path: &str) -> io::Result<Option<Box<dyn Send>>>;

    /// The path as a user would write it, for messages.
    fn show(&self, path: &str) -> String;
}

/// The directory part of a path.
pub(crate) fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}
