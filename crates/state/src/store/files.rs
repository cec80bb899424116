//! Objects as files, as Pulumi's file store writes them: the data, and a sidecar `NAME.attrs` with its attributes.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest as _, Md5};

use crate::store::disk::{Disk, DiskFile, directory};
use crate::store::objects::{Condition, Listed, Object, Objects, Version, conflict};

/// The suffix of sidecars. Pulumi takes every other file in its directories for a stack or a lock.
const SIDECAR: &str = ".attrs";
/// The suffix of temporary files.
const TEMPORARY: &str = ".outrigger-tmp.attrs";

/// The store of a `file://` backend.
pub(crate) struct Files(pub(crate) Arc<dyn Disk>);

impl Objects for Files {
    fn get(&self, path: &str) -> io::Result<Option<Object>> {
        // In this order: if the file is replaced in between, the older version is returned, and a put on top of it is refused.
        let version = self.0.version(path)?;
        let bytes = self.0.read(path)?;
        Ok(version.zip(bytes).map(|(version, bytes)| Object { bytes, version: Version(version) }))
    }

    fn exists(&self, path: &str) -> io::Result<bool> {
        Ok(self.0.version(path)?.is_some())
    }

    /// Another process may write between the check of the condition and the put. Ours hold the stack's lock.
    fn put(&self, path: &str, bytes: &[u8], condition: Condition<'_>) -> io::Result<()> {
        let holds = match condition {
            Condition::Always => true,
            Condition::Absent => self.0.version(path)?.is_none(),
            Condition::Unchanged(version) => self.0.version(path)?.as_ref() == Some(&version.0),
        };
        if !holds {
            return Err(conflict());
        }
        if !has_sidecar(path) {
            return replace(self.0.as_ref(), &[(path, bytes)]).map(drop);
        }
        // A reader of the store fails on a truncated sidecar, so both go through temporary files.
        replace(self.0.as_ref(), &[(&format!("{path}{SIDECAR}"), &attributes(bytes)), (path, bytes)]).map(drop)
    }

    fn list(&self, directory: &str) -> io::Result<Vec<Listed>> {
        let mut found = self.0.list(directory)?;
        found.retain(|entry| !entry.name.ends_with(SIDECAR));
        Ok(found)
    }

    fn lists_are_current(&self) -> bool {
        true
    }

    fn delete(&self, paths: &[String]) -> io::Result<()> {
        let mut changed = BTreeSet::new();
        for path in paths {
            let was = self.0.remove(path)?;
            self.0.remove(&format!("{path}{SIDECAR}"))?;
            changed.extend(was.then(|| directory(path)));
        }
        changed.into_iter().try_for_each(|directory| self.0.sync_directory(directory))
    }

    fn sweep(&self, directory: &str) -> io::Result<()> {
        sweep(self.0.as_ref(), directory)
    }

    fn describe(&self, path: &str) -> String {
        self.0.show(path)
    }
}

/// Locks have none: they are found by name, and exist only briefly.
fn has_sidecar(path: &str) -> bool {
    !path.starts_with(".pulumi/locks/")
}

/// Puts whole files of one directory in place together, the last one last: a reader, and a machine that loses power, sees the old file
/// or the new one. Returns the last file, for further writes.
pub(crate) fn replace(disk: &dyn Disk, files: &[(&str, &[u8])]) -> io::Result<Option<Box<dyn DiskFile>>> {
    let temporary = |path: &str| format!("{path}{TEMPORARY}");
    let mut last = None;
    let written = files.iter().try_for_each(|(path, bytes)| {
        let mut file = disk.create(&temporary(path))?;
        file.append(bytes)?;
        file.sync()?;
        last = Some(file);
        Ok(())
    });
    let placed = written.and_then(|()| files.iter().try_for_each(|(path, _)| disk.rename(&temporary(path), path)));
    if let Err(error) = placed {
        for (path, _) in files {
            // The first error is the one to report; a leftover is overwritten by the next attempt.
            let _ = disk.remove(&temporary(path));
        }
        return Err(error);
    }
    files.last().map_or(Ok(()), |(path, _)| disk.sync_directory(directory(path)))?;
    Ok(last)
}

/// Removes temporary files that a crash left in a directory.
pub(crate) fn sweep(disk: &dyn Disk, directory: &str) -> io::Result<()> {
    for entry in disk.list(directory)?.into_iter().filter(|entry| entry.name.ends_with(TEMPORARY)) {
        disk.remove(&format!("{directory}/{}", entry.name))?;
    }
    Ok(())
}

fn attributes(bytes: &[u8]) -> Vec<u8> {
    let sum = STANDARD.encode(Md5::digest(bytes));
    format!(
        "{{\"user.cache_control\":\"\",\"user.content_disposition\":\"\",\"user.content_encoding\":\"\",\
         \"user.content_language\":\"\",\"user.content_type\":\"text/plain; charset=utf-8\",\"user.metadata\":null,\
         \"md5\":\"{sum}\"}}\n"
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sidecar_is_the_one_that_pulumi_writes() {
        // Seen beside `{"version":0,"checkpoint":{"stack":"organization/shop/dev"}}`, written by pulumi 3.250.0.
        let text =
            String::from_utf8(attributes(br#"{"version":0,"checkpoint":{"stack":"organization/shop/dev"}}"#)).unwrap();
        assert_eq!(
            text,
            "{\"user.cache_control\":\"\",\"user.content_disposition\":\"\",\"user.content_encoding\":\"\",\"user.content_language\":\"\",\"user.content_type\":\"text/plain; charset=utf-8\",\"user.metadata\":null,\"md5\":\"XibNEiG8P3EM7tOXoBKSpw==\"}\n"
        );
    }
}
