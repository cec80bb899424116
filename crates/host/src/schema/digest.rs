//! The digest of an executable, cached until the file changes.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::store;

/// Values that change when a file does. Times are in nanoseconds; the change time cannot be set by a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: i128,
    changed: i128,
}

impl Stamp {
    /// The file's current stamp.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let file = fs::metadata(path)?;
        let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Ok(Self {
            device: file.dev(),
            inode: file.ino(),
            size: file.size(),
            modified: nanoseconds(file.mtime(), file.mtime_nsec()),
            changed: nanoseconds(file.ctime(), file.ctime_nsec()),
        })
    }

    /// Whether the file changed so recently that another change could leave the same stamp.
    fn is_fresh(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let age = i128::try_from(now.as_nanos()).unwrap_or(i128::MAX) - self.changed;
        age < i128::try_from(FRESH.as_nanos()).unwrap_or(i128::MAX)
    }
}

/// File system clocks are this coarse at worst.
const FRESH: Duration = Duration::from_secs(2);

/// One cached digest.
#[derive(Serialize, Deserialize)]
struct Entry {
    version: u32,
    path: String,
    stamp: Stamp,
    digest: String,
}

const VERSION: u32 = 1;

/// The cached digest of an executable, if the file has not changed. Reads little.
pub(crate) fn remembered_digest(cache: &Path, executable: &Path) -> Option<String> {
    let entry: Entry = serde_json::from_slice(&fs::read(index_file(cache, executable)).ok()?).ok()?;
    let well_formed = entry.digest.len() == 64 && entry.digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let same = entry.version == VERSION
        && Path::new(&entry.path) == executable
        && Stamp::of(executable).is_ok_and(|stamp| stamp == entry.stamp);
    (well_formed && same).then_some(entry.digest)
}

/// The digest of a native executable; `None` for scripts and for files that change while they are read. Reads the whole
/// file, and caches the digest.
pub(crate) fn native_digest(cache: &Path, executable: &Path) -> Option<String> {
    let before = Stamp::of(executable).ok()?;
    let digest = digest_if_native(executable).ok()??;
    if Stamp::of(executable).ok()? != before {
        return None;
    }
    if let (false, Some(path)) = (before.is_fresh(), executable.to_str()) {
        let entry = Entry { version: VERSION, path: path.to_owned(), stamp: before, digest: digest.clone() };
        if let Ok(text) = serde_json::to_vec(&entry) {
            // Without a writable cache this is slower, but not wrong.
            let _not_remembered = store::replace(&index_file(cache, executable), &[&text]);
        }
    }
    Some(digest)
}

/// One small file for each executable, so that two commands at once never overwrite each other's entries.
fn index_file(cache: &Path, executable: &Path) -> std::path::PathBuf {
    let name = hex::encode(Sha256::digest(executable.as_os_str().as_encoded_bytes()));
    cache.join("digests").join(name).with_extension("json")
}

fn digest_if_native(path: &Path) -> io::Result<Option<String>> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 256 * 1024];
    let mut length = file.read(&mut buffer)?;
    if !is_native(buffer.get(..length).unwrap_or_default()) {
        return Ok(None);
    }
    let mut digest = Sha256::new();
    while length > 0 {
        digest.update(buffer.get(..length).unwrap_or_default());
        length = file.read(&mut buffer)?;
    }
    Ok(Some(hex::encode(digest.finalize())))
}

/// ELF, Mach-O in all its forms, PE.
fn is_native(start: &[u8]) -> bool {
    const MACH_O: [[u8; 4]; 5] = [
        [0xfe, 0xed, 0xfa, 0xce],
        [0xfe, 0xed, 0xfa, 0xcf],
        [0xce, 0xfa, 0xed, 0xfe],
        [0xcf, 0xfa, 0xed, 0xfe],
        [0xca, 0xfe, 0xba, 0xbe],
    ];
    start.starts_with(b"\x7fELF") || start.starts_with(b"MZ") || MACH_O.iter().any(|magic| start.starts_with(magic))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aged(path: &Path, bytes: &[u8]) {
        fs::write(path, bytes).unwrap();
    }

    #[test]
    fn only_native_executables_have_a_digest() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("plugin");
        aged(&file, b"#!/bin/sh\n");
        assert_eq!(native_digest(root.path(), &file), None);
        aged(&file, b"\x7fELF and so on");
        let digest = native_digest(root.path(), &file).unwrap();
        assert_eq!(digest, hex::encode(Sha256::digest(b"\x7fELF and so on")));
        assert_eq!(remembered_digest(root.path(), &file), None, "too fresh to be remembered");
    }

    #[test]
    fn remembers_until_the_file_changes() {
        let root = tempfile::tempdir().unwrap();
        // The test's own executable is native and not brand new.
        let file = std::env::current_exe().unwrap();
        let stamp = Stamp { changed: 0, ..Stamp::of(&file).unwrap() };
        assert!(!stamp.is_fresh());
        let entry = |stamp: Stamp, digest: &str| {
            let path = file.to_str().unwrap().to_owned();
            let text = serde_json::to_vec(&Entry { version: VERSION, path, stamp, digest: digest.to_owned() }).unwrap();
            store::replace(&index_file(root.path(), &file), &[&text]).unwrap();
            remembered_digest(root.path(), &file)
        };
        let digest = "ab".repeat(32);
        assert_eq!(entry(Stamp::of(&file).unwrap(), &digest), Some(digest.clone()));
        assert_eq!(entry(stamp, &digest), None, "another change time");
        assert_eq!(entry(Stamp::of(&file).unwrap(), "../../etc"), None, "not a digest");
        fs::write(index_file(root.path(), &file), b"{\"version\":1,\"pa").unwrap();
        assert_eq!(remembered_digest(root.path(), &file), None, "cut off");
    }
}
