//! Finds a plugin's program by its name.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::PluginDescriptor;
use semver::Version;

use crate::Address;

/// Finds plugins: descriptor in, program out. Each resolver defines the meaning of names and versions: for Terraform providers they are
/// addresses and constraints.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// Finds a plugin. The error names every place that was searched.
    async fn resolve(&self, wanted: &PluginDescriptor) -> Result<Resolved, Unresolved>;
}

/// A plugin that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Where it is.
    pub place: Place,
    /// Its first arguments; those of the protocol come after them.
    pub arguments: Vec<OsString>,
    /// Where it was found.
    pub origin: Origin,
    /// Its version, if that is known without starting it.
    pub version: Option<Version>,
    /// Warnings for the user, such as a plugin of another version that was skipped.
    pub warnings: Vec<Diagnostic>,
}

impl Resolved {
    /// A program.
    pub fn program(program: PathBuf, origin: Origin) -> Self {
        let place = Place::Program(program);
        Self { place, arguments: Vec::new(), origin, version: None, warnings: Vec::new() }
    }

    /// The executable, if there is one to start.
    pub fn executable(&self) -> Option<&Path> {
        match &self.place {
            Place::Program(program) => Some(program),
            Place::Running(_) => None,
        }
    }
}

/// The place of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// An executable.
    Program(PathBuf),
    /// A process that another program started, such as a debugger.
    Running(Reattach),
}

/// A running plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reattach {
    /// The version of its protocol.
    pub version: u32,
    /// Its address.
    pub address: Address,
    /// Its process, for messages.
    pub process_id: u32,
}

/// Where a plugin was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The project or the user names it.
    Project,
    /// It is in `PATH`, and takes precedence over installed ones, whatever its version.
    Ambient,
    /// It is next to our own executable.
    Bundled,
    /// It is installed.
    Installed,
    /// It is part of the program that embeds the host.
    BuiltIn,
}

/// Why a plugin was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// There is none of this name.
    Missing(Diagnostic),
    /// There are only other versions.
    OtherVersions(Diagnostic),
    /// The search failed, or the plugin that was found cannot be used.
    Failed(Diagnostic),
}

impl From<Diagnostic> for Unresolved {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Failed(diagnostic)
    }
}

impl From<Unresolved> for Diagnostic {
    fn from(unresolved: Unresolved) -> Self {
        match unresolved {
            Unresolved::Missing(diagnostic)
            | Unresolved::OtherVersions(diagnostic)
            | Unresolved::Failed(diagnostic) => diagnostic,
        }
    }
}
