//! Archives that were unpacked: `HOST/NAMESPACE/TYPE/VERSION/PLATFORM/DIGEST` below a directory of ours.
//!
//! A directory that bears an archive's digest is whole, and never changes. It is made under another name, flushed, and renamed, under
//! a lock of the package: two processes unpack it once, and what one that died left behind is removed by the next.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use outrigger_diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::archive::{self, Failure};
use crate::digest::archive_digest;
use crate::mirror::Package;

/// What directories that are not whole yet begin with.
const UNFINISHED: &str = ".unpacking-";

/// Which archives were unpacked. It saves reading an archive that has not changed; whatever is damaged in it counts as not there.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Index {
    version: u32,
    archives: Vec<Entry>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    archive: Stamp,
    /// The digest of the archive.
    zh: String,
    /// The digest of its files.
    h1: String,
}

/// An archive as it was when it was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Stamp {
    path: PathBuf,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(path: &Path, file: &File) -> io::Result<Self> {
        let data = file.metadata()?;
        Ok(Self {
            path: path.to_owned(),
            inode: data.ino(),
            size: data.size(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        })
    }
}

/// The directory of an unpacked archive; unpacks it if that has not been done.
pub(crate) fn unpacked(
    cache: &Path,
    address: &Address,
    package: &Package,
    archive: &Path,
) -> Result<PathBuf, Diagnostic> {
    let place = cache
        .join(address.host())
        .join(address.namespace())
        .join(address.kind())
        .join(package.version.to_string())
        .join(package.platform.to_string());
    let unreadable = |error: io::Error| broken(address, archive, &format!("the archive cannot be read: {error}"));
    let mut file = File::open(archive).map_err(unreadable)?;
    let stamp = Stamp::of(archive, &file).map_err(unreadable)?;
    if let Some(directory) = known(&place, &stamp) {
        return Ok(directory);
    }
    let unwritable = |error: io::Error| disk(&place, &error);
    fs::create_dir_all(&place).map_err(unwritable)?;
    let lock = File::create(place.join("lock")).map_err(unwritable)?;
    // Whoever holds it is unpacking; if it dies, the system releases it.
    lock.lock().map_err(unwritable)?;
    if let Some(directory) = known(&place, &stamp) {
        return Ok(directory);
    }
    remove_unfinished(&place).map_err(unwritable)?;
    let zh = archive_digest(&mut file).map_err(unreadable)?;
    let directory = place.join(name_of(&zh));
    let mut index = Index::read(&place);
    let h1 = match index.archives.iter().find(|entry| entry.zh == zh) {
        Some(entry) if directory.is_dir() => entry.h1.clone(),
        _ => {
            if directory.is_dir() {
                fs::remove_dir_all(&directory).map_err(unwritable)?;
            }
            unpack(&file, &place, &directory, address).map_err(|failure| match failure {
                Failure::Archive(reason) => broken(address, archive, &format!("the archive {reason}")),
                Failure::Disk(error) => disk(&place, &error),
            })?
        }
    };
    index.version = 1;
    index.archives.retain(|entry| entry.archive.path != stamp.path);
    index.archives.push(Entry { archive: stamp, zh, h1 });
    index.write(&place).map_err(unwritable)?;
    Ok(directory)
}

/// The directory of an archive that has not changed since it was unpacked.
fn known(place: &Path, stamp: &Stamp) -> Option<PathBuf> {
    let index = Index::read(place);
    let entry = index.archives.iter().find(|entry| entry.archive == *stamp)?;
    Some(place.join(name_of(&entry.zh))).filter(|directory| directory.is_dir())
}

/// Enough of the digest to tell archives of one version apart, in a path that is not too long for a socket beside it.
fn name_of(zh: &str) -> &str {
    zh.strip_prefix("zh:").and_then(|digits| digits.get(..16)).unwrap_or(zh)
}

fn unpack(file: &File, place: &Path, directory: &Path, address: &Address) -> Result<String, Failure> {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = place.join(format!("{UNFINISHED}{name}"));
    fs::create_dir(&unfinished).map_err(Failure::Disk)?;
    let result = archive::unpack(file, &unfinished, address.kind()).and_then(|h1| {
        fs::rename(&unfinished, directory).map_err(Failure::Disk)?;
        File::open(place).and_then(|place| place.sync_all()).map_err(Failure::Disk)?;
        Ok(h1)
    });
    if result.is_err() {
        // What cannot be removed now is removed by the next one who tries.
        let _ = fs::remove_dir_all(&unfinished);
    }
    result
}

