//! Digests of packages, as in Terraform's lock files.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The digest of a package's files, `h1:` and base64: it does not depend on how they are packed.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// By path, with slashes and in the order of its bytes.
    digests: BTreeMap<String, String>,
}

impl Files {
    pub(crate) fn add(&mut self, path: String, digest: &Sha256) {
        self.digests.insert(path, hex::encode(digest.clone().finalize()));
    }

    pub(crate) fn finish(&self) -> String {
        let mut whole = Sha256::new();
        for (path, digest) in &self.digests {
            whole.update(format!("{digest}  {path}\n"));
        }
        format!("h1:{}", STANDARD.encode(whole.finalize()))
    }
}

/// The `h1:` digest of an unpacked package.
pub fn package_digest(directory: &Path) -> io::Result<String> {
    let mut files = Files::default();
    walk(directory, "", &mut files)?;
    Ok(files.finish())
}

/// The `zh:` digest of an archive.
pub(crate) fn archive_digest(archive: &mut File) -> io::Result<String> {
    let mut digest = Sha256::new();
    io::copy(archive, &mut Into(&mut digest))?;
    Ok(format!("zh:{}", hex::encode(digest.finalize())))
}

/// A digest that can be written to.
pub(crate) struct Into<'a>(pub(crate) &'a mut Sha256);

impl io::Write for Into<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn walk(directory: &Path, prefix: &str, files: &mut Files) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|_| io::Error::other("a file's name is not UTF-8"))?;
        let path = format!("{prefix}{name}");
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), &format!("{path}/"), files)?;
        } else {
            let mut digest = Sha256::new();
            io::copy(&mut File::open(entry.path())?, &mut Into(&mut digest))?;
            files.add(path, &digest);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_package_is_the_digest_of_nothing() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(package_digest(directory.path()).unwrap(), "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    #[test]
    fn files_count_by_their_path_and_contents() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("a")).unwrap();
        fs::write(directory.path().join("a/b"), "one\n").unwrap();
        fs::write(directory.path().join("a.txt"), "two\n").unwrap();
        // Computed with `sha256sum` of the files, `sha256sum` of its output in byte order, and `base64`.
        assert_eq!(package_digest(directory.path()).unwrap(), "h1:mUUihHeGoz6jsJVo/XEMxRK1+pQpFCrpob103DVHTMc=");
    }
}
