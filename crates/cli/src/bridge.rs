//! The bridge to Terraform providers, which is part of this executable.
//!
//! Under `outrigger` it runs in the same process, and only the providers are processes. Another host starts this executable through
//! a link of the plugin's name, `pulumi-resource-terraform-provider`, and gets the same bridge as a plugin.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use outrigger_bridge::{Bridge, BridgeOptions, LogLevel, Terraform};
use outrigger_diagnostic::Diagnostic;
use outrigger_host::{Host, HostOptions, KeeperCommand, without_secrets};
use outrigger_package::pulumi::BuiltIn;
use outrigger_package::terraform::{Sources, Surroundings};

use crate::call_log;
use crate::environment::Environment;

/// The name of an executable that is the plugin for any host.
const EXECUTABLE: &str = "pulumi-resource-terraform-provider";

/// The first argument that makes this executable the plugin, for whom a link is too much.
const ARGUMENT: &str = "__bridge";

/// The version of Pulumi's bridge that this one stands in for where nobody says which.
const VERSION: &str = "1.0.0";

/// Whether providers that do not keep to the rules fail a step.
const STRICT: &str = "OUTRIGGER_TERRAFORM_STRICT";

/// As OpenTofu: connections to providers are not encrypted, whatever the value is.
const NO_TLS: &str = "TF_DISABLE_PLUGIN_TLS";

/// The plugin's arguments, if this process is to be the plugin.
pub(crate) fn called() -> Option<Vec<OsString>> {
    let mut arguments = std::env::args_os();
    let program = arguments.next()?;
    let mut rest = arguments.peekable();
    if Path::new(&program).file_name().is_some_and(|name| name == EXECUTABLE) {
        return Some(rest.collect());
    }
    rest.next_if(|argument| argument == ARGUMENT).map(|_| rest.collect())
}

/// How the host finds the bridge where it is to be a process of its own.
pub(crate) fn built_in(environment: &Environment) -> Option<BuiltIn> {
    Some(BuiltIn {
        name: outrigger_bridge::NAME.to_owned(),
        version: VERSION.to_owned(),
        program: environment.executable.clone()?,
        arguments: vec![ARGUMENT.into()],
    })
}

/// Is the plugin.
pub(crate) fn run(arguments: Vec<OsString>) -> ExitCode {
    let made = Environment::read(None).and_then(|environment| apart(&environment, environment.cache_directory()));
    match made {
        Ok((_host, options)) => {
            outrigger_sdk::serve_plugin(outrigger_bridge::NAME, Arc::new(Bridge::new(options)), arguments)
        }
        Err(diagnostic) => failed(&diagnostic),
    }
}

/// What makes a bridge that no host of ours opens, and the host that starts its providers, with a keeper for them.
pub(crate) fn apart(
    environment: &Environment,
    cache_directory: Option<PathBuf>,
) -> Result<(Host, BridgeOptions), Diagnostic> {
    let terraform = options(environment, &environment.directory)?;
    let keeper = keeper(environment);
    let host = Host::new(HostOptions { keeper, cache_directory, ..HostOptions::default() })?;
    let options = BridgeOptions {
        terraform,
        launcher: host.launcher(),
        schemas: host.schemas(),
        environment: without_secrets(environment.variables().to_vec()),
        directory: environment.directory.clone(),
        lasting: false,
    };
    Ok((host, options))
}

/// How the host finds and uses Terraform providers; relative paths begin at `directory`.
pub(crate) fn options(environment: &Environment, directory: &Path) -> Result<Terraform, Diagnostic> {
    let variables: BTreeMap<String, String> = environment
        .variables()
        .iter()
        .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value.to_str()?.to_owned())))
        .collect();
    let log_level = log_level(&variables);
    let home = environment.text("HOME").map(PathBuf::from);
    let cache = environment.cache_directory().map(|directory| directory.join("terraform"));
    let surroundings = Surroundings { environment: variables, home, working_directory: directory.to_owned(), cache };
    Ok(Terraform {
        resolver: Arc::new(Sources::new(surroundings)),
        version: installed_version(environment).unwrap_or_else(|| VERSION.to_owned()),
        tls: environment.text(NO_TLS).is_none(),
        strict: environment.switch(STRICT),
        log_level,
        call_log: call_log::of_terraform(environment)?,
    })
}

/// The version that the executable is installed as: `pulumi` keeps plugins in directories that say so.
fn installed_version(environment: &Environment) -> Option<String> {
    let program = PathBuf::from(std::env::args_os().next()?);
    let program = if program.is_absolute() { program } else { environment.directory.join(program) };
    let directory = program.parent()?.file_name()?.to_str()?;
    directory.strip_prefix("resource-terraform-provider-v").map(str::to_owned)
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

/// Ends providers, and other plugins, if this process is killed. There is nothing else for it to look after.
pub(crate) fn keeper(environment: &Environment) -> Option<KeeperCommand> {
    Some(KeeperCommand {
        program: environment.executable.clone()?,
        arguments: vec![crate::keeper::ARGUMENT.into()],
        environment: environment.variables().to_vec(),
    })
}

#[expect(clippy::print_stderr, reason = "a host shows a plugin's last words")]
fn failed(diagnostic: &Diagnostic) -> ExitCode {
    eprintln!("the plugin `{}` cannot run: {diagnostic}", outrigger_bridge::NAME);
    ExitCode::FAILURE
}
