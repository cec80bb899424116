//! A plugin that is started to be asked something.

use std::collections::VecDeque;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_host::{Host, RawProvider, bare_provider};
use outrigger_provider::{CallContext, CallError, Parameterization, Parameterize, Plugin, PluginDescriptor, Plugins};

use super::Environment;
use super::packages::{PluginSource, versioned};
use super::plugins::{general_host_options, keeper, terraform_options};
use crate::services::Relay;

/// A plugin in a host of its own.
pub struct Asked {
    host: Host,
    /// The plugin.
    pub plugin: Arc<dyn Plugin>,
    /// What it became by its parameters.
    pub package: Option<Parameterization>,
}

/// Where the bridge to Terraform providers runs while it is asked something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BridgePlace {
    /// In this process, as for every other command.
    Here,
    /// In a process of its own: a call by hand goes over the wire.
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
        let mut options = general_host_options(environment, &environment.directory)?;
        source.add_to(&mut options);
        if bridge == BridgePlace::Apart {
            options.terraform = None;
            options.built_in.extend(environment.bridge.clone());
        }
        let host = Host::new(options, Arc::new(Relay::default()))?;
        let started = async {
            let plugin = host.load(cx, &PluginDescriptor::named(source.name(), version)).await?;
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

    /// Ends it.
    pub async fn end(self) {
        drop(self.plugin);
        self.host.shutdown().await;
    }
}

/// Starts a Terraform provider without the bridge: by its address, with constraints, or by the path of its executable. The
/// bridge's own name before it may be there.
pub async fn terraform_provider(
    cx: &CallContext,
    environment: &Environment,
    source: &str,
    parameters: &[String],
) -> Result<RawProvider, Diagnostic> {
    let mut arguments: VecDeque<String> = parameters.iter().cloned().collect();
    if source != outrigger_bridge::NAME {
        arguments.push_front(source.to_owned());
    }
    let directory = &environment.directory;
    let options = terraform_options(environment, directory)?;
    let (variables, keeper) = (environment.variables.clone(), keeper(environment, None));
    let provider = bare_provider(cx, &options, variables, directory.clone(), arguments.into(), keeper).await?;
    provider.map_err(|error| call_failed(&error))
}

/// What a plugin said instead of an answer.
pub fn call_failed(error: &CallError) -> Diagnostic {
    let diagnostic = Diagnostic::error("plugin-call", format!("`{}` did not answer {}", error.plugin, error.call))
        .detail(error.message.clone())
        .hint("`outrigger plugin schema` shows what a plugin has; `outrigger explain plugin-call` says how requests are written.");
    match error.last_words.as_slice() {
        [] => diagnostic,
        words => diagnostic.note(words.join("\n")),
    }
}
