//! A plugin that is started to be asked something.

use std::collections::VecDeque;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_host::{Host, HostOptions, ProjectPlugin, RawProvider, bare_provider};
use outrigger_provider::{CallContext, CallError, Parameterization, Parameterize, Plugin, PluginDescriptor, Plugins};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::general_host_options;
use crate::packaging::{Origin, versioned};
use crate::services::Relay;

/// A plugin in a host of its own.
pub(super) struct Asked {
    host: Host,
    pub(super) plugin: Arc<dyn Plugin>,
    /// What it became by its parameters.
    pub(super) package: Option<Parameterization>,
}

impl Asked {
    /// Starts a plugin, `NAME`, `NAME@VERSION` or a path, and parameterizes it if there are parameters.
    pub(super) async fn start(
        cx: &CallContext,
        environment: &Environment,
        source: &str,
        parameters: &[String],
        change: impl FnOnce(&mut HostOptions),
    ) -> Result<Self, Failure> {
        let (source, version) = versioned(source);
        let origin = Origin::parse(source, &environment.directory)?;
        let mut options = general_host_options(environment, &environment.directory)?;
        options.keeper = crate::bridge::keeper(environment);
        if let Origin::Local { name, directory } = &origin {
            let plugin = ProjectPlugin { name: name.clone(), path: directory.clone(), version: None };
            options.project.plugins.insert(0, plugin);
        }
        change(&mut options);
        let host = Host::new(options, Arc::new(Relay::default()))?;
        let started = async {
            let plugin = host.load(cx, &PluginDescriptor::named(origin.name(), version)).await?;
            let package = match parameters {
                [] => None,
                parameters => {
                    let became = plugin.parameterize(cx, Parameterize::Arguments(parameters.to_vec())).await;
                    Some(became.map_err(|error| failed(&error))?)
                }
            };
            Ok::<_, Diagnostic>((plugin, package))
        };
        match started.await {
            Ok((plugin, package)) => Ok(Self { host, plugin, package }),
            Err(diagnostic) => {
                host.shutdown().await;
                Err(Failure::from(diagnostic))
            }
        }
    }

    /// Ends it.
    pub(super) async fn end(self) {
        drop(self.plugin);
        self.host.shutdown().await;
    }
}

/// Starts a Terraform provider without the bridge: by its address, with constraints, or by the path of its executable. The
/// bridge's own name before it may be there.
pub(super) async fn terraform(
    cx: &CallContext,
    environment: &Environment,
    source: &str,
    parameters: &[String],
) -> Result<RawProvider, Failure> {
    let mut arguments: VecDeque<String> = parameters.iter().cloned().collect();
    if source != outrigger_bridge::NAME {
        arguments.push_front(source.to_owned());
    }
    let options = crate::bridge::options(environment, &environment.directory)?;
    let (variables, directory) = (environment.variables().to_vec(), environment.directory.clone());
    let keeper = crate::bridge::keeper(environment);
    let provider = bare_provider(cx, &options, variables, directory, arguments.into(), keeper).await?;
    Ok(provider.map_err(|error| failed(&error))?)
}

/// What a plugin said instead of an answer.
pub(super) fn failed(error: &CallError) -> Diagnostic {
    let diagnostic = Diagnostic::error("plugin-call", format!("`{}` did not answer {}", error.plugin, error.call))
        .detail(error.message.clone())
        .hint("`outrigger plugin schema` shows what a plugin has; `outrigger explain plugin-call` says how requests are written.");
    match error.last_words.as_slice() {
        [] => diagnostic,
        words => diagnostic.note(words.join("\n")),
    }
}
