//! Directories with packages of providers, in the two layouts that Terraform and OpenTofu know.
//!
//! Packed: `HOST/NAMESPACE/TYPE/terraform-provider-TYPE_VERSION_OS_PROCESSOR.zip`, a file. Unpacked: `HOST/NAMESPACE/TYPE/VERSION/OS_PROCESSOR`,
//! a directory. Names match in any case. The mirror itself, a file and the last directory can be symbolic links; links in between are skipped,
//! as in Terraform.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use outrigger_terraform::address::{self, Address, FILE_PREFIX};
use outrigger_terraform::constraint::exact_version;
use semver::Version;

use crate::terraform::platform::Platform;

/// A package of a provider, for one platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderPackage {
    /// Its version.
    pub version: Version,
    /// Its platform.
    pub platform: Platform,
    /// Its location.
    pub location: Location,
}

/// The location of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A directory with the executable in it.
    Directory(PathBuf),
    /// An archive of such a directory.
    Archive(PathBuf),
}

/// Every package of a provider in a mirror, for any platform; of each version, unpacked ones come before packed ones.
pub fn packages(mirror: &Path, address: &Address) -> io::Result<Vec<ProviderPackage>> {
    let mut found = Vec::new();
    for host in directories(mirror, |name| address::host(name).is_ok_and(|name| name == address.host()))? {
        let same = |wanted: &str, name: &str| address::part(name).is_ok_and(|name| name == wanted);
        for namespace in directories(&host, |name| same(address.namespace(), name))? {
            for kind in directories(&namespace, |name| same(address.kind(), name))? {
                unpacked(&kind, &mut found)?;
                packed(&kind, address, &mut found)?;
            }
        }
    }
    found.sort_by(|one: &ProviderPackage, other| one.version.cmp(&other.version));
    Ok(found)
}

/// The hosts under which a mirror has providers of this namespace and type.
pub(crate) fn hosts(mirror: &Path, address: &Address) -> Vec<String> {
    let mut hosts: Vec<String> = directories(mirror, |_| true)
        .unwrap_or_default()
        .iter()
        .filter_map(|directory| address::host(directory.file_name()?.to_str()?).ok())
        .filter(|host| packages(mirror, &address.at(host)).is_ok_and(|packages| !packages.is_empty()))
        .collect();
    hosts.sort();
    hosts.dedup();
    hosts
}

fn unpacked(kind: &Path, found: &mut Vec<ProviderPackage>) -> io::Result<()> {
    for directory in directories(kind, |name| exact_version(name).is_some())? {
        let Some(version) = directory.file_name().and_then(|name| exact_version(name.to_str()?)) else { continue };
        for (name, path) in entries(&directory)? {
            if let Some(platform) = Platform::parse(&name).filter(|_| path.is_dir()) {
                found.push(ProviderPackage { version: version.clone(), platform, location: Location::Directory(path) });
            }
        }
    }
    Ok(())
}

fn packed(kind: &Path, address: &Address, found: &mut Vec<ProviderPackage>) -> io::Result<()> {
    let prefix = format!("{FILE_PREFIX}{}_", address.kind());
    for (name, path) in entries(kind)? {
        let name = name.to_ascii_lowercase();
        let Some(rest) = name.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(".zip")) else { continue };
        let Some((version, platform)) = rest.split_once('_') else { continue };
        if let (Some(version), Some(platform)) = (exact_version(version), Platform::parse(platform))
            && path.is_file()
        {
            found.push(ProviderPackage { version, platform, location: Location::Archive(path) });
        }
    }
    Ok(())
}

/// The directories in a directory whose names are wanted, without links.
fn directories(parent: &Path, wanted: impl Fn(&str) -> bool) -> io::Result<Vec<PathBuf>> {
    let found = entries(parent)?
        .into_iter()
        .filter(|(name, path)| wanted(name) && fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir()));
    Ok(found.map(|(_, path)| path).collect())
}

/// The entries of a directory, in order; names that are not text are skipped.
fn entries(directory: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        // An entry that was deleted meanwhile is skipped.
        match entry {
            Ok(entry) => found.extend(entry.file_name().into_string().ok().map(|name| (name, entry.path()))),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn shown(mirror: &Path, address: &str) -> Vec<String> {
        let packages = packages(mirror, &address.parse().unwrap()).unwrap();
        let shown = packages.iter().map(|package| {
            let (kind, path) = match &package.location {
                Location::Directory(path) => ("directory", path),
                Location::Archive(path) => ("archive", path),
            };
            let path = path.strip_prefix(mirror).unwrap().display();
            format!("{} {} {kind} {path}", package.version, package.platform)
        });
        shown.collect()
    }

    #[test]
    fn both_layouts_are_found_and_everything_else_is_passed_over() {
        let mirror = tempfile::tempdir().unwrap();
        let base = mirror.path();
        let file = |path: &str| {
            let path = base.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        };
        file("x.io/a/b/1.0.0/linux_amd64/terraform-provider-b");
        file("x.io/a/b/1.0.0/linux_amd64.lock");
        file("x.io/a/b/2.0.0-rc1/darwin_arm64/terraform-provider-b");
        file("x.io/a/b/not-a-version/linux_amd64/terraform-provider-b");
        file("x.io/a/b/terraform-provider-b_1.0.0_linux_amd64.zip");
        file("X.io/A/b/Terraform-Provider-B_3.0.0_linux_amd64.ZIP");
        file("x.io/a/b/terraform-provider-c_1.0.0_linux_amd64.zip");
        file("x.io/a/b/terraform-provider-b_1.0.0_linux.zip");
        file("x.io/a/b/index.json");
        file("x.io/a/other/9.0.0/linux_amd64/terraform-provider-other");
        let unpacked = "directory x.io/a/b";
        assert_eq!(
            shown(base, "x.io/a/b"),
            [
                format!("1.0.0 linux_amd64 {unpacked}/1.0.0/linux_amd64"),
                "1.0.0 linux_amd64 archive x.io/a/b/terraform-provider-b_1.0.0_linux_amd64.zip".to_owned(),
                format!("2.0.0-rc1 darwin_arm64 {unpacked}/2.0.0-rc1/darwin_arm64"),
                "3.0.0 linux_amd64 archive X.io/A/b/Terraform-Provider-B_3.0.0_linux_amd64.ZIP".to_owned(),
            ]
        );
        assert!(shown(base, "y.io/a/b").is_empty());
        assert_eq!(hosts(base, &"y.io/a/b".parse().unwrap()), ["x.io"]);
    }

    #[test]
    fn links_are_followed_at_the_ends_only() {
        let mirror = tempfile::tempdir().unwrap();
        let base = mirror.path();
        fs::create_dir_all(base.join("real/x.io/a/b/1.0.0")).unwrap();
        fs::create_dir_all(base.join("package")).unwrap();
        symlink(base.join("package"), base.join("real/x.io/a/b/1.0.0/linux_amd64")).unwrap();
        symlink(base.join("real/x.io/a/b/1.0.0"), base.join("real/x.io/a/b/2.0.0")).unwrap();
        symlink(base.join("real/x.io"), base.join("real/y.io")).unwrap();
        symlink(base.join("real"), base.join("mirror")).unwrap();
        let mirror = base.join("mirror");
        assert_eq!(shown(&mirror, "x.io/a/b"), ["1.0.0 linux_amd64 directory x.io/a/b/1.0.0/linux_amd64"]);
        assert!(shown(&mirror, "y.io/a/b").is_empty());
    }
}
