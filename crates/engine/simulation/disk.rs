//! A deliberate fault: a disk that reports a sync it has not done.

use std::io;

use outrigger_state::{Disk, DiskFile, Listed, MemoryDisk};

/// Everything works until the power fails.
pub(crate) struct LyingDisk(pub(crate) MemoryDisk);

struct LyingFile(Box<dyn DiskFile>);

impl DiskFile for LyingFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.append(bytes)
    }

    fn reserve(&mut self, bytes: u64) -> io::Result<()> {
        self.0.reserve(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Disk for LyingDisk {
    fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        self.0.read(path)
    }

    fn version(&self, path: &str) -> io::Result<Option<String>> {
        self.0.version(path)
    }

    fn list(&self, directory: &str) -> io::Result<Vec<Listed>> {
        self.0.list(directory)
    }

    fn create(&self, path: &str) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(LyingFile(self.0.create(path)?)))
    }

    fn reopen(&self, path: &str, length: u64) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(LyingFile(self.0.reopen(path, length)?)))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.0.rename(from, to)
    }

    fn remove(&self, path: &str) -> io::Result<bool> {
        self.0.remove(path)
    }

    fn sync_directory(&self, directory: &str) -> io::Result<()> {
        self.0.sync_directory(directory)
    }

    fn guard(&self, path: &str) -> io::Result<Option<Box<dyn Send>>> {
        self.0.guard(path)
    }

    fn show(&self, path: &str) -> String {
        self.0.show(path)
    }
}
