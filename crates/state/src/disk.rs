//! The few file operations that the store is built from. Real files and a simulated disk both provide them.

use std::io;

/// A file that is being written.
pub trait DiskFile: Send {
    /// Adds bytes at the end.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Sees to it that this many bytes more can be added although the disk fills up, where the disk can promise that.
    fn reserve(&mut self, bytes: u64) -> io::Result<()>;

    /// Returns when the bytes are on the disk.
    fn sync(&mut self) -> io::Result<()>;
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DiskEntry {
    /// Its name, without the directory.
    pub name: String,
    /// Whether it is a directory itself.
    pub directory: bool,
}

/// A directory tree. Paths are relative to its root and use `/`.
pub trait Disk: Send + Sync {
    /// The whole file; `None` if there is none.
    fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>>;

    /// Whether a file is there.
    fn exists(&self, path: &str) -> io::Result<bool>;

    /// What is in a directory, sorted by name; empty if it is not there.
    fn list(&self, directory: &str) -> io::Result<Vec<DiskEntry>>;

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

    /// Tries to take an exclusive hold on a path; it ends when the answer is dropped or the process dies. `None`: somebody
    /// else has it.
    fn guard(&self, path: &str) -> io::Result<Option<Box<dyn Send>>>;

    /// The path as a user would write it, for messages.
    fn show(&self, path: &str) -> String;
}

/// The directory part of a path.
pub(crate) fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// How temporary files end. Pulumi takes every file in its directories for a stack or a lock, except those that end in
/// `.attrs`.
pub(crate) const TEMPORARY: &str = ".outrigger-tmp.attrs";

/// Puts a whole file in place at once: a reader, and a machine that loses power, sees the old file or the new one.
pub(crate) fn replace(disk: &dyn Disk, path: &str, bytes: &[u8]) -> io::Result<()> {
    let temporary = format!("{path}{TEMPORARY}");
    let written = write(disk, &temporary, bytes).and_then(|()| disk.rename(&temporary, path));
    if let Err(error) = written {
        // The first error is the one to report; a leftover is overwritten by the next attempt.
        let _ = disk.remove(&temporary);
        return Err(error);
    }
    disk.sync_directory(directory(path))
}

fn write(disk: &dyn Disk, path: &str, bytes: &[u8]) -> io::Result<()> {
    let mut file = disk.create(path)?;
    file.append(bytes)?;
    file.sync()
}

/// Removes temporary files that a crash left in a directory.
pub(crate) fn sweep(disk: &dyn Disk, directory: &str) -> io::Result<()> {
    for entry in disk.list(directory)?.into_iter().filter(|entry| entry.name.ends_with(TEMPORARY)) {
        disk.remove(&format!("{directory}/{}", entry.name))?;
    }
    Ok(())
}
