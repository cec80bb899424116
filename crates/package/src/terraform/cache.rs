//! Unpacked archives: `HOST/NAMESPACE/TYPE/VERSION/PLATFORM/DIGEST` below a directory of ours.
//!
//! A directory named after an archive's digest is made under another name, flushed, and renamed, under a lock of the package: two processes
//! unpack it once, and the remains of one that died are removed by the next. We never change a directory; if its executable is not as we left
//! it, another program or the disk has changed it, and the archive is unpacked again. The directory of an archive that was replaced is removed a
//! day later.

mod index;

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use outrigger_diagnostic::Diagnostic;
use outrigger_terraform::address::Address;

use crate::terraform::archive::{self, Failure};
use crate::terraform::digest::archive_digest;
use crate::terraform::executable;
use crate::terraform::mirror::ProviderPackage;

use index::{Entry, Index, Stamp};

/// The prefix of unfinished directories.
const UNFINISHED: &str = ".unpacking-";

/// How long a directory without an archive is kept: a command that got its path earlier may still start the program in it.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// The directory of an archive, which is unpacked if that has not been done.
pub(crate) fn unpacked(
    cache: Option<&Path>,
    address: &Address,
    package: &ProviderPackage,
    archive: &Path,
) -> Result<PathBuf, Diagnostic> {
    let place = cache
        .ok_or_else(|| nowhere(archive))?
        .join(address.host())
        .join(address.namespace())
        .join(address.kind())
        .join(package.version.to_string())
        .join(package.platform.to_string());
    let unreadable = |error: io::Error| broken(address, archive, &format!("the archive cannot be read: {error}"));
    let mut file = File::open(archive).map_err(unreadable)?;
    let stamp = Stamp::of_archive(archive, &file).map_err(unreadable)?;
    if let Some(directory) = known(&place, &stamp, address.kind()) {
        return Ok(directory);
    }
    let unwritable = |error: io::Error| disk(&place, &error);
    fs::create_dir_all(&place).map_err(unwritable)?;
    let lock = File::create(place.join("lock")).map_err(unwritable)?;
    // The process that holds the lock is unpacking; if it dies, the system releases the lock.
    lock.lock().map_err(unwritable)?;
    if let Some(directory) = known(&place, &stamp, address.kind()) {
        return Ok(directory);
    }
    remove_unfinished(&place).map_err(unwritable)?;
    let zh = archive_digest(&mut file).map_err(unreadable)?;
    let directory = place.join(name_of(&zh));
    let mut index = Index::read(&place);
    let same = |entry: &&Entry| entry.zh == zh && entry.is_whole(&directory, address.kind());
    let (h1, program) = match index.archives.iter().find(same) {
        Some(entry) => (entry.h1.clone(), entry.program.clone()),
        None => {
            if directory.is_dir() {
                fs::remove_dir_all(&directory).map_err(unwritable)?;
            }
            let h1 = unpack(&file, &place, &directory, address).map_err(|failure| match failure {
                Failure::Archive(reason) => broken(address, archive, &format!("the archive {reason}")),
                Failure::Disk(error) => disk(&place, &error),
            })?;
            let program = executable::program(&directory, address)?;
            (h1, Stamp::of_program(&program).map_err(unwritable)?)
        }
    };
    let before = Index::read(&place);
    index.put(Entry { archive: stamp, program, zh, h1 });
    index.write(&place).map_err(unwritable)?;
    // A directory that cannot be removed only takes space, and the next process tries again.
    let _ = remove_forgotten(&place, &before, &index);
    Ok(directory)
}

/// The directory of an archive, if neither the archive nor its executable has changed since it was unpacked.
fn known(place: &Path, stamp: &Stamp, kind: &str) -> Option<PathBuf> {
    let index = Index::read(place);
    let entry = index.archives.iter().find(|entry| entry.archive == *stamp)?;
    Some(place.join(name_of(&entry.zh))).filter(|directory| entry.is_whole(directory, kind))
}

/// Enough of the digest to distinguish archives of one version, in a path that leaves room for a socket beside it.
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
        // If it cannot be removed now, the next process removes it.
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

