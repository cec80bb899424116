//! Atomic writes: a reader sees the old file or the new one, whole, whatever happens in between.
//!
//! The new contents go into another file of the same directory, are made durable, and are put in place with one rename. After
//! a kill in the middle, the path has its old contents; the other file may remain, with a name that begins with a dot
//! and ends with `.kit-part`. The next write of the same path removes it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use outrigger_sdk::{Error, ErrorContext, Result};
use rustix::fs::{CWD, FlockOperation, RenameFlags, flock, renameat_with};
use rustix::io::Errno;

use super::content::{Content, Summary, Summing};
use super::mode::Mode;

/// Whether the path may already exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existing {
    /// It must not exist: a file that appears in the meantime stays as it is.
    Refuse,
    /// It may exist, and is replaced.
    Replace,
}

/// The permissions of the new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// These.
    Exactly(Mode),
    /// This machine's default permissions.
    Usual,
    /// Only its owner may access it.
    Private,
}

/// Writes a file.
pub(super) fn write(path: &Path, content: Content, access: Access, existing: Existing) -> Result<Summary> {
    let part = Part::new(path)?;
    let written = (|| {
        let mode = if access == Access::Usual { 0o666 } else { 0o600 };
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&part.path)?;
        // Marks the file as in use for other writes that look for remains.
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        let source = match &content {
            Content::Of(_, path) => Some(path.clone()),
            Content::Bytes(_) => None,
        };
        let mut summing = Summing::new(&file);
        io::copy(&mut content.reader(), &mut summing).map_err(|error| match source {
            Some(source) if error.kind() == io::ErrorKind::IsADirectory => {
                io::Error::new(error.kind(), format!("`{source}`, the source: {error}"))
            }
            _ => error,
        })?;
        let summary = summing.finish();
        if let (Existing::Replace, Ok(before)) = (existing, fs::symlink_metadata(path)) {
            keep_owner(&file, &before)?;
        }
        if let Access::Exactly(mode) = access {
            file.set_permissions(Permissions::from_mode(mode.0))?;
        }
        file.sync_all()?;
        Ok::<_, io::Error>(summary)
    })();
    let summary = written.context(format_args!("writing `{}`", path.display()))?;
    match existing {
        Existing::Replace => fs::rename(&part.path, path),
        Existing::Refuse => place_new(&part.path, path),
    }
    .map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(path, "a file that appeared just now"),
        _ => Error::from(error).context(format_args!("putting `{}` in place", path.display())),
    })?;
    // From here on the file exists; only its name may still be lost in a power failure.
    if let Some(directory) = path.parent().and_then(|parent| File::open(parent).ok()) {
        directory.sync_all().context(format_args!("writing `{}` to disk", path.display())).map_err(Error::in_doubt)?;
    }
    Ok(summary)
}

/// The error for a path that already exists.
pub(super) fn exists(path: &Path, what: &str) -> Error {
    Error::new(format!(
        "`{}` already exists, as {what}, and does not belong to this resource; import it to adopt it unchanged, set \
         `overwrite: true` to replace its contents, or choose another path",
        path.display()
    ))
}

/// Renames without ever replacing a file. Where the file system lacks this, a hard link never replaces a file either.
fn place_new(part: &Path, path: &Path) -> io::Result<()> {
    match renameat_with(CWD, part, CWD, path, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            fs::hard_link(part, path)?;
            fs::remove_file(part)
        }
        done => Ok(done?),
    }
}

/// A new file belongs to its writer; a replaced file keeps its owner.
fn keep_owner(file: &File, before: &fs::Metadata) -> io::Result<()> {
    let now = file.metadata()?;
    if (now.uid(), now.gid()) == (before.uid(), before.gid()) {
        return Ok(());
    }
    std::os::unix::fs::fchown(file, Some(before.uid()), Some(before.gid()))
        .map_err(|error| io::Error::new(error.kind(), format!("its owner cannot be kept: {error}")))
}

/// The other file; removed when this value is dropped, unless it was put in place.
struct Part {
    path: PathBuf,
}

impl Part {
    fn new(path: &Path) -> Result<Self> {
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Error::new(format!("`{}` does not end with a name", path.display())));
        };
        remove_remains(directory, name);
        let unique = uuid::Uuid::new_v4().simple().to_string();
        let mut hidden = prefix(name);
        hidden.push(unique);
        hidden.push(SUFFIX);
        Ok(Self { path: directory.join(hidden) })
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _in_place_or_never_made = fs::remove_file(&self.path);
    }
}

const SUFFIX: &str = ".kit-part";

/// File names are at most 255 bytes: for a long name only its beginning and its length are used.
fn prefix(name: &OsStr) -> OsString {
    let text = name.to_string_lossy();
    let begin: String = text.chars().take(40).collect();
    format!(".{begin}.{}.", name.len()).into()
}

/// Removes the remains of killed writes of the same path. A running write holds a lock on its file. A file that cannot be
/// removed does no harm.
fn remove_remains(directory: &Path, name: &OsStr) {
    let prefix = prefix(name);
    let Ok(entries) = fs::read_dir(directory) else { return };
    let ours = entries.flatten().filter(|entry| {
        let found = entry.file_name();
        let found = found.as_encoded_bytes();
        found.starts_with(prefix.as_encoded_bytes()) && found.ends_with(SUFFIX.as_bytes())
    });
    for entry in ours {
        let Ok(file) = File::open(entry.path()) else { continue };
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            let _in_nobodys_way = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn remains_of_a_killed_write_go_with_the_next_one() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a");
        let left = Part::new(&path).unwrap();
        fs::write(&left.path, "half").unwrap();
        std::mem::forget(left);
        fs::write(root.path().join(".b.1.x.kit-part"), "another's").unwrap();
        write(&path, Content::Bytes(b"whole".to_vec()), Access::Usual, Existing::Refuse).unwrap();
        assert_eq!(names(root.path()), [".b.1.x.kit-part", "a"]);
    }

    #[test]
    fn a_failure_leaves_what_was_there_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a");
        fs::write(&path, "old").unwrap();
        let refused = write(&path, Content::Bytes(b"new".to_vec()), Access::Usual, Existing::Refuse).unwrap_err();
        assert!(refused.to_string().contains("already exists"), "{refused}");
        let directory = Content::Of(File::open(root.path()).unwrap(), "d".to_owned());
        let failed = write(&path, directory, Access::Usual, Existing::Replace).unwrap_err();
        assert!(failed.to_string().contains("`d`, the source"), "{failed}");
        assert_eq!((names(root.path()), fs::read_to_string(&path).unwrap()), (vec!["a".to_owned()], "old".to_owned()));
    }
}
