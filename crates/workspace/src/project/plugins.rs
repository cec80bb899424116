//! How the host finds and starts plugins: those of Pulumi, and Terraform providers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outrigger_bridge::{Bridge, BridgeOptions, LogLevel, Terraform};
use outrigger_diagnostic::Diagnostic;
use outrigger_host::{Host, HostOptions, KeeperCommand, ProjectOptions, Run};
use outrigger_package::pulumi::{ProjectPlugin, Search};
use outrigger_package::terraform::{SearchContext, Sources};
use outrigger_project::Project;
use outrigger_provider::{LogSink, Plugin, PluginDescriptor, without_secrets};
use outrigger_pulumi::{Attached, Pulumi};
use outrigger_state::StackName;
use outrigger_transport::tap::CallLog;
use outrigger_transport::{Deadlines, Protocol, Resolved};

use super::{Environment, Store, call_log};

/// The version of Pulumi's bridge that this one replaces if none is requested.
pub const BRIDGE_VERSION: &str = "1.0.0";

/// Whether providers that break the rules fail a step.
const STRICT: &str = "OUTRIGGER_TERRAFORM_STRICT";

/// As OpenTofu: connections to providers are not encrypted, whatever the value is.
const NO_TLS: &str = "TF_DISABLE_PLUGIN_TLS";

/// The settings of a future host.
pub(super) struct PluginSettings {
    /// The host's options, without protocols.
    pub(super) host: HostOptions,
    /// Where Pulumi's plugins are looked for.
    pub(super) search: Search,
    /// Plugins that run already.
    pub(super) attached: Attached,
    /// How Terraform providers are used: the plugin `terraform-provider`, which is part of this process. `None`: it is a plugin like
    /// any other.
    pub(super) terraform: Option<Terraform>,
    /// The project's data for plugins.
    pub(super) project: ProjectOptions,
    /// Where calls of Pulumi's plugins are written down.
    call_log: Option<Arc<dyn CallLog>>,
}

impl PluginSettings {
    /// For plugins in a directory.
    pub(super) fn new(environment: &Environment, directory: &Path) -> Result<Self, Diagnostic> {
        let debugged = environment.text("PULUMI_DEBUG_PROVIDERS").unwrap_or_default();
        let plugins = Attached::parse(&debugged).map_err(|reason| {
            Diagnostic::error("debug-providers", "PULUMI_DEBUG_PROVIDERS is not valid")
                .detail(reason)
                .hint("Write it as `name:port`, with commas between several.")
        })?;
        let call_log = call_log::of_plugins(environment)?;
        Ok(Self {
            host: HostOptions {
                environment: environment.variables.clone(),
                cache_directory: environment.cache_directory(),
                keeper: keeper(environment, None),
                ..HostOptions::default()
            },
            search: Search {
                path: environment.search_path(),
                ignore_ambient: environment.switch("PULUMI_IGNORE_AMBIENT_PLUGINS"),
                legacy: environment.switch("PULUMI_ENABLE_LEGACY_PLUGIN_SEARCH"),
                executable_directory: environment.executable.as_ref().and_then(|path| path.parent()).map(Into::into),
                plugin_directory: environment.pulumi_home()?.join("plugins"),
                built_in: environment.built_in.clone(),
                root: directory.to_owned(),
                ..Search::default()
            },
            attached: Attached { plugins, call_log: call_log.clone() },
            terraform: Some(terraform(environment, directory)?),
            project: ProjectOptions { directory: directory.to_owned(), ..ProjectOptions::default() },
            call_log,
        })
    }

    /// For the plugins of a project. `config` is what they get in `PULUMI_CONFIG`.
    pub(super) fn of_project(
        environment: &Environment,
        project: &Project,
        config: BTreeMap<String, String>,
    ) -> Result<Self, Diagnostic> {
        let mut settings = Self::new(environment, &project.program_directory())?;
        settings.search.root = project.directory().to_owned();
        settings.search.plugins.extend(project.plugins.iter().map(|plugin| ProjectPlugin {
            name: plugin.name.clone(),
            path: (&plugin.path).into(),
            version: plugin.version.clone(),
        }));
        settings.search.packages = project.packages.keys().cloned().collect();
        settings.project.name = project.name.clone();
        settings.project.runtime_options =
            project.runtime.iter().flat_map(|runtime| runtime.options.iter().cloned()).collect();
        settings.project.config = config;
        Ok(settings)
    }

    /// A host for these plugins, and a run on it.
    pub(super) fn start(self, log: Arc<dyn LogSink>) -> Result<(Host, Run), Diagnostic> {
        let project = self.project.clone();
        let host = Host::new(self.options())?;
        let run = host.run(project, log);
        Ok((host, run))
    }

