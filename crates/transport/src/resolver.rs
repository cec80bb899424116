//! From a plugin's name to its program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::PluginDescriptor;
use semver::Version;

use crate::Address;

/// Finds plugins: descriptor in, program out. A resolver says itself what names and versions mean: for Terraform providers
/// they are addresses and constraints.
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
    /// What the user should know, such as a plugin of another version that was passed over.
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

/// Where a plugin is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// An executable.
    Program(PathBuf),
    /// A process that somebody else started, in a debugger for example.
    Running(Reattach),
}

/// A plugin that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reattach {
    /// The version of its protocol.
    pub version: u32,
    /// Where it listens.
    pub address: Address,
    /// Its process, for messages.
    pub process_id: u32,
}

/// Who says that a plugin is this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The project, or the user, names it.
    Project,
    /// It is in `PATH`, and wins over installed ones, whatever its version is.
    Ambient,
    /// It lies next to our own executable.
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
    /// The search failed, or what was found cannot be used.
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
