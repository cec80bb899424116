//! Unpacking an archive of a provider.

use std::fmt;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use sha2::{Digest, Sha256};
use zip::ZipArchive;
use zip::result::ZipError;

use crate::terraform::digest::Files;
use crate::terraform::executable::is_program;

/// Why an archive cannot be unpacked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The archive is at fault; completes "the archive ...".
    Archive(String),
    /// The directory cannot be written.
    Disk(io::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Archive(reason) => write!(f, "the archive {reason}"),
            Failure::Disk(error) => write!(f, "{error}"),
        }
    }
}

/// Unpacks into an empty directory, flushes it to disk, and returns the digest of the files. `kind` is the provider's own name, whose executable
/// must be among them.
pub(crate) fn unpack(archive: impl Read + Seek, into: &Path, kind: &str) -> Result<String, Failure> {
    let mut archive = ZipArchive::new(archive).map_err(damaged)?;
    let mut files = Files::default();
    let mut has_program = false;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(damaged)?;
        let name = entry.name().to_owned();
        // An entry may not leave the directory, not even through a link from an earlier entry.
        let Some(path) = entry.enclosed_name() else {
            return Err(Failure::Archive(format!("has an entry that points outside its directory: `{name}`")));
        };
        if entry.is_symlink() {
            return Err(Failure::Archive(format!("has a symbolic link, which is not allowed: `{name}`")));
        }
        let target = into.join(&path);
        if entry.is_dir() {
            fs::create_dir_all(&target).map_err(Failure::Disk)?;
            continue;
        }
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(Failure::Disk)?;
        }
        let program = path.to_str().is_some_and(|path| is_program(path, kind));
        has_program |= program;
        // An archive made on another system may have no modes; the program must be executable anyway.
        let mode = entry.unix_mode().unwrap_or(0o644) & 0o777 | if program { 0o755 } else { 0o600 };
        let digest = copy(&mut entry, &target, mode)?;
        let path = path.to_str().ok_or_else(|| Failure::Archive(format!("has a name that is not UTF-8: `{name}`")))?;
        files.add(path.to_owned(), &digest);
    }
    if !has_program {
        return Err(Failure::Archive(format!(
            "has no file called `{}{kind}`",
            outrigger_terraform::address::FILE_PREFIX
        )));
    }
    Ok(files.finish())
}

fn copy(entry: &mut impl Read, target: &Path, mode: u32) -> Result<Sha256, Failure> {
    let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(target);
    let mut file: File = file.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::Archive(format!("has two entries for `{}`", target.display())),
        _ => Failure::Disk(error),
    })?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let length = match entry.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Failure::Archive(format!("is damaged: {error}"))),
        };
        let bytes = buffer.get(..length).unwrap_or_default();
        digest.update(bytes);
        file.write_all(bytes).map_err(Failure::Disk)?;
    }
    // The umask was applied when the file was created.
    file.set_permissions(Permissions::from_mode(mode)).map_err(Failure::Disk)?;
    file.sync_all().map_err(Failure::Disk)?;
    Ok(digest)
}

fn damaged(error: ZipError) -> Failure {
    match error {
        ZipError::Io(error) => Failure::Archive(format!("cannot be read: {error}")),
        error => Failure::Archive(format!("is damaged: {error}")),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Cursor;

    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::*;
    use crate::terraform::digest::package_digest;

    /// An archive with these files.
    pub(crate) fn archive(files: &[(&str, &str)]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in files {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(text.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn failure(bytes: &[u8]) -> String {
        let directory = tempfile::tempdir().unwrap();
        let failure = unpack(Cursor::new(bytes), directory.path(), "b").unwrap_err();
        assert!(!directory.path().parent().unwrap().join("evil").exists());
        failure.to_string()
    }

    #[test]
    fn files_are_unpacked_with_their_digest_and_an_executable() {
        let directory = tempfile::tempdir().unwrap();
        let bytes = archive(&[("terraform-provider-b_v1", "#!"), ("doc/LICENSE", "words")]);
        let digest = unpack(Cursor::new(bytes), directory.path(), "b").unwrap();
        assert_eq!(digest, package_digest(directory.path()).unwrap());
        let mode = |name: &str| fs::metadata(directory.path().join(name)).unwrap().permissions().mode() & 0o111;
        assert_eq!((mode("terraform-provider-b_v1"), mode("doc/LICENSE")), (0o111, 0));
    }

    #[test]
    fn whatever_is_wrong_with_an_archive_is_said() {
        assert!(failure(b"nonsense").contains("is damaged"));
        let good = archive(&[("terraform-provider-b", "some text that is long enough to be found again")]);
        assert!(failure(&good[..good.len() - 30]).contains("the archive"));
        let mut flipped = good.clone();
        flipped[60] ^= 0xff;
        assert!(failure(&flipped).contains("is damaged"));
        assert!(failure(&archive(&[("../evil", "")])).contains("points outside its directory: `../evil`"));
        assert!(failure(&archive(&[("a/../../evil", "")])).contains("points outside its directory"));
        assert!(failure(&archive(&[("README", "")])).contains("has no file called `terraform-provider-b`"));
        assert!(failure(&archive(&[("sub/terraform-provider-b", "")])).contains("has no file called"));
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        writer.add_symlink("terraform-provider-b", "/bin/sh", SimpleFileOptions::default()).unwrap();
        assert!(failure(&writer.finish().unwrap().into_inner()).contains("symbolic link"));
    }
}
