//! Everything that a host is told from outside. The host itself reads no environment and no working directory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use outrigger_pulumi::ConnectDeadlines;
use outrigger_transport::tap::CallLog;

use outrigger_provider::{Parameterization, PluginDescriptor};

use crate::TerraformOptions;

/// How a host finds, starts and limits plugins.
#[derive(Clone, Default)]
pub struct HostOptions {
    /// The environment that plugins get, usually our own. Secrets of the engine are taken out before they see it.
    pub environment: Vec<(OsString, OsString)>,
    /// The directories of `PATH`, in order.
    pub path: Vec<PathBuf>,
    /// `PULUMI_IGNORE_AMBIENT_PLUGINS`: do not look in `PATH`.
    pub ignore_ambient: bool,
    /// `PULUMI_ENABLE_LEGACY_PLUGIN_SEARCH`: a newer version than the wanted one will do.
    pub legacy_search: bool,
    /// The directory of our own executable, symbolic links resolved; Pulumi's bundled plugins lie there.
    pub executable_directory: Option<PathBuf>,
    /// Where installed plugins are: `$PULUMI_HOME/plugins`.
    pub plugin_directory: PathBuf,
    /// Plugins that come with the program which embeds the host.
    pub built_in: Vec<BuiltIn>,
    /// How Terraform providers are used: the plugin `terraform-provider`, which is part of the host. `None`: it is a plugin like any other.
    pub terraform: Option<TerraformOptions>,
    /// Where this host may keep what can be made again, such as schemas; `None` keeps nothing.
    pub cache_directory: Option<PathBuf>,
    /// The project that plugins work for.
    pub project: ProjectOptions,
    /// `PULUMI_DEBUG_PROVIDERS`: plugins that run already, by name, with their ports. See [`debug_providers`].
    pub debug_providers: BTreeMap<String, u16>,
    /// How to start a keeper; `None` starts none. Whoever embeds the host without one relies on the parent-death signal alone.
    pub keeper: Option<KeeperCommand>,
    /// Where calls of plugins are written down.
    pub call_log: Option<Arc<dyn CallLog>>,
    /// How long things may take.
    pub deadlines: Deadlines,
}

impl HostOptions {
    /// How Terraform providers are used, if this is one and nobody works on the bridge.
    pub(crate) fn bridged(&self, descriptor: &PluginDescriptor) -> Option<&TerraformOptions> {
        let name = &descriptor.name;
        self.terraform.as_ref().filter(|_| name == outrigger_bridge::NAME && !self.debug_providers.contains_key(name))
    }

    /// What a descriptor means here, whoever wrote it. The bridge becomes what its parameter says; the version beside that is the
    /// provider's in a project and the bridge's in some entries of a state, as Pulumi writes them, and must not be the reason for a
    /// second process of one provider.
    pub(crate) fn meant<'a>(&self, descriptor: &'a PluginDescriptor) -> Cow<'a, PluginDescriptor> {
        match &descriptor.parameterization {
            Some(parameterization) if self.bridged(descriptor).is_some() => {
                let parameterization = Parameterization { version: String::new(), ..parameterization.clone() };
                Cow::Owned(PluginDescriptor { parameterization: Some(parameterization), ..descriptor.clone() })
            }
            _ => Cow::Borrowed(descriptor),
        }
    }
}

/// What plugins learn of the project.
#[derive(Clone, Default)]
pub struct ProjectOptions {
    /// Its name; empty when there is none.
    pub name: String,
    /// The directory of `Pulumi.yaml`: relative plugin paths begin here.
    pub root: PathBuf,
    /// The program's directory, in which plugins are started.
    pub directory: PathBuf,
    /// `plugins.providers` of the project file, and packages that are local paths.
    pub plugins: Vec<ProjectPlugin>,
    /// Packages of which the project file says where they come from: they are not found before they are installed.
    pub packages: Vec<String>,
    /// `runtime.options` of the project file, as text.
    pub runtime_options: BTreeMap<String, String>,
    /// For each package, its configuration as a JSON object of decrypted strings. Never shown: it may hold secrets.
    pub config: BTreeMap<String, String>,
}

/// A plugin that the project brings itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectPlugin {
    /// Its name.
    pub name: String,
    /// The directory of its executable; relative to the project's.
    pub path: PathBuf,
    /// Its version, if the project says so.
    pub version: Option<String>,
}

