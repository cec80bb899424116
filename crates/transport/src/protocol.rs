//! A protocol, as a host sees it.

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
    /// The plugin as this protocol understands it, if it is one of its own. Plugins that are then equal may share a process.
    fn claim(&self, wanted: &PluginDescriptor) -> Option<PluginDescriptor>;

    /// Finds the programs of plugins. The host asks it before each start, treats a plugin whose program has changed as another one, and stores
    /// schemas by program. Without a resolver, it does neither.
    fn resolver(&self) -> Option<&dyn Resolver> {
        None
    }

    /// Opens a plugin that this protocol claims: starts it, or connects to a running one. The host parameterizes it, and ends the processes that
    /// were started for it, even if this fails.
    async fn open(&self, opening: Opening<'_>) -> Result<Opened, OpenError>;

    /// A hint for the user about a plugin that could not be opened or parameterized. `program`: the resolver's result.
    fn hint(&self, program: Option<&Path>, error: &CallError) -> String;
}

/// The services and settings that a host gives a protocol for one plugin.
pub struct Opening<'a> {
    /// The plugin, as the protocol has claimed it.
    pub descriptor: &'a PluginDescriptor,
    /// The result of the protocol's resolver.
    pub resolved: Option<&'a Resolved>,
    /// Starts the plugin's processes, now or later. They belong to the host, which watches them and ends them with the plugin.
    pub launcher: Arc<dyn Launcher>,
    /// The complete environment of the plugin.
    pub environment: Vec<(OsString, OsString)>,
    /// The working directory of the plugin.
    pub directory: &'a Path,
    /// Keeps schemas from one run to the next.
    pub schemas: Arc<dyn SchemaStore>,
    /// Receives the plugin's log between calls, for the run that uses the plugin.
    pub log: Arc<dyn LogSink>,
    /// Time limits.
    pub deadlines: &'a Deadlines,
}

/// A plugin that can be called.
pub struct Opened {
    /// The plugin.
    pub plugin: Arc<dyn Plugin>,
    /// Warnings for the user.
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

/// Stores the schema of one program. This may take as long as reading the whole program.
pub type SchemaKeeper = Box<dyn FnOnce(&[u8]) + Send>;

/// Stores schemas by the contents of the programs that returned them.
pub trait SchemaStore: Send + Sync {
    /// The schema of a program in one form, if one is stored for exactly this program.
    fn get(&self, program: &Path, form: &str) -> Option<Bytes>;

    /// The keeper for the schema of a program that is about to be started. It is made before the start: if the file is replaced while its
    /// process answers, the answer does not belong to the new file, and nothing is stored.
    fn keeper(&self, program: &Path, form: &str) -> SchemaKeeper;
}
