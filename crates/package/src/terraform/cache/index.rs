//! The index of unpacked archives and their executables.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::terraform::executable;

/// The version of the index that is read and written. Version 1 did not contain the executables.
const VERSION: u32 = 2;

/// Every archive that was unpacked into one place. It saves reading an archive that has not changed; an index that is damaged or of another
/// version counts as missing.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Index {
    version: u32,
    pub(super) archives: Vec<Entry>,
}

/// One archive.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) archive: Stamp,
    /// The executable from the archive; its path is only its name.
    pub(super) program: Stamp,
    /// The digest of the archive.
    pub(super) zh: String,
    /// The digest of its files.
    pub(super) h1: String,
}

/// A file's metadata when it was read or written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Stamp {
    path: PathBuf,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Index {
    pub(super) fn read(place: &Path) -> Self {
        let read = |bytes: Vec<u8>| serde_json::from_slice::<Self>(&bytes).ok();
        let found = fs::read(place.join("index.json")).ok().and_then(read);
        found.filter(|index| index.version == VERSION).unwrap_or_default()
    }

    pub(super) fn write(&self, place: &Path) -> io::Result<()> {
        let new = place.join("index.json.new");
        let mut file = File::create(&new)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.sync_all()?;
        fs::rename(&new, place.join("index.json"))
    }

    /// Adds an entry, which replaces an earlier one for the same file.
    pub(super) fn put(&mut self, entry: Entry) {
        self.version = VERSION;
        self.archives.retain(|earlier| earlier.archive.path != entry.archive.path);
        self.archives.push(entry);
    }
}

impl Entry {
    /// Whether the executable of a provider in this directory is the one that was unpacked, unchanged.
    pub(super) fn is_whole(&self, directory: &Path, kind: &str) -> bool {
        let program = executable::program_called(directory, kind).ok();
        program.and_then(|program| Stamp::of_program(&program).ok()).is_some_and(|stamp| stamp == self.program)
    }
}

impl Stamp {
    pub(super) fn of_archive(path: &Path, file: &File) -> io::Result<Self> {
        Ok(Self::new(path.to_owned(), &file.metadata()?))
    }

    /// The path is only the name, because the same cache may be reached by several paths.
    pub(super) fn of_program(path: &Path) -> io::Result<Self> {
        Ok(Self::new(path.file_name().map(PathBuf::from).unwrap_or_default(), &fs::symlink_metadata(path)?))
    }

    fn new(path: PathBuf, data: &Metadata) -> Self {
        Self {
            path,
            inode: data.ino(),
            size: data.size(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_of_another_version_counts_as_not_there() {
        let place = tempfile::tempdir().unwrap();
        let stamp = Stamp::of_program(place.path()).unwrap();
        let entry = Entry { archive: stamp.clone(), program: stamp, zh: "zh:1".to_owned(), h1: "h1:1".to_owned() };
        let mut index = Index::default();
        index.put(entry);
        index.write(place.path()).unwrap();
        assert_eq!(Index::read(place.path()).archives, index.archives);
        for version in [1, 3] {
            Index { version, archives: Vec::new() }.write(place.path()).unwrap();
            assert_eq!(Index::read(place.path()).version, 0);
        }
    }
}
