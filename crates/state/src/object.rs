//! Files as Pulumi's file store writes them: the data, and a sidecar `NAME.attrs` with its attributes.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest as _, Md5};

use crate::disk::{Disk, TEMPORARY, directory};

/// Puts an object and its sidecar in place, durably. A reader of the store fails on a sidecar that is cut off, so both go
/// through temporary files.
pub(crate) fn put(disk: &dyn Disk, path: &str, bytes: &[u8]) -> io::Result<()> {
    let sidecar = format!("{path}.attrs");
    let attributes = attributes(bytes);
    let files = [(sidecar.as_str(), attributes.as_slice()), (path, bytes)]
        .map(|(target, contents)| (format!("{target}{TEMPORARY}"), target, contents));
    let written = files.iter().try_for_each(|(temporary, _, contents)| {
        let mut file = disk.create(temporary)?;
        file.append(contents)?;
        file.sync()
    });
    let placed =
        written.and_then(|()| files.iter().try_for_each(|(temporary, target, _)| disk.rename(temporary, target)));
    if let Err(error) = placed {
        for (temporary, ..) in &files {
            // The first error is the one to report; a leftover is overwritten by the next attempt.
            let _ = disk.remove(temporary);
        }
        return Err(error);
    }
    disk.sync_directory(directory(path))
}

/// Removes an object and its sidecar.
pub(crate) fn remove(disk: &dyn Disk, path: &str) -> io::Result<bool> {
    let was = disk.remove(path)?;
    disk.remove(&format!("{path}.attrs"))?;
    if was {
        disk.sync_directory(directory(path))?;
    }
    Ok(was)
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
