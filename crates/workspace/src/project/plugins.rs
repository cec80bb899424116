//! How the host finds and starts plugins: those of Pulumi, and Terraform providers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outrigger_bridge::LogLevel;
use outrigger_diagnostic::Diagnostic;
use outrigger_host::{HostOptions, KeeperCommand, ProjectOptions, ProjectPlugin, TerraformOptions, debug_providers};
use outrigger_package::{SearchContext, Sources};
use outrigger_project::Project;
use outrigger_provider::{Plugin, without_secrets};
use outrigger_state::StackName;

use super::{Environment, Store, call_log};

/// The version of Pulumi's bridge that this one stands in for where none is asked for.
pub const BRIDGE_VERSION: &str = "1.0.0";

/// Whether providers that do not keep to the rules fail a step.
const STRICT: &str = "OUTRIGGER_TERRAFORM_STRICT";

/// As OpenTofu: connections to providers are not encrypted, whatever the value is.
const NO_TLS: &str = "TF_DISABLE_PLUGIN_TLS";

/// What the host takes from outside.
pub(super) fn host_options(
    environment: &Environment,
    project: &Project,
    config: BTreeMap<String, String>,
) -> Result<HostOptions, Diagnostic> {
    let own = project.plugins.providers.iter().map(|plugin| ProjectPlugin {
        name: plugin.name.clone(),
        path: (&plugin.path).into(),
        version: plugin.version.clone(),
    });
    Ok(HostOptions {
        project: ProjectOptions {
            name: project.name.clone(),
            root: project.directory().to_owned(),
            directory: project.program_directory(),
            plugins: own.collect(),
            packages: project.packages.keys().cloned().collect(),
            runtime_options: project.runtime.iter().flat_map(|runtime| runtime.options.iter().cloned()).collect(),
            config,
        },
        ..general_host_options(environment, &project.program_directory())?
    })
}

/// How a host finds and starts plugins in a directory, whatever it is for.
pub(super) fn general_host_options(environment: &Environment, directory: &Path) -> Result<HostOptions, Diagnostic> {
    let debugged = environment.text("PULUMI_DEBUG_PROVIDERS").unwrap_or_default();
    let debugged = debug_providers(&debugged).map_err(|reason| {
        Diagnostic::error("debug-providers", "PULUMI_DEBUG_PROVIDERS cannot be understood")
            .detail(reason)
            .hint("Write it as `name:port`, with commas between several.")
    })?;
    Ok(HostOptions {
        environment: environment.variables.clone(),
        path: environment.search_path(),
        ignore_ambient: environment.switch("PULUMI_IGNORE_AMBIENT_PLUGINS"),
        legacy_search: environment.switch("PULUMI_ENABLE_LEGACY_PLUGIN_SEARCH"),
        executable_directory: environment.executable.as_ref().and_then(|path| path.parent()).map(Into::into),
        plugin_directory: environment.pulumi_home()?.join("plugins"),
        cache_directory: environment.cache_directory(),
        project: ProjectOptions {
            root: directory.to_owned(),
            directory: directory.to_owned(),
            ..ProjectOptions::default()
        },
        built_in: environment.built_in.clone(),
        terraform: Some(terraform_options(environment, directory)?),
        keeper: keeper(environment, None),
        debug_providers: debugged,
        call_log: call_log::of_plugins(environment)?,
        ..HostOptions::default()
    })
}

/// The keeper of a host. That of a stack's run also folds the journal into the checkpoint if we are killed, for which it needs to know where they
/// are, and nothing secret.
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

/// The bridge to Terraform providers as a plugin by itself, for another host. `version` is that of Pulumi's bridge which it stands in for.
pub fn stand_alone_bridge(environment: &Environment, version: Option<String>) -> Result<Arc<dyn Plugin>, Diagnostic> {
    let directory = &environment.directory;
    let mut options = terraform_options(environment, directory)?;
    options.version = version.unwrap_or(options.version);
    let (cache, variables) = (environment.cache_directory(), environment.variables.clone());
    let keeper = keeper(environment, None);
    Ok(Arc::new(outrigger_host::stand_alone_bridge(&options, cache, variables, directory.clone(), keeper)?))
}

/// How the host finds and uses Terraform providers; relative paths begin at `directory`.
pub(super) fn terraform_options(environment: &Environment, directory: &Path) -> Result<TerraformOptions, Diagnostic> {
    let variables: BTreeMap<String, String> = environment
        .variables
        .iter()
        .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value.to_str()?.to_owned())))
        .collect();
    let log_level = log_level(&variables);
    let home = environment.text("HOME").map(PathBuf::from);
    let cache = environment.cache_directory().map(|directory| directory.join("terraform"));
    let surroundings = SearchContext { environment: variables, home, working_directory: directory.to_owned(), cache };
    Ok(TerraformOptions {
        origins: Arc::new(Sources::new(surroundings)),
        version: BRIDGE_VERSION.to_owned(),
        tls: environment.text(NO_TLS).is_none(),
        strict: environment.switch(STRICT),
        log_level,
        call_log: call_log::of_terraform(environment)?,
    })
}

/// `TF_LOG_PROVIDER`, or `TF_LOG`; an empty one is not set, as for Terraform.
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
