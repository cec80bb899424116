//! What a protocol is to a host.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallError, LogSink, Plugin, PluginDescriptor};

use crate::{Deadlines, Launcher, Resolved, Resolver};

/// A protocol that plugins speak. A host has a list of them; the first that claims a plugin opens it.
#[async_trait]
pub trait Protocol: Send + Sync {
    /// The plugin as this protocol takes it, if it is one of its own. Plugins that are equal then may share a process.
    fn claim(&self, wanted: &PluginDescriptor) -> Option<PluginDescriptor>;

    /// Finds the programs of plugins. The host asks it before each start, takes a plugin whose program has changed for another
    /// one, and keeps schemas by their programs. Without one, it does neither.
    fn resolver(&self) -> Option<&dyn Resolver> {
        None
    }

    /// Opens a plugin that this protocol claims: starts it, or connects to one that runs. The host parameterizes it, and ends
    /// the processes that were started for it, also if this fails.
    async fn open(&self, opening: Opening<'_>) -> Result<Opened, OpenError>;

    /// What a user can do about a plugin that could not be opened or parameterized. `program`: what the resolver has found.
    fn hint(&self, program: Option<&Path>, error: &CallError) -> String;
}

/// What a host gives to a protocol for one plugin.
pub struct Opening<'a> {
    /// Which plugin, as the protocol has claimed it.
    pub descriptor: &'a PluginDescriptor,
    /// What the protocol's resolver has found.
    pub resolved: Option<&'a Resolved>,
    /// Starts the plugin's processes, now or later. They are the host's: it watches them and ends them with the plugin.
    pub launcher: Arc<dyn Launcher>,
    /// The complete environment of the plugin.
    pub environment: Vec<(OsString, OsString)>,
    /// The directory in which the plugin works.
    pub directory: &'a Path,
    /// Where schemas are kept from one run to the next.
    pub schemas: Arc<dyn SchemaStore>,
    /// Takes what the plugin says between calls. It leads to the run that uses the plugin.
    pub log: Arc<dyn LogSink>,
    /// How long things may take.
    pub deadlines: &'a Deadlines,
}

/// A plugin that can be called.
pub struct Opened {
    /// The plugin.
    pub plugin: Arc<dyn Plugin>,
    /// What the user should know.
    pub warnings: Vec<Diagnostic>,
}

/// Why a plugin was not opened.
pub enum OpenError {
    /// It was not started.
    NotStarted(Diagnostic),
    /// It did not answer as a plugin.
    Failed(CallError),
}

impl From<Diagnostic> for OpenError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::NotStarted(diagnostic)
    }
}

impl From<CallError> for OpenError {
    fn from(error: CallError) -> Self {
        Self::Failed(error)
    }
}

/// Keeps the schema of one program. May take as long as reading all of the program.
pub type SchemaKeeper = Box<dyn FnOnce(&[u8]) + Send>;

/// Keeps schemas by what the programs are that answered them.
pub trait SchemaStore: Send + Sync {
    /// The schema of a program in one form, if it is known to be this program's.
    fn get(&self, program: &Path, form: &str) -> Option<Bytes>;

    /// What will keep the schema of a program that is about to be started. Asked for before the start: the file may be replaced
    /// while its process answers, and the answer is not the new one's. Then nothing is kept.
    fn keeper(&self, program: &Path, form: &str) -> SchemaKeeper;
}
