//! The archive of a plugin as Pulumi downloads and installs it, and the checksums of a release.

use std::fmt::Write as _;
use std::fs::{self, File, Permissions};
use std::io::{self, Read as _, Seek as _, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use semver::Version;
use sha2::{Digest, Sha256};

/// An archive to be written. Equal files give equal archives: no time and no user is in them.
#[derive(Clone, Debug)]
pub struct Archive {
    /// The plugin's name.
    pub plugin: String,
    /// Its version.
    pub version: Version,
    /// The platform, such as `linux-amd64`.
    pub platform: String,
    /// The executable.
    pub executable: PathBuf,
    /// Other files, such as the licence, which keep their names.
    pub others: Vec<PathBuf>,
}

impl Archive {
    /// The name that Pulumi looks for in a release.
    pub fn file_name(&self) -> String {
        format!("{}{}{SUFFIX}", prefix(&self.plugin, &self.version), self.platform)
    }

    /// Writes it into a directory, all of it or nothing, and never over a file that is there unless `overwrite` is set.
    pub fn write(&self, directory: &Path, overwrite: bool) -> io::Result<()> {
        let mut file = unfinished(directory)?;
        let mut archive = tar::Builder::new(GzEncoder::new(io::BufWriter::new(&mut file), Compression::best()));
        let extension = if self.platform.starts_with("windows-") { ".exe" } else { "" };
        add(&mut archive, &self.executable, &format!("pulumi-resource-{}{extension}", self.plugin), 0o755)?;
        for path in &self.others {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            add(&mut archive, path, &name, 0o644)?;
        }
        archive.into_inner()?.finish()?.flush()?;
        file.as_file().sync_all()?;
        let path = directory.join(self.file_name());
        let placed = if overwrite { file.persist(&path) } else { file.persist_noclobber(&path) };
        placed.map_err(|error| error.error)?;
        Ok(())
    }
}

/// Writes the SHA-256 checksums of all archives of a version that are in the directory, as `sha256sum` does, and gives the file's name.
pub fn checksums(directory: &Path, plugin: &str, version: &Version) -> io::Result<String> {
    let prefix = prefix(plugin, version);
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        let Ok(name) = entry?.file_name().into_string() else { continue };
        let platform = name.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(SUFFIX));
        // A later version may contain other characters.
        let is_platform = |text: &str| text.split('-').count() == 2 && text.bytes().all(|byte| byte != b'.');
        if platform.is_some_and(is_platform) {
            names.push(name);
        }
    }
    names.sort();
    let mut text = String::new();
    for name in names {
        let digest = Sha256::digest(fs::read(directory.join(&name))?);
        let _infallible = writeln!(text, "{}  {name}", hex::encode(digest));
    }
    let name = format!("pulumi-{plugin}_{version}_checksums.txt");
    let mut file = unfinished(directory)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(directory.join(&name)).map_err(|error| error.error)?;
    Ok(name)
}

/// A version without a `v` in front of it.
pub fn parse_version(text: &str) -> Option<Version> {
    Version::parse(text).ok()
}

const SUFFIX: &str = ".tar.gz";

fn prefix(plugin: &str, version: &Version) -> String {
    format!("pulumi-resource-{plugin}-v{version}-")
}

/// A hidden file that goes away unless it gets its name.
fn unfinished(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(directory)
}

fn add(archive: &mut tar::Builder<impl Write>, path: &Path, name: &str, mode: u32) -> io::Result<()> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("`{}` cannot be read: {error}", path.display()));
    let mut file = File::open(path).map_err(named)?;
    let size = file.metadata()?.len();
    let mut header = tar::Header::new_ustar();
    header.set_size(size);
    header.set_mode(mode);
    header.set_mtime(0);
    archive.append_data(&mut header, name, (&mut file).take(size))?;
    // The header has the size already.
    if file.stream_position()? != size || file.metadata()?.len() != size {
        return Err(io::Error::other(format!("`{}` changed while it was read", path.display())));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(directory: &Path) -> Archive {
        let executable = directory.join("built");
        fs::write(&executable, "\x7fELF and so on").unwrap();
        fs::write(directory.join("LICENSE"), "do as you like").unwrap();
        Archive {
            plugin: "weather".to_owned(),
            version: Version::new(1, 2, 3),
            platform: "linux-amd64".to_owned(),
            executable,
            others: vec![directory.join("LICENSE")],
        }
    }

    #[test]
    fn it_holds_the_executable_by_its_right_name() {
        let directory = tempfile::tempdir().unwrap();
        let archive = archive(directory.path());
        archive.write(directory.path(), false).unwrap();
        let name = "pulumi-resource-weather-v1.2.3-linux-amd64.tar.gz";
        assert_eq!(archive.file_name(), name);
        let file = File::open(directory.path().join(name)).unwrap();
        let mut read = tar::Archive::new(flate2::read::GzDecoder::new(file));
        let members = read.entries().unwrap().map(|member| {
            let mut member = member.unwrap();
            let mut text = String::new();
            member.read_to_string(&mut text).unwrap();
            (member.path().unwrap().display().to_string(), member.header().mode().unwrap(), text)
        });
        assert_eq!(
            members.collect::<Vec<_>>(),
            [
                ("pulumi-resource-weather".to_owned(), 0o755, "\x7fELF and so on".to_owned()),
                ("LICENSE".to_owned(), 0o644, "do as you like".to_owned()),
            ]
        );
    }

    #[test]
    fn equal_files_give_equal_archives_and_nothing_is_overwritten_unasked() {
        let directory = tempfile::tempdir().unwrap();
        let archive = archive(directory.path());
        let path = directory.path().join(archive.file_name());
        archive.write(directory.path(), false).unwrap();
        let first = fs::read(&path).unwrap();
        // Another time in the file system.
        fs::remove_file(&archive.executable).unwrap();
        fs::write(&archive.executable, "\x7fELF and so on").unwrap();
        assert_eq!(archive.write(directory.path(), false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        archive.write(directory.path(), true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), first);
        let windows = Archive { platform: "windows-amd64".to_owned(), ..archive };
        windows.write(directory.path(), false).unwrap();
        let names = fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(names, 4, "nothing unfinished is left");
    }

    #[test]
    fn a_failure_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let mut archive = archive(directory.path());
        archive.others.push(directory.path().join("README.md"));
        assert_eq!(archive.write(directory.path(), true).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    }

    #[test]
    fn checksums_are_of_the_version_alone() {
        let directory = tempfile::tempdir().unwrap();
        for name in [
            "pulumi-resource-weather-v1.2.3-linux-arm64.tar.gz",
            "pulumi-resource-weather-v1.2.3-linux-amd64.tar.gz",
            "pulumi-resource-weather-v1.2.3-beta.1-linux-amd64.tar.gz",
            "pulumi-resource-weather-v1.2.3-beta-linux-amd64.tar.gz",
            "pulumi-resource-weather-v1.2.30-linux-amd64.tar.gz",
            "notes.txt",
        ] {
            fs::write(directory.path().join(name), "").unwrap();
        }
        let name = checksums(directory.path(), "weather", &Version::new(1, 2, 3)).unwrap();
        assert_eq!(name, "pulumi-weather_1.2.3_checksums.txt");
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(
            fs::read_to_string(directory.path().join(name)).unwrap(),
            format!(
                "{empty}  pulumi-resource-weather-v1.2.3-linux-amd64.tar.gz\n{empty}  pulumi-resource-weather-v1.2.3-linux-arm64.tar.gz\n"
            )
        );
    }
}