/// Removes directories without an archive, counting from when that is first seen; without an earlier index, it is not known which of them were
/// in use a moment ago.
fn remove_forgotten(place: &Path, before: &Index, now: &Index) -> io::Result<()> {
    for entry in fs::read_dir(place)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_of = |index: &Index| index.archives.iter().any(|entry| name == name_of(&entry.zh));
        if is_of(now) || !entry.file_type()?.is_dir() {
            continue;
        }
        if is_of(before) || before.archives.is_empty() {
            File::open(entry.path())?.set_modified(SystemTime::now())?;
        } else if entry.metadata()?.modified()?.elapsed().is_ok_and(|age| age > KEPT) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

fn broken(address: &Address, archive: &Path, reason: &str) -> Diagnostic {
    Diagnostic::error("terraform-package", format!("the package of `{address}` cannot be used"))
        .detail(format!("{}: {reason}.", archive.display()))
        .hint("Put a complete archive there, for instance with `terraform providers mirror`.")
}

/// The error if no directory belongs to the user. One that every user can write to is not safe: programs in it are going to be started.
fn nowhere(archive: &Path) -> Diagnostic {
    Diagnostic::error("terraform-cache", "a Terraform provider cannot be unpacked")
        .detail(format!(
            "There is no directory to unpack `{}` into: neither XDG_CACHE_HOME nor HOME names one.",
            archive.display()
        ))
        .hint("Set XDG_CACHE_HOME or HOME to a directory of your own, as an absolute path.")
        .hint("A mirror in the unpacked layout, or the path of an executable, works without that directory.")
}

fn disk(place: &Path, error: &io::Error) -> Diagnostic {
    let hint = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "Make room on that disk, then run the command again.",
        _ => "Check that directory; it can also be removed.",
    };
    Diagnostic::error("terraform-cache", "a Terraform provider cannot be unpacked")
        .detail(format!("`{}` cannot be written: {error}.", place.display()))
        .hint(hint)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::thread;

    use super::*;
    use crate::terraform::archive::tests::archive;
    use crate::terraform::{Location, Platform};

    struct Scene {
        directory: tempfile::TempDir,
        address: Address,
        package: ProviderPackage,
    }

    impl Scene {
        fn new(bytes: &[u8]) -> Self {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("b.zip");
            fs::write(&path, bytes).unwrap();
            let package = ProviderPackage {
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
            unpacked(Some(&self.cache()), &self.address, &self.package, &self.archive())
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
        assert_eq!(digests, [crate::terraform::package_digest(&second).unwrap()]);
    }

    #[test]
    fn what_no_archive_has_any_more_is_removed_after_a_day() {
        let scene = Scene::new(&archive(&[("terraform-provider-b", "one")]));
        let next = |text: &str| {
            fs::write(scene.archive(), archive(&[("terraform-provider-b", text)])).unwrap();
            scene.unpack().unwrap()
        };
        let is_two_days_old = |directory: &Path| {
            File::open(directory).unwrap().set_modified(SystemTime::now() - 2 * KEPT).unwrap();
        };
        let first = scene.unpack().unwrap();
        // It was in use a moment ago, however old it is.
        is_two_days_old(&first);
        let second = next("two");
        let third = next("three");
        assert!(first.exists() && second.exists());
        is_two_days_old(&first);
        let fourth = next("four");
        assert!(!first.exists() && second.exists() && third.exists());
        // Without the index it is unknown which archives were in use.
        is_two_days_old(&second);
        fs::write(scene.place().join("index.json"), "{").unwrap();
        let fifth = next("five");
        assert!([&second, &third, &fourth, &fifth].into_iter().all(|directory| directory.exists()));
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
    fn what_was_damaged_is_unpacked_again() {
        let damages: [fn(&Path); 5] = [
            |program| fs::remove_file(program).unwrap(),
            |program| File::options().write(true).open(program).unwrap().set_len(1).unwrap(),
            |program| fs::write(program, "another one").unwrap(),
            |program| fs::set_permissions(program, fs::Permissions::from_mode(0o644)).unwrap(),
            |program| fs::remove_dir_all(program.parent().unwrap()).unwrap(),
        ];
        for (place, damage) in damages.iter().enumerate() {
            let scene = Scene::new(&archive(&[("terraform-provider-b", "one")]));
            let program = scene.unpack().unwrap().join("terraform-provider-b");
            damage(&program);
            let healed = executable::program(&scene.unpack().unwrap(), &scene.address).unwrap();
            assert_eq!((&healed, fs::read_to_string(&healed).unwrap().as_str()), (&program, "one"), "{place}");
            // The same happens with another file of the same bytes.
            damage(&program);
            let other = scene.directory.path().join("other.zip");
            fs::copy(scene.archive(), &other).unwrap();
            fs::rename(&other, scene.archive()).unwrap();
            let healed = executable::program(&scene.unpack().unwrap(), &scene.address).unwrap();
            assert_eq!((&healed, fs::read_to_string(&healed).unwrap().as_str()), (&program, "one"), "{place}");
        }
    }

    #[test]
    fn two_archives_with_the_same_bytes_share_what_is_whole() {
        let scene = Scene::new(&archive(&[("terraform-provider-b", "one")]));
        let other = scene.directory.path().join("other.zip");
        fs::copy(scene.archive(), &other).unwrap();
        let unpack_other = || unpacked(Some(&scene.cache()), &scene.address, &scene.package, &other).unwrap();
        let first = scene.unpack().unwrap();
        assert_eq!(unpack_other(), first);
        fs::remove_file(first.join("terraform-provider-b")).unwrap();
        scene.unpack().unwrap();
        let inode = fs::metadata(&first).unwrap().ino();
        // The index entry of the other archive describes the damaged program.
        assert_eq!(unpack_other(), first);
        assert_eq!(fs::metadata(&first).unwrap().ino(), inode);
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