/// A plugin that is part of an executable, usually our own: what there is when nothing of its name is installed. It runs as
/// a process of its own, like every plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name.
    pub name: String,
    /// Its version. It stands in for older ones.
    pub version: String,
    /// The executable.
    pub program: PathBuf,
    /// What makes the executable this plugin; the engine's address comes after.
    pub arguments: Vec<OsString>,
}

/// How to start a keeper: usually our own executable with a hidden command. See [`crate::keeper`].
#[derive(Clone, Default)]
pub struct KeeperCommand {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its environment. It is ours, so it may hold what plugins may not see.
    pub environment: Vec<(OsString, OsString)>,
}

/// How long things may take. Create, update, delete and read have no entry: only the user limits them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// From the start of a process to its port line. Pulumi waits for ever here.
    pub start: Duration,
    /// Connecting and the first call, together; Pulumi's budget.
    pub connect: Duration,
    /// A plugin's next calls, until it is ready for use.
    pub handshake: Duration,
    /// A schema.
    pub schema: Duration,
    /// Checking inputs, and checking and comparing configurations.
    pub check: Duration,
    /// Planning a change.
    pub plan: Duration,
    /// Configuring, which often logs in somewhere.
    pub configure: Duration,
    /// The answer to Cancel when a plugin is ended.
    pub cancel: Duration,
    /// From SIGINT to SIGKILL.
    pub grace: Duration,
    /// The answers to Cancel when the user interrupts, all together.
    pub cancel_all: Duration,
}

impl Deadlines {
    /// The part that connecting needs.
    pub(crate) fn connecting(&self) -> ConnectDeadlines {
        ConnectDeadlines { connect: self.connect, answer: self.handshake }
    }
}

impl Default for Deadlines {
    fn default() -> Self {
        let connecting = ConnectDeadlines::default();
        Self {
            start: Duration::from_secs(60),
            connect: connecting.connect,
            handshake: connecting.answer,
            schema: Duration::from_secs(120),
            check: Duration::from_secs(300),
            plan: Duration::from_secs(600),
            configure: Duration::from_secs(300),
            cancel: Duration::from_secs(5),
            grace: Duration::from_secs(5),
            cancel_all: Duration::from_secs(30),
        }
    }
}

/// Reads `PULUMI_DEBUG_PROVIDERS`: `name:port` entries with commas between. The error names the entry that makes no sense.
pub fn debug_providers(text: &str) -> Result<BTreeMap<String, u16>, String> {
    let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    entries
        .map(|entry| {
            let parsed = entry.split_once(':').and_then(|(name, port)| Some((name.trim(), port.trim().parse().ok()?)));
            match parsed {
                Some((name, port)) if !name.is_empty() && port != 0 => Ok((name.to_owned(), port)),
                _ => Err(format!("`{entry}` is not of the form `name:port`")),
            }
        })
        .collect()
}

/// Without the environment and the configuration: both hold secrets.
impl fmt::Debug for HostOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostOptions")
            .field("path", &self.path)
            .field("ignore_ambient", &self.ignore_ambient)
            .field("plugin_directory", &self.plugin_directory)
            .field("built_in", &self.built_in)
            .field("cache_directory", &self.cache_directory)
            .field("project", &self.project)
            .field("debug_providers", &self.debug_providers)
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
            .field("plugins", &self.plugins)
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
    fn debug_providers_are_read() {
        let read = debug_providers("aws:12345, gcp:678,").unwrap();
        assert_eq!(read.into_iter().collect::<Vec<_>>(), [("aws".to_owned(), 12345), ("gcp".to_owned(), 678)]);
        assert_eq!(debug_providers("aws").unwrap_err(), "`aws` is not of the form `name:port`");
        assert!(
            debug_providers("aws:0").is_err() && debug_providers(":1").is_err() && debug_providers("a:70000").is_err()
        );
    }

    #[test]
    fn secrets_are_not_shown() {
        let mut options = HostOptions::default();
        options.environment.push(("TOKEN".into(), "canary".into()));
        options.project.config.insert("aws".into(), "{\"secretKey\":\"canary\"}".into());
        options.keeper = Some(KeeperCommand { environment: options.environment.clone(), ..KeeperCommand::default() });
        assert!(!format!("{options:?}").contains("canary"));
    }
}
