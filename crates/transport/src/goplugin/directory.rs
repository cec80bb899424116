//! Private directories for sockets: short enough, and removed even if their owner was killed.
//!
//! Each contains a file that its owner keeps locked while it lives. A directory whose lock is free has an owner that died before it could remove
//! it: the next host that ends a plugin removes it.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::{Builder, TempDir};

/// The longest path of a socket: the kernel's limit, without the zero at the end.
const PATH_LIMIT: usize = 107;

/// The longest name that a Go plugin gives a socket, with the slash before it: `plugin` and a number of 32 bits.
const NAME_LENGTH: usize = "/plugin4294967295".len();

/// The start of each directory's name.
const PREFIX: &str = "outrigger-";

/// The locked file.
const LOCK: &str = ".outrigger-sockets";

/// A directory that only its owner may access.
#[derive(Debug)]
pub(super) struct PrivateDirectory {
    directory: TempDir,
    /// The owner.
    user: u32,
    /// The socket of a plugin that is too old to know the directory.
    elsewhere: OnceLock<PathBuf>,
    _lock: File,
}

impl PrivateDirectory {
    /// Makes one, unless the path of a socket in it would be too long for the kernel.
    pub(super) fn new_in(parent: &Path) -> io::Result<Self> {
        let directory = Builder::new().prefix(PREFIX).permissions(Permissions::from_mode(0o700)).tempdir_in(parent)?;
        if !is_short_enough(directory.path()) {
            return Err(io::Error::new(io::ErrorKind::InvalidFilename, "the path is too long for a socket in it"));
        }
        // The lock gets its name once it is held: no other process may find it before.
        let unlocked = directory.path().join(".new");
        let lock = File::create_new(&unlocked)?;
        lock.lock()?;
        fs::rename(&unlocked, directory.path().join(LOCK))?;
        let user = lock.metadata()?.uid();
        Ok(Self { directory, user, elsewhere: OnceLock::new(), _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Records the path on which the plugin listens. One outside the directory is removed together with it: a plugin that is killed cannot do so
    /// itself.
    pub(super) fn has_socket(&self, path: &Path) {
        if !path.starts_with(self.path()) {
            let _said_once = self.elsewhere.set(path.to_owned());
        }
    }

    /// Removes it now, with anything that a killed plugin left.
    pub(super) fn remove(&self) {
        // If it is gone already, nothing is left to do; if it cannot be removed, trying again does not help.
        let _gone = fs::remove_dir_all(self.path());
        self.remove_elsewhere();
    }

    fn remove_elsewhere(&self) {
        // Whatever path the plugin gave, only a socket of this user is removed.
        let is_ours = |found: Metadata| found.file_type().is_socket() && found.uid() == self.user;
        if let Some(path) = self.elsewhere.get()
            && fs::symlink_metadata(path).is_ok_and(is_ours)
        {
            let _gone = fs::remove_file(path);
        }
    }

    /// Removes the directories beside it whose owners are dead.
    pub(super) fn remove_orphans(&self) {
        let Some(Ok(entries)) = self.path().parent().map(fs::read_dir) else { return };
        for entry in entries.flatten() {
            if is_named(&entry.file_name()) && entry.metadata().is_ok_and(|found| self.is_like(&found)) {
                remove_if_orphaned(&entry.path());
            }
        }
    }

    /// Whether this is a directory of the same user that no other user can write to. Any other may be a trap: opening a pipe in place of the
    /// lock would block.
    fn is_like(&self, found: &Metadata) -> bool {
        found.is_dir() && found.mode() & 0o077 == 0 && found.uid() == self.user
    }
}

impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        self.remove_elsewhere();
    }
}

/// Whether a socket in it could be bound.
pub(super) fn is_short_enough(directory: &Path) -> bool {
    directory.as_os_str().len() + NAME_LENGTH <= PATH_LIMIT
}

fn is_named(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with(PREFIX)
}

fn remove_if_orphaned(directory: &Path) {
    // A directory without a lock is of another kind, or not finished.
    let Ok(lock) = File::open(directory.join(LOCK)) else { return };
    if lock.try_lock().is_ok() {
        // Another process may be doing the same.
        let _gone = fs::remove_dir_all(directory);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_no_living_owner_is_removed() {
        let base = tempfile::tempdir().unwrap();
        let (living, dying) =
            (PrivateDirectory::new_in(base.path()).unwrap(), PrivateDirectory::new_in(base.path()).unwrap());
        assert_eq!(fs::metadata(living.path()).unwrap().permissions().mode() & 0o777, 0o700);
        // As if its owner had been killed: the lock is gone, the directory is not.
        let orphan = base.path().join("outrigger-orphan");
        fs::rename(dying.path(), &orphan).unwrap();
        fs::write(orphan.join("plugin1"), "").unwrap();
        drop(dying);
        // A directory of another kind.
        let other = base.path().join("outrigger-notes");
        fs::create_dir(&other).unwrap();
        // A directory that other users can write to is not opened: a pipe in it would block.
        let open = base.path().join("outrigger-open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, Permissions::from_mode(0o755)).unwrap();
        File::create(open.join(LOCK)).unwrap();
        let last = PrivateDirectory::new_in(base.path()).unwrap();
        last.remove();
        last.remove_orphans();
        assert!(living.path().exists() && other.exists() && open.exists());
        assert!(!orphan.exists() && !last.path().exists());
    }

    #[test]
    fn the_socket_of_an_old_plugin_is_removed_too() {
        let base = tempfile::tempdir().unwrap();
        for (name, is_socket) in [("plugin1", true), ("notes", false)] {
            let directory = PrivateDirectory::new_in(base.path()).unwrap();
            let path = base.path().join(name);
            let listener = is_socket.then(|| std::os::unix::net::UnixListener::bind(&path).unwrap());
            if listener.is_none() {
                fs::write(&path, "").unwrap();
            }
            directory.has_socket(&path);
            drop(directory);
            assert_eq!(path.exists(), !is_socket);
        }
    }
}
