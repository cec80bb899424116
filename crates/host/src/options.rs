//! The options of a host, all passed in from outside. The host itself reads no environment and no working directory.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::PluginDescriptor;
use outrigger_transport::{Deadlines, OutputLines, Protocol, Resolved};

/// How a host finds, starts and limits plugins.
#[derive(Clone, Default)]
pub struct HostOptions {
    /// The environment that plugins get, usually our own. The engine's secrets are removed first.
    pub environment: Vec<(OsString, OsString)>,
    /// The protocols that plugins speak. The first that claims a plugin opens it.
    pub protocols: Vec<Arc<dyn Protocol>>,
    /// Where this host may cache data that can be computed again, such as schemas; `None` caches nothing.
    pub cache_directory: Option<PathBuf>,
    /// How to start a keeper; `None` starts none, which leaves only the parent-death signal.
    pub keeper: Option<KeeperCommand>,
    /// The deadlines of calls that have none of their own.
    pub deadlines: Deadlines,
    /// Gets every line that plugins print.
    pub output: Option<Arc<dyn OutputLines>>,
}

impl HostOptions {
    /// Finds a plugin's executable, if its protocol has one for it.
    pub async fn find(&self, wanted: &PluginDescriptor) -> Result<Option<Resolved>, Diagnostic> {
        let (protocol, wanted) = self.claim(wanted)?;
        let Some(resolver) = protocol.resolver() else { return Ok(None) };
        Ok(Some(resolver.resolve(&wanted).await?))
    }

    /// The protocol of a plugin, and the descriptor in that protocol's form.
    pub(crate) fn claim(&self, wanted: &PluginDescriptor) -> Result<(&dyn Protocol, PluginDescriptor), Diagnostic> {
        let claimed = self.protocols.iter().find_map(|protocol| Some((&**protocol, protocol.claim(wanted)?)));
        claimed.ok_or_else(|| {
            Diagnostic::error("plugin-protocol", format!("no protocol is known for plugin `{}`", wanted.name))
                .detail("None of the host's protocols accepts it.")
                .hint("Register a protocol for it with the host.")
        })
    }
}

/// The project's name, directory and configuration, which a run passes to its plugins. Plugins of different projects share no process.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct ProjectOptions {
    /// Its name; empty when there is none.
    pub name: String,
    /// The program's directory, in which plugins are started.
    pub directory: PathBuf,
    /// `runtime.options` of the project file, as text.
    pub runtime_options: BTreeMap<String, String>,
    /// For each package, its configuration as a JSON object of decrypted strings. Never shown: it may hold secrets.
    pub config: BTreeMap<String, String>,
}

/// How to start a keeper: usually our own executable with a hidden command. See [`crate::keeper`].
#[derive(Clone, Default)]
pub struct KeeperCommand {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its environment. The keeper is ours, so it may get variables that plugins may not see.
    pub environment: Vec<(OsString, OsString)>,
}

/// Without the environment and the configuration: both contain secrets.
impl fmt::Debug for HostOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostOptions")
            .field("cache_directory", &self.cache_directory)
            .field("keeper", &self.keeper)
            .field("deadlines", &self.deadlines)
            .finish_non_exhaustive()
    }
}

/// Without the configuration.
impl fmt::Debug for ProjectOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProjectOptions")
            .field("name", &self.name)
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}

/// Without the environment.
impl fmt::Debug for KeeperCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeeperCommand")
            .field("program", &self.program)
            .field("arguments", &self.arguments)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let mut options = HostOptions::default();
        options.environment.push(("TOKEN".into(), "canary".into()));
        let mut project = ProjectOptions::default();
        project.config.insert("aws".into(), "{\"secretKey\":\"canary\"}".into());
        options.keeper = Some(KeeperCommand { environment: options.environment.clone(), ..KeeperCommand::default() });
        assert!(!format!("{options:?} {project:?}").contains("canary"));
    }
}
