//! The report of a search that finds nothing.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use outrigger_diagnostic::{Diagnostic, Place};
use outrigger_terraform::address::Address;
use outrigger_terraform::constraint::Constraint;
use outrigger_transport::Unresolved;
use semver::Version;

use crate::terraform::cli_config::{CliConfig, MethodSource};
use crate::terraform::mirror::{self, ProviderPackage};
use crate::terraform::platform::Platform;

/// The places searched so far.
pub(super) struct Report<'a> {
    address: &'a Address,
    constraint: &'a Constraint,
    config: &'a CliConfig,
    directories: Vec<PathBuf>,
    places: Vec<String>,
    registries: Vec<String>,
    versions: BTreeSet<Version>,
}

impl<'a> Report<'a> {
    pub(super) fn new(address: &'a Address, constraint: &'a Constraint, config: &'a CliConfig) -> Self {
        let (directories, places, registries) = (Vec::new(), Vec::new(), Vec::new());
        Self { address, constraint, config, directories, places, registries, versions: BTreeSet::new() }
    }

    /// Records the packages in a directory, and returns them: none, if it cannot be read.
    pub(super) fn searched(
        &mut self,
        directory: &Path,
        found: io::Result<Vec<ProviderPackage>>,
    ) -> Vec<ProviderPackage> {
        let (packages, unreadable) = match found {
            Ok(packages) => (packages, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let versions: BTreeSet<&Version> = packages.iter().map(|package| &package.version).collect();
        let has = match (unreadable, listed(versions.iter().copied())) {
            (Some(error), _) => format!("cannot be read: {error}"),
            (None, None) => "has no version of it".to_owned(),
            (None, Some(versions)) => format!("has {versions}"),
        };
        self.places.push(format!("`{}`, which {has}", directory.display()));
        self.versions.extend(versions.into_iter().cloned());
        self.directories.push(directory.to_owned());
        packages
    }

    /// Records a method that cannot be used.
    pub(super) fn registry(&mut self, source: &MethodSource) {
        self.registries.push(match source {
            MethodSource::NetworkMirror(url) => format!("the network mirror `{url}`"),
            MethodSource::OciMirror(template) => format!("the OCI mirror `{template}`"),
            MethodSource::Direct | MethodSource::FilesystemMirror(_) => {
                format!("the registry `{}`", self.address.host())
            }
        });
    }

    /// The error if nothing was found, or nothing that meets the constraint.
    pub(super) fn nothing_fits(self) -> Unresolved {
        let Self { address, constraint, .. } = &self;
        let mut error = if self.versions.is_empty() {
            Diagnostic::error("terraform-missing", format!("Terraform provider `{address}` was not found"))
        } else if constraint.is_empty() {
            let summary = format!("no release of Terraform provider `{address}` was found");
            Diagnostic::error("terraform-version", summary)
        } else {
            let summary = format!("no version of Terraform provider `{address}` meets `{constraint}`");
            Diagnostic::error("terraform-version", summary)
        };
        error = error.detail(self.detail());
        if self.versions.is_empty() {
            error = self.elsewhere(error);
        } else if let Some(versions) = listed(self.versions.iter().filter(|version| !version.pre.is_empty())) {
            error = error.hint(format!("A pre-release is used only if exactly that version is requested: {versions}."));
        }
        if !self.registries.is_empty() {
            error = error.hint(
                "Get it with `terraform providers mirror DIRECTORY`, and name DIRECTORY as a `filesystem_mirror` in \
                 `~/.terraformrc`, or copy its contents into `~/.terraform.d/plugins`.",
            );
        }
        error = error.hint(format!(
            "The path of an executable can be given instead of an address, as in `./terraform-provider-{}`.",
            address.kind()
        ));
        let error = self.passed_over(error);
        if self.versions.is_empty() { Unresolved::Missing(error) } else { Unresolved::OtherVersions(error) }
    }

    /// The error if the best version is not available for this machine.
    pub(super) fn wrong_platform(
        self,
        platform: &Platform,
        packages: &[ProviderPackage],
        version: &Version,
    ) -> Diagnostic {
        let of_version = packages.iter().filter(|package| package.version == *version);
        let platforms: BTreeSet<String> = of_version.map(|package| package.platform.to_string()).collect();
        let platforms: Vec<String> = platforms.into_iter().collect();
        let summary = format!("Terraform provider `{}` {version} is not available for `{platform}`", self.address);
        let error = Diagnostic::error("terraform-platform", summary)
            .detail(format!("It is available for {}.\n{}", platforms.join(", "), self.detail()))
            .hint(format!("Add it with `terraform providers mirror -platform={platform} DIRECTORY`."));
        let fitting = packages.iter().filter(|package| package.platform == *platform).map(|package| &package.version);
        let error = match self.constraint.newest(fitting) {
            Some(other) => error.hint(format!("Version {other} is available for it; request exactly that version.")),
            None => error,
        };
        self.passed_over(error)
    }

    /// Hints at other hosts: Terraform and OpenTofu write mirrors with different ones.
    fn elsewhere(&self, mut error: Diagnostic) -> Diagnostic {
        for directory in &self.directories {
            for host in mirror::hosts(directory, self.address) {
                let other = self.address.at(&host);
                error = error.hint(format!("`{}` has `{other}`: write that address.", directory.display()));
            }
        }
        error
    }

    fn detail(&self) -> String {
        let mut detail = match self.places.as_slice() {
            [] => "No directory was searched.".to_owned(),
            places => format!("Searched:{}", places.iter().map(|place| format!("\n  - {place}")).collect::<String>()),
        };
        if !self.registries.is_empty() {
            detail.push_str("\nNot searched, because sources on a network are not supported yet:");
            detail.extend(self.registries.iter().map(|place| format!("\n  - {place}")));
        }
        detail
    }

    /// Adds notes about settings that have no effect, although the user may expect one.
    fn passed_over(&self, mut error: Diagnostic) -> Diagnostic {
        if let Some(absent) = &self.config.absent {
            error = error.note(format!("{} names `{}`, which does not exist", absent.variable, absent.path.display()));
        }
        for unknown in &self.config.unknown {
            error = error.note(format!("{}: the setting `{}` is not known", unknown.place, unknown.name));
        }
        error
    }
}

/// The error if a mirror that the user names cannot be read.
pub(super) fn unreadable(directory: &Path, error: &io::Error, named_at: Place) -> Diagnostic {
    Diagnostic::error("terraform-mirror", "a mirror of Terraform providers cannot be read")
        .detail(format!("`{}`: {error}.", directory.display()))
        .at(named_at)
        .hint("Correct `path`, or remove the method.")
}

fn listed<'a>(versions: impl Iterator<Item = &'a Version>) -> Option<String> {
    let versions: Vec<String> = versions.map(ToString::to_string).collect();
    (!versions.is_empty()).then(|| versions.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_cannot_be_read_is_told_from_one_that_has_nothing() {
        let (address, constraint, config) = ("x.io/a/b".parse().unwrap(), Constraint::default(), CliConfig::default());
        let mut report = Report::new(&address, &constraint, &config);
        assert_eq!(report.searched(Path::new("/empty"), Ok(Vec::new())), []);
        assert_eq!(report.searched(Path::new("/shut"), Err(io::ErrorKind::PermissionDenied.into())), []);
        let Unresolved::Missing(error) = report.nothing_fits() else { panic!() };
        assert_eq!(error.code, "terraform-missing");
        let places =
            "Searched:\n  - `/empty`, which has no version of it\n  - `/shut`, which cannot be read: permission denied";
        assert_eq!(error.detail.as_deref(), Some(places));
    }
}
