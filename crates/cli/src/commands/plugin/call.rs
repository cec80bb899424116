//! `outrigger plugin call`.

use std::io::Read;

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallContext, CallError, ErrorKind};
use outrigger_workspace::{Asked, BridgePlace, call_failed, terraform_provider};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::runtime;
use crate::output::data;

/// Make one call to a plugin by hand.
///
/// Starts the plugin, makes the call, prints what came back as JSON, one message a line, and ends the plugin. Requests to a Pulumi
/// plugin are those of its protocol's `ResourceProvider`, in Protobuf's JSON. Requests to a Terraform provider have the names of protocol 6, and
/// values as plain JSON: what is left out is null, `{"$unknown": true}` is not known yet, a value of the type `dynamic` is
/// `{"value": …, "type": …}`, and the provider's own bytes are base64.
#[derive(Args, Debug)]
pub(crate) struct Call {
    /// A plugin, as `NAME`, `NAME@VERSION` or the path of its executable; with `--terraform`, a provider's address or path.
    #[arg(value_name = "PLUGIN")]
    plugin: String,
    /// The call, such as Check or ReadDataSource.
    #[arg(value_name = "RPC")]
    call: String,
    /// The request as JSON; `-` reads it from standard input.
    #[arg(value_name = "REQUEST", default_value = "{}")]
    request: String,
    /// The plugin is a Terraform provider.
    #[arg(long)]
    terraform: bool,
    /// A parameter for the plugin, before the call; for a Terraform provider, a constraint on its version. May be given several times.
    #[arg(long, value_name = "PARAMETER", allow_hyphen_values = true)]
    parameter: Vec<String>,
    /// Configure the plugin before the call, with this JSON object.
    #[arg(long, value_name = "CONFIG")]
    config: Option<String>,
    /// Show secrets in clear.
    #[arg(long)]
    show_secrets: bool,
}

impl Call {
    pub(crate) fn run(self, environment: &Environment) -> Result<(), Failure> {
        let request = self.request()?;
        if let Some(config) = &self.config {
            is_json("--config", config)?;
        }
        runtime()?.block_on(async {
            let cx = CallContext::background();
            if self.terraform {
                self.to_provider(&cx, environment, &request).await
            } else {
                self.to_plugin(&cx, environment, &request).await
            }
        })
    }

    async fn to_provider(&self, cx: &CallContext, environment: &Environment, request: &str) -> Result<(), Failure> {
        let provider = terraform_provider(cx, environment, &self.plugin, &self.parameter).await?;
        // Messages of a stream are printed as they arrive: an action may take its time, and may fail at its end.
        let mut printed = Ok(());
        let asked = async {
            if let Some(config) = &self.config {
                provider.configure(cx, config).await?;
            }
            let mut each = |answer: String| {
                if printed.is_ok() {
                    printed = data(&answer);
                }
            };
            provider.call(cx, &self.call, request, self.show_secrets, &mut each).await
        };
        let asked = asked.await;
        provider.end().await;
        asked.map_err(|error| self.failed(&error))?;
        Ok(printed?)
    }

    async fn to_plugin(&self, cx: &CallContext, environment: &Environment, request: &str) -> Result<(), Failure> {
        // A call by hand goes over the wire, so the bridge is a separate process here, like every other plugin.
        let asked = Asked::start(cx, environment, &self.plugin, &self.parameter, BridgePlace::Apart).await?;
        let answered = async {
            if let Some(config) = &self.config {
                let configure = format!(r#"{{"args":{config},"acceptSecrets":true,"acceptResources":true}}"#);
                asked.plugin.by_hand(cx, "Configure", &configure, false).await?;
            }
            asked.plugin.by_hand(cx, &self.call, request, self.show_secrets).await
        };
        let answers = answered.await;
        asked.end().await;
        for answer in answers.map_err(|error| self.failed(&error))? {
            data(&answer)?;
        }
        Ok(())
    }

    /// Most calls need a plugin that is configured, and many plugins take an empty configuration.
    fn failed(&self, error: &CallError) -> Diagnostic {
        let diagnostic = call_failed(error);
        if error.kind == ErrorKind::Unsupported || self.config.is_some() || !needs_configuration(&self.call) {
            return diagnostic;
        }
        diagnostic.hint("The plugin was not configured. Add `--config '{}'`, with the settings that it needs, to configure it before the call.")
    }

    fn request(&self) -> Result<String, Diagnostic> {
        let mut text = self.request.clone();
        if text == "-" {
            text.clear();
            std::io::stdin().lock().read_to_string(&mut text).map_err(|error| {
                Diagnostic::error("plugin-request", "the request cannot be read from standard input")
                    .detail(error.to_string())
            })?;
        }
        is_json("the request", &text)?;
        Ok(text)
    }
}

/// Whether a call of either protocol usually needs a configured plugin.
fn needs_configuration(call: &str) -> bool {
    const FREE: [&str; 7] = ["Schema", "Config", "Handshake", "PluginInfo", "Parameterize", "Metadata", "Mapping"];
    const FREE_WHOLE: [&str; 5] = ["Configure", "Attach", "Cancel", "CallFunction", "GetFunctions"];
    !FREE.iter().any(|part| call.contains(part)) && !FREE_WHOLE.contains(&call)
}

fn is_json(what: &str, text: &str) -> Result<(), Diagnostic> {
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(Diagnostic::error("plugin-request", format!("{what} is not JSON"))
            .detail(error.to_string())
            .hint("Put it in single quotes, so that the shell leaves it as it is, or give `-` and write it to standard input.")),
    }
}
