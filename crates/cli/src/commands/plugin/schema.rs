//! `outrigger plugin schema`.

use clap::Args;
use outrigger_provider::CallContext;
use outrigger_workspace::{Asked, BridgePlace, call_failed, terraform_provider};

use crate::commands::parameters::Parameters;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::runtime;
use crate::output::data;
use crate::render::waiting::waiting;

/// Show the schema of a plugin.
///
/// Starts the plugin, parameterizes it if there are parameters, and prints its package schema as JSON.
#[derive(Args, Debug)]
pub(crate) struct Schema {
    /// A plugin, as `NAME`, `NAME@VERSION` or the path of its executable.
    #[arg(value_name = "PLUGIN")]
    plugin: String,
    #[command(flatten)]
    parameters: Parameters,
    /// The plugin is a Terraform provider, by its address (and constraints on its version) or the path of its executable; print its own schema, as
    /// `terraform providers schema -json` does.
    #[arg(long)]
    terraform: bool,
}

impl Schema {
    pub(crate) fn run(self, environment: &Environment) -> Result<(), Failure> {
        let cx = CallContext::background();
        let parameters = self.parameters.given();
        let work = async {
            if self.terraform {
                let provider = terraform_provider(&cx, environment, &self.plugin, &parameters).await?;
                let document = provider.document(&cx).await;
                provider.end().await;
                let document = document.map_err(|error| call_failed(&error))?;
                return Ok::<_, Failure>(format!("{document:#}"));
            }
            let asked = Asked::start(&cx, environment, &self.plugin, &parameters, BridgePlace::Here).await?;
            let schema = asked.plugin.schema(&cx, asked.package.as_ref()).await;
            asked.end().await;
            let schema = schema.map_err(|error| call_failed(&error))?;
            // Printed unchanged if it cannot be parsed.
            Ok(match serde_json::from_slice::<serde_json::Value>(&schema) {
                Ok(schema) => format!("{schema:#}"),
                Err(_) => String::from_utf8_lossy(&schema).into_owned(),
            })
        };
        let text = runtime()?.block_on(waiting("Reading the plugin's schema", work))?;
        Ok(data(&text)?)
    }
}
