//! A plugin that is started to be asked something.

use std::ops::Deref;
use std::sync::Arc;

use outrigger_bridge::RawProvider;
use outrigger_diagnostic::Diagnostic;
use outrigger_host::Host;
use outrigger_provider::{
    CallContext, CallError, ErrorKind, LogSink, Parameterization, Parameterize, Plugin, PluginDescriptor, Plugins,
};

use super::Environment;
use super::packages::{PluginSource, versioned};
use super::plugins::{PluginSettings, bridge_apart};
use crate::services::Relay;

/// A plugin in a separate host.
pub struct Asked {
    host: Host,
    /// The plugin.
    pub plugin: Arc<dyn Plugin>,
    /// The package that its parameters made of it.
    pub package: Option<Parameterization>,
}

/// Where the bridge to Terraform providers runs while it is asked something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BridgePlace {
    /// In this process, as for every other command.
    Here,
    /// In a separate process: a call by hand goes over the wire.
    Apart,
}

impl Asked {
    /// Starts a plugin, `NAME`, `NAME@VERSION` or a path, and parameterizes it if there are parameters.
    pub async fn start(
        cx: &CallContext,
        environment: &Environment,
        source: &str,
        parameters: &[String],
        bridge: BridgePlace,
    ) -> Result<Self, Diagnostic> {
        let (source, version) = versioned(source);
        let source = PluginSource::parse(source, &environment.directory)?;
        let mut settings = PluginSettings::new(environment, &environment.directory)?;
        source.add_to(&mut settings);
        if bridge == BridgePlace::Apart {
            settings.terraform = None;
            settings.search.built_in.extend(environment.bridge.clone());
        }
        let descriptor = PluginDescriptor::named(source.name(), version);
        Self::load(cx, settings, &descriptor, parameters, Arc::new(Relay::default())).await
    }

    /// Starts a plugin with these settings.
    pub(super) async fn load(
        cx: &CallContext,
        settings: PluginSettings,
        descriptor: &PluginDescriptor,
        parameters: &[String],
        log: Arc<dyn LogSink>,
    ) -> Result<Self, Diagnostic> {
        let (host, run) = settings.start(log)?;
        let started = async {
            let plugin = run.load(cx, descriptor).await?;
            let package = match parameters {
                [] => None,
                parameters => {
                    let became = plugin.parameterize(cx, Parameterize::Arguments(parameters.to_vec())).await;
                    Some(became.map_err(|error| call_failed(&error))?)
                }
            };
            Ok::<_, Diagnostic>((plugin, package))
        };
        match started.await {
            Ok((plugin, package)) => Ok(Self { host, plugin, package }),
            Err(diagnostic) => {
                host.shutdown().await;
                Err(diagnostic)
            }
        }
    }

    /// Ends the plugin. Returns a sentence for each process that did not end when it was asked to.
    pub async fn end(self) -> Vec<String> {
        drop(self.plugin);
        self.host.shutdown().await
    }
}

/// A Terraform provider in a separate host.
pub struct Bare {
    _host: Host,
    provider: RawProvider,
}

impl Deref for Bare {
    type Target = RawProvider;

    fn deref(&self) -> &RawProvider {
        &self.provider
    }
}

/// Starts a Terraform provider without the bridge: by its address, with constraints, or by the path of its executable. The
/// bridge's own name before it may be there.
pub async fn terraform_provider(
    cx: &CallContext,
    environment: &Environment,
    source: &str,
    parameters: &[String],
) -> Result<Bare, Diagnostic> {
    let arguments = [source].into_iter().chain(parameters.iter().map(String::as_str)).map(str::to_owned).collect();
    let (host, options) = bridge_apart(environment, None, None)?;
    let provider = RawProvider::start(cx, &options, arguments).await?.map_err(|error| call_failed(&error))?;
    Ok(Bare { _host: host, provider })
}

/// The error of a plugin's call.
pub fn call_failed(error: &CallError) -> Diagnostic {
    let CallError { plugin, call, .. } = error;
    let summary = match error.kind {
        ErrorKind::Unsupported => format!("`{plugin}` has no call `{call}`"),
        ErrorKind::NotDone | ErrorKind::Unknown => format!("`{plugin}` answered {call} with an error"),
        _ => format!("`{plugin}` did not answer {call}"),
    };
    let hint = match error.kind {
        ErrorKind::Unsupported => "`outrigger explain plugin-call` explains how to write requests.",
        // If the schema itself failed, there is no schema to look at.
        _ if call.contains("Schema") || call == "Parameterize" => {
            "Check the plugin's own log, or try another version of it."
        }
        _ => {
            "`outrigger plugin schema` prints what a plugin has; `outrigger explain plugin-call` explains how to write requests."
        }
    };
    let diagnostic = Diagnostic::error("plugin-call", summary).detail(error.message.clone()).hint(hint);
    match error.last_words.as_slice() {
        [] => diagnostic,
        words => diagnostic.note(words.join("\n")),
    }
}