fn remove_unfinished(place: &Path) -> io::Result<()> {
    for entry in fs::read_dir(place)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

impl Index {
    fn read(place: &Path) -> Self {
        let read = |bytes: Vec<u8>| serde_json::from_slice::<Self>(&bytes).ok();
        fs::read(place.join("index.json")).ok().and_then(read).filter(|index| index.version == 1).unwrap_or_default()
    }

    fn write(&self, place: &Path) -> io::Result<()> {
        let new = place.join("index.json.new");
        let mut file = File::create(&new)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.sync_all()?;
        fs::rename(&new, place.join("index.json"))
    }
}

fn broken(address: &Address, archive: &Path, reason: &str) -> Diagnostic {
    Diagnostic::error("terraform-package", format!("the package of `{address}` cannot be used"))
        .detail(format!("{}: {reason}.", archive.display()))
        .hint("Put a whole archive there, for instance with `terraform providers mirror`.")
}

fn disk(place: &Path, error: &io::Error) -> Diagnostic {
    let hint = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "Make room on that disk, then run the command again.",
        _ => "Look at that directory; it may also be removed as a whole.",
    };
    Diagnostic::error("terraform-cache", "a Terraform provider cannot be unpacked")
        .detail(format!("`{}` cannot be written: {error}.", place.display()))
        .hint(hint)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::thread;

    use super::*;
    use crate::archive::tests::archive;
    use crate::{Location, Platform};

    struct Scene {
        directory: tempfile::TempDir,
        address: Address,
        package: Package,
    }

    impl Scene {
        fn new(bytes: &[u8]) -> Self {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("b.zip");
            fs::write(&path, bytes).unwrap();
            let package = Package {
                version: semver::Version::new(1, 0, 0),
                platform: Platform::current(),
                location: Location::Archive(path),
            };
            Self { directory, address: "x.io/a/b".parse().unwrap(), package }
        }

        fn archive(&self) -> PathBuf {
            self.directory.path().join("b.zip")
        }

        fn cache(&self) -> PathBuf {
            self.directory.path().join("cache")
        }

        fn unpack(&self) -> Result<PathBuf, Diagnostic> {
            unpacked(&self.cache(), &self.address, &self.package, &self.archive())
        }

        fn place(&self) -> PathBuf {
            self.cache().join("x.io/a/b/1.0.0").join(Platform::current().to_string())
        }

        fn names(&self) -> Vec<String> {
            let names = fs::read_dir(self.place()).unwrap();
            let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    #[test]
    fn an_archive_is_unpacked_once_and_again_when_it_changed() {
        let scene = Scene::new(&archive(&[("terraform-provider-b", "one")]));
        let first = scene.unpack().unwrap();
        let inode = fs::metadata(&first).unwrap().ino();
        assert_eq!(scene.unpack().unwrap(), first);
        // The same bytes in another file are the same package.
        fs::write(scene.archive(), archive(&[("terraform-provider-b", "one")])).unwrap();
        assert_eq!(scene.unpack().unwrap(), first);
        assert_eq!(fs::metadata(&first).unwrap().ino(), inode);
        fs::write(scene.archive(), archive(&[("terraform-provider-b", "two")])).unwrap();
        let second = scene.unpack().unwrap();
        assert_ne!(second, first);
        assert_eq!(fs::read_to_string(second.join("terraform-provider-b")).unwrap(), "two");
        assert_eq!(fs::read_to_string(first.join("terraform-provider-b")).unwrap(), "one");
        let index = Index::read(&scene.place());
        let digests: Vec<&str> = index.archives.iter().map(|entry| entry.h1.as_str()).collect();
        assert_eq!(digests, [crate::package_digest(&second).unwrap()]);
    }

    #[test]
    fn many_at_once_unpack_it_once() {
        let scene = Scene::new(&archive(&[("terraform-provider-b", &"x".repeat(1 << 20))]));
        let found: Vec<PathBuf> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| scene.unpack().unwrap())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(scene.names(), [found[0].file_name().unwrap().to_str().unwrap(), "index.json", "lock"]);
    }

    #[test]
    fn what_a_dead_one_left_is_removed() {
        let scene = Scene::new(&archive(&[("terraform-provider-b", "one")]));
        let half = scene.place().join(".unpacking-1234");
        fs::create_dir_all(&half).unwrap();
        fs::write(half.join("terraform-provider-b"), "o").unwrap();
        fs::write(scene.place().join("index.json"), "{").unwrap();
        scene.unpack().unwrap();
        assert!(!half.exists());
    }

    #[test]
    fn a_damaged_archive_leaves_nothing_and_a_mended_one_is_taken() {
        let mut bytes = archive(&[("terraform-provider-b", "some text that is long enough to be found again")]);
        bytes[60] ^= 0xff;
        let scene = Scene::new(&bytes);
        let error = scene.unpack().unwrap_err();
        assert_eq!(error.code, "terraform-package");
        assert!(error.detail.unwrap().contains("b.zip: the archive is damaged"));
        assert_eq!(scene.names(), ["lock"]);
        fs::write(scene.archive(), archive(&[("terraform-provider-b", "one")])).unwrap();
        scene.unpack().unwrap();
        fs::remove_file(scene.archive()).unwrap();
        assert!(scene.unpack().unwrap_err().detail.unwrap().contains("cannot be read"));
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_named() {
        let scene = Scene::new(&archive(&[("terraform-provider-b", "one")]));
        fs::write(scene.cache(), "a file").unwrap();
        let error = scene.unpack().unwrap_err();
        assert_eq!(error.code, "terraform-cache");
        assert!(error.detail.unwrap().contains("cache/x.io/a/b/1.0.0"));
        let full = disk(Path::new("/cache"), &io::Error::from(ErrorKind::StorageFull));
        assert_eq!(full.hints, ["Make room on that disk, then run the command again."]);
    }

    #[test]
    fn the_program_can_be_executed() {
        let scene = Scene::new(&archive(&[("terraform-provider-b", "#!/bin/sh\n")]));
        let program = scene.unpack().unwrap().join("terraform-provider-b");
        assert_eq!(fs::metadata(program).unwrap().permissions().mode() & 0o777, 0o755);
    }
}
