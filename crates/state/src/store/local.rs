//! Real files.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::store::disk::{Disk, DiskFile};
use crate::store::objects::Listed;

/// A directory of the machine.
#[derive(Clone, Debug)]
pub struct LocalDisk {
    root: PathBuf,
}

impl LocalDisk {
    /// The tree below `root`, which need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Creates a directory and those above it, each durable in its parent: a file in a directory that is lost with the power is
    /// lost however well it was synced.
    fn ensure_directory(&self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            self.ensure_directory(parent)?;
        }
        match fs::create_dir(path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        path.parent().map_or(Ok(()), sync_path)
    }
}

struct LocalFile {
    file: File,
    length: u64,
    /// The length up to which the file system has promised room.
    reserved: u64,
}

impl LocalFile {
    fn boxed(file: File, length: u64) -> Box<dyn DiskFile> {
        Box::new(Self { file, length, reserved: length })
    }
}

impl DiskFile for LocalFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn reserve(&mut self, bytes: u64) -> io::Result<()> {
        if self.length + bytes <= self.reserved {
            return Ok(());
        }
        // Twice as much as requested, so that not every record needs a call.
        let wanted = self.length + 2 * bytes;
        match reserve_room(&self.file, self.reserved, wanted - self.reserved) {
            Err(error) if is_full(&error) => return Err(error),
            // The file system promises nothing.
            _ => self.reserved = wanted,
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

impl Disk for LocalDisk {
    fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        absent(fs::read(self.path(path)))
    }

    fn version(&self, path: &str) -> io::Result<Option<String>> {
        let Some(found) = absent(fs::metadata(self.path(path)))? else { return Ok(None) };
        let modified = found.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Some(format!("{}-{}-{}", modified.as_nanos(), found.len(), number(&found))))
    }

    fn list(&self, directory: &str) -> io::Result<Vec<Listed>> {
        let Some(entries) = absent(fs::read_dir(self.path(directory)))? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry?;
            // A name that is not Unicode belongs neither to Pulumi nor to us.
            if let Ok(name) = entry.file_name().into_string() {
                found.push(Listed { name, directory: entry.file_type()?.is_dir() });
            }
        }
        found.sort();
        Ok(found)
    }

    fn create(&self, path: &str) -> io::Result<Box<dyn DiskFile>> {
        let path = self.path(path);
        let open = || OpenOptions::new().write(true).create(true).truncate(true).open(&path);
        let file = match open() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                path.parent().map_or(Ok(()), |parent| self.ensure_directory(parent))?;
                open()?
            }
            other => other?,
        };
        Ok(LocalFile::boxed(file, 0))
    }

    fn reopen(&self, path: &str, length: u64) -> io::Result<Box<dyn DiskFile>> {
        let mut file = OpenOptions::new().write(true).open(self.path(path))?;
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        Ok(LocalFile::boxed(file, length))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path(from), self.path(to))
    }

    fn remove(&self, path: &str) -> io::Result<bool> {
        Ok(absent(fs::remove_file(self.path(path)))?.is_some())
    }

    fn sync_directory(&self, directory: &str) -> io::Result<()> {
        sync_path(&self.path(directory))
    }

    fn guard(&self, path: &str) -> io::Result<Option<Box<dyn Send>>> {
        let path = self.path(path);
        path.parent().map_or(Ok(()), |parent| self.ensure_directory(parent))?;
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn show(&self, path: &str) -> String {
        self.path(path).display().to_string()
    }
}

fn sync_path(path: &Path) -> io::Result<()> {
    // Windows cannot open a directory as a file; its renames are durable enough without a sync.
    if cfg!(windows) { Ok(()) } else { File::open(path)?.sync_all() }
}

/// The file's inode number.
#[cfg(unix)]
fn number(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

/// Without inode numbers, the time of the last change must do.
#[cfg(not(unix))]
fn number(_found: &Metadata) -> u64 {
    0
}

/// Allocates blocks for a file beyond its end; its length stays.
#[cfg(target_os = "linux")]
fn reserve_room(file: &File, from: u64, bytes: u64) -> io::Result<()> {
    Ok(rustix::fs::fallocate(file, rustix::fs::FallocateFlags::KEEP_SIZE, from, bytes)?)
}

/// Other systems have no such call that keeps the length.
#[cfg(not(target_os = "linux"))]
fn reserve_room(_file: &File, _from: u64, _bytes: u64) -> io::Result<()> {
    Ok(())
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
}

fn absent<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
