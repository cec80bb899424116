//! A plugin that is started to be asked something.

use std::ops::Deref;
use std::sync::Arc;

use outrigger_bridge::RawProvider;
use outrigger_diagnostic::Diagnostic;
use outrigger_host::Host;
use outrigger_provider::{CallContext, CallError, Parameterization, Parameterize, Plugin, PluginDescriptor, Plugins};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::packaging::{Origin, versioned};
use crate::plugins::PluginSettings;
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
        change: impl FnOnce(&mut PluginSettings),
    ) -> Result<Self, Failure> {
        let (source, version) = versioned(source);
        let origin = Origin::parse(source, &environment.directory)?;
        let mut settings = PluginSettings::new(environment, &environment.directory)?;
        settings.host.keeper = crate::bridge::keeper(environment);
        if let Origin::Local { name, directory } = &origin {
            settings.prefer(name, directory);
        }
        change(&mut settings);
        let host = Host::new(settings.options())?;
        let run = host.run(Arc::new(Relay::default()));
        let started = async {
            let plugin = run.load(cx, &PluginDescriptor::named(origin.name(), version)).await?;
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

/// A Terraform provider in a host of its own.
pub(super) struct Bare {
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
pub(super) async fn terraform(
    cx: &CallContext,
    environment: &Environment,
    source: &str,
    parameters: &[String],
) -> Result<Bare, Failure> {
    let arguments = [source].into_iter().chain(parameters.iter().map(String::as_str)).map(str::to_owned).collect();
    let (host, options) = crate::bridge::apart(environment, None)?;
    let provider = RawProvider::start(cx, &options, arguments).await?.map_err(|error| failed(&error))?;
    Ok(Bare { _host: host, provider })
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
