//! SHA-256 of assets and archives.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use outrigger_diagnostic::Diagnostic;
use outrigger_value::{Archive, ArchiveSource, Asset, AssetSource};
use sha2::{Digest, Sha256};

use super::members::{self, Format};
use super::tar::TarStream;

/// The hash of a file's or text's bytes.
pub(crate) fn asset(asset: &Asset, base: &Path) -> Result<String, Diagnostic> {
    let hashed = members::open(asset, base).and_then(|(_, mut contents)| {
        let mut hasher = Hasher::default();
        io::copy(&mut contents, &mut hasher)?;
        Ok(hasher.hex())
    });
    hashed.map_err(|error| {
        let (what, named) = match &asset.source {
            AssetSource::Text(_) | AssetSource::Elided => ("the asset", String::new()),
            AssetSource::Path(path) => ("the asset", base.join(path).display().to_string()),
            AssetSource::Uri(uri) => ("the asset", uri.clone()),
        };
        unreadable(what, &named, base, &error)
    })
}

/// The hash of an archive: of the bytes of an archive file, or of a tar stream of its members.
pub(crate) fn archive(archive: &Archive, base: &Path) -> Result<String, Diagnostic> {
    let hashed = match file(archive, base) {
        Ok(Some(mut file)) => {
            let mut hasher = Hasher::default();
            io::copy(&mut file, &mut hasher).map(|_| hasher.hex())
        }
        Ok(None) => stream(archive, base),
        Err(error) => Err(error),
    };
    hashed.map_err(|error| {
        let named = match &archive.source {
            ArchiveSource::Assets(_) | ArchiveSource::Elided => String::new(),
            ArchiveSource::Path(path) => base.join(path).display().to_string(),
            ArchiveSource::Uri(uri) => uri.clone(),
        };
        unreadable("the archive", &named, base, &error)
    })
}

/// The archive's own file, if it is an archive file.
fn file(archive: &Archive, base: &Path) -> io::Result<Option<File>> {
    match &archive.source {
        ArchiveSource::Path(path) if Format::of(path).is_some() => File::open(base.join(path)).map(Some),
        ArchiveSource::Uri(uri) if Format::of(uri).is_some() => File::open(members::local(uri)?).map(Some),
        _ => Ok(None),
    }
}

fn stream(archive: &Archive, base: &Path) -> io::Result<String> {
    let mut out = TarStream::new(Hasher::default());
    let mut seen = HashSet::new();
    members::walk(archive, base, &mut |name, size, contents| {
        // The same file may be found in two ways; the first one counts.
        if seen.insert(name.to_vec()) { out.file(name, size, contents) } else { Ok(()) }
    })?;
    Ok(out.finish()?.hex())
}

fn unreadable(what: &str, named: &str, base: &Path, error: &io::Error) -> Diagnostic {
    let named = if named.is_empty() { String::new() } else { format!(" {named}") };
    let diagnostic = Diagnostic::error("asset-unreadable", format!("{what}{named} cannot be read"));
    let diagnostic = diagnostic.detail(error.to_string());
    match error.kind() {
        io::ErrorKind::Unsupported => {
            diagnostic.hint("Download the file next to the program and use its path instead.")
        }
        _ => diagnostic.hint(format!("Relative paths are taken from {}.", base.display())),
    }
}

#[derive(Default)]
struct Hasher(Sha256);

impl Hasher {
    fn hex(self) -> String {
        hex::encode(self.0.finalize())
    }
}

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