    /// The same, and where one of the plugins was found.
    pub(super) async fn start_with(
        self,
        log: Arc<dyn LogSink>,
        plugin: &PluginDescriptor,
    ) -> Result<(Host, Run, Option<Resolved>), Diagnostic> {
        let project = self.project.clone();
        let options = self.options();
        let found = options.find(plugin).await?;
        let host = Host::new(options)?;
        let run = host.run(project, log);
        Ok((host, run, found))
    }

    /// The options of a host for the three kinds of plugins. An attached plugin comes first, whatever its name: its author wants that one to be used.
    pub(super) fn options(self) -> HostOptions {
        let mut protocols: Vec<Arc<dyn Protocol>> = vec![Arc::new(self.attached)];
        protocols.extend(self.terraform.map(|terraform| Arc::new(terraform) as Arc<dyn Protocol>));
        protocols.push(Arc::new(Pulumi { resolver: Arc::new(self.search), call_log: self.call_log }));
        HostOptions { protocols, ..self.host }
    }
}

/// The keeper of a host. That of a stack's run also folds the journal into the checkpoint if this process is killed, for which it needs their
/// location, and no secret.
pub(super) fn keeper(environment: &Environment, run: Option<(&Store, &StackName)>) -> Option<KeeperCommand> {
    let mut command = environment.keeper.clone()?;
    if let Some((store, stack)) = run {
        let directory = environment.directory.clone();
        command.arguments.extend([
            "--backend".into(),
            store.url.clone().into(),
            "--directory".into(),
            directory.into(),
        ]);
        let words = ["--project", stack.project(), "--stack", stack.stack()];
        command.arguments.extend(words.map(Into::into));
    }
    Some(KeeperCommand { environment: without_secrets(environment.variables.iter().cloned()), ..command })
}

/// The bridge to Terraform providers as a separate plugin, for another host, and the host that starts its providers. `version` is that of Pulumi's
/// bridge which it replaces.
pub fn stand_alone_bridge(
    environment: &Environment,
    version: Option<String>,
) -> Result<(Host, Arc<dyn Plugin>), Diagnostic> {
    let (host, options) = bridge_apart(environment, version, environment.cache_directory())?;
    Ok((host, Arc::new(Bridge::new(options))))
}

/// Creates a bridge for a process without a host of ours, and the host that starts its providers, with a keeper for them.
pub(super) fn bridge_apart(
    environment: &Environment,
    version: Option<String>,
    cache_directory: Option<PathBuf>,
) -> Result<(Host, BridgeOptions), Diagnostic> {
    let mut terraform = terraform(environment, &environment.directory)?;
    terraform.version = version.unwrap_or(terraform.version);
    let keeper = keeper(environment, None);
    let host = Host::new(HostOptions { keeper, cache_directory, ..HostOptions::default() })?;
    let options = BridgeOptions {
        terraform,
        launcher: host.launcher(),
        schemas: host.schemas(),
        environment: without_secrets(environment.variables.clone()),
        directory: environment.directory.clone(),
        deadlines: Deadlines::default(),
        lasting: false,
    };
    Ok((host, options))
}

/// How the host finds and uses Terraform providers; relative paths start at `directory`.
fn terraform(environment: &Environment, directory: &Path) -> Result<Terraform, Diagnostic> {
    let variables: BTreeMap<String, String> = environment
        .variables
        .iter()
        .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value.to_str()?.to_owned())))
        .collect();
    let log_level = log_level(&variables);
    let home = environment.text("HOME").map(PathBuf::from);
    let cache = environment.cache_directory().map(|directory| directory.join("terraform"));
    let surroundings = SearchContext { environment: variables, home, working_directory: directory.to_owned(), cache };
    Ok(Terraform {
        resolver: Arc::new(Sources::new(surroundings)),
        version: BRIDGE_VERSION.to_owned(),
        tls: environment.text(NO_TLS).is_none(),
        strict: environment.switch(STRICT),
        log_level,
        call_log: call_log::of_terraform(environment)?,
    })
}

/// `TF_LOG_PROVIDER`, or `TF_LOG`; an empty one counts as unset, as for Terraform.
fn log_level(variables: &BTreeMap<String, String>) -> Option<LogLevel> {
    let set = |name: &str| variables.get(name).filter(|level| !level.is_empty());
    let text = set("TF_LOG_PROVIDER").or_else(|| set("TF_LOG"))?;
    match text.to_uppercase().as_str() {
        "OFF" => None,
        "DEBUG" => Some(LogLevel::Debug),
        "INFO" => Some(LogLevel::Info),
        "WARN" => Some(LogLevel::Warn),
        "ERROR" => Some(LogLevel::Error),
        // As Terraform: whatever else is written means everything.
        _ => Some(LogLevel::Trace),
    }
}
