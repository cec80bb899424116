//! What the bridge needs from outside: where providers come from, and where their schemas are kept.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use bytes::Bytes;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::Parameterize;
use outrigger_terraform::Protocol;
use outrigger_transport::goplugin::Reattach;
use semver::Version;

use crate::naming::tokens::Selection;

/// A provider that was found.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Where it is.
    pub place: Place,
    /// Its name: `random`.
    pub provider: String,
    /// What its package is called: its name, or what the user wants.
    pub package: String,
    /// Its version; 0.0.0 for a file.
    pub version: Version,
    /// Its namespace, unless it is a file.
    pub namespace: Option<String>,
    /// Which of its resources and functions are wanted.
    pub selection: Selection,
    /// What makes the bridge this package again.
    pub value: Vec<u8>,
}

/// Where a provider is.
#[derive(Clone, Debug)]
pub enum Place {
    /// A program that the bridge starts.
    Program(PathBuf),
    /// A process that somebody else started.
    Running(Reattach),
}

/// Finds providers.
#[async_trait]
pub trait Origins: Send + Sync {
    /// The provider that arguments or a stored value name.
    async fn find(&self, wanted: &Parameterize) -> Result<Origin, Diagnostic>;
}

/// Keeps the schema of one program. May take as long as reading all of it.
pub type SchemaKeeper = Box<dyn FnOnce(Protocol, &Bytes) + Send>;

/// Keeps the schemas of providers, by what their programs are.
pub trait SchemaStore: Send + Sync {
    /// The schema of a program, as the provider answered it, if it is known to be this program's.
    fn get(&self, program: &Path) -> Option<(Protocol, Bytes)>;

    /// What will keep the schema of a program that is about to be started. Asked for before the start: the file may be replaced
    /// while its process answers, and the answer is not the new one's. Then nothing is kept.
    fn keeper(&self, program: &Path) -> SchemaKeeper;
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoStore;

impl SchemaStore for NoStore {
    fn get(&self, _: &Path) -> Option<(Protocol, Bytes)> {
        None
    }

    fn keeper(&self, _: &Path) -> SchemaKeeper {
        Box::new(|_, _| {})
    }
}
