//! How plugins are found and started, whatever for.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use outrigger_bridge::Terraform;
use outrigger_diagnostic::Diagnostic;
use outrigger_host::{HostOptions, KeeperCommand, ProjectOptions};
use outrigger_package::pulumi::{ProjectPlugin, Search};
use outrigger_project::Project;
use outrigger_pulumi::{Attached, Pulumi};
use outrigger_transport::Protocol;
use outrigger_transport::tap::CallLog;

use crate::environment::Environment;
use crate::failure::Failure;

/// What a host will be made of.
pub(crate) struct PluginSettings {
    /// The host's options, without protocols.
    pub(crate) host: HostOptions,
    /// Where Pulumi's plugins are looked for.
    pub(crate) search: Search,
    /// Plugins that run already.
    pub(crate) attached: Attached,
    /// How Terraform providers are used: the plugin `terraform-provider`, which is part of this process. `None`: it is a plugin like
    /// any other.
    pub(crate) terraform: Option<Terraform>,
    /// Where calls of Pulumi's plugins are written down.
    pub(crate) call_log: Option<Arc<dyn CallLog>>,
}

impl PluginSettings {
    /// For plugins in a directory.
    pub(crate) fn new(environment: &Environment, directory: &Path) -> Result<Self, Failure> {
        let debugged = environment.text("PULUMI_DEBUG_PROVIDERS").unwrap_or_default();
        let plugins = Attached::parse(&debugged).map_err(|reason| {
            Diagnostic::error("debug-providers", "PULUMI_DEBUG_PROVIDERS cannot be understood")
                .detail(reason)
                .hint("Write it as `name:port`, with commas between several.")
        })?;
        let call_log = crate::call_log::of_plugins(environment)?;
        Ok(Self {
            host: HostOptions {
                environment: environment.variables().to_vec(),
                cache_directory: environment.cache_directory(),
                project: ProjectOptions { directory: directory.to_owned(), ..ProjectOptions::default() },
                ..HostOptions::default()
            },
            search: Search {
                path: environment.search_path(),
                ignore_ambient: environment.switch("PULUMI_IGNORE_AMBIENT_PLUGINS"),
                legacy: environment.switch("PULUMI_ENABLE_LEGACY_PLUGIN_SEARCH"),
                executable_directory: environment.executable.as_ref().and_then(|path| path.parent()).map(Into::into),
                plugin_directory: environment.pulumi_home()?.join("plugins"),
                built_in: crate::kit::built_in(environment).into_iter().collect(),
                root: directory.to_owned(),
                ..Search::default()
            },
            attached: Attached { plugins, call_log: call_log.clone() },
            terraform: Some(crate::bridge::options(environment, directory)?),
            call_log,
        })
    }

    /// For the plugins of a project. `config`: what plugins get in `PULUMI_CONFIG`.
    pub(crate) fn of_project(
        environment: &Environment,
        project: &Project,
        keeper: Option<KeeperCommand>,
        config: BTreeMap<String, String>,
    ) -> Result<Self, Failure> {
        let mut settings = Self::new(environment, &project.program_directory())?;
        settings.search.root = project.directory().to_owned();
        settings.search.plugins.extend(project.plugins.providers.iter().map(|plugin| ProjectPlugin {
            name: plugin.name.clone(),
            path: (&plugin.path).into(),
            version: plugin.version.clone(),
        }));
        settings.search.packages = project.packages.keys().cloned().collect();
        settings.host.project.name = project.name.clone();
        settings.host.project.runtime_options =
            project.runtime.iter().flat_map(|runtime| runtime.options.iter().cloned()).collect();
        settings.host.project.config = config;
        settings.host.keeper = keeper;
        Ok(settings)
    }

    /// Puts a plugin before all others of its name.
    pub(crate) fn prefer(&mut self, name: &str, directory: &Path) {
        let plugin = ProjectPlugin { name: name.to_owned(), path: directory.to_owned(), version: None };
        self.search.plugins.insert(0, plugin);
    }

    /// The options of a host for the three kinds of plugins. Somebody who works on a plugin means that one, whatever its name is.
    pub(crate) fn options(self) -> HostOptions {
        let mut protocols: Vec<Arc<dyn Protocol>> = vec![Arc::new(self.attached)];
        protocols.extend(self.terraform.map(|terraform| Arc::new(terraform) as Arc<dyn Protocol>));
        protocols.push(Arc::new(Pulumi { resolver: Arc::new(self.search), call_log: self.call_log }));
        HostOptions { protocols, ..self.host }
    }
}
