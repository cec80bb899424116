//! The providers of Pulumi's bridge: from the parameters of a package to the program.

use async_trait::async_trait;
use outrigger_bridge::tokens::Selection;
use outrigger_bridge::{Origin, Origins, Place};
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::Parameterize;
use outrigger_transport::goplugin::{Reattach, reattach_providers};
use semver::Version;

use crate::parameters::{ParameterValue, Parameters, Wanted};
use crate::sources::Sources;

/// Variables that name providers which run already: Terraform's own, and the one of Pulumi's bridge.
const REATTACH: [&str; 2] = ["PULUMI_BRIDGE_REATTACH_PROVIDERS", "TF_REATTACH_PROVIDERS"];

#[async_trait]
impl Origins for Sources {
    async fn find(&self, wanted: &Parameterize) -> Result<Origin, Diagnostic> {
        let parameters = match wanted {
            Parameterize::Arguments(arguments) => Parameters::parse(arguments)?,
            Parameterize::Value(stored) => ParameterValue::parse(&stored.value)?.parameters,
        };
        let (place, provider, version, namespace) = match &parameters.provider {
            Wanted::Local(path) => {
                (Place::Program(self.local(path)?), path.name().to_owned(), Version::new(0, 0, 0), None)
            }
            Wanted::Remote { address, constraint } => {
                let (place, version) = match self.running(&address.to_string())? {
                    Some(reattach) => (Place::Running(reattach), Version::new(0, 0, 0)),
                    None => {
                        let installed = Sources::find(self, address, constraint).await?;
                        (Place::Program(installed.program), installed.version)
                    }
                };
                (place, address.kind().to_owned(), version, Some(address.namespace().to_owned()))
            }
        };
        let selection = Selection {
            package: parameters.provider_name.clone(),
            includes: parameters.includes.clone(),
            excludes: parameters.excludes.clone(),
        };
        let package = parameters.provider_name.clone().unwrap_or_else(|| provider.clone());
        let value = ParameterValue::new(parameters, &version)?.to_bytes();
        Ok(Origin { place, provider, package, version, namespace, selection, value })
    }
}

impl Sources {
    /// A provider that somebody started for us to attach to.
    fn running(&self, address: &str) -> Result<Option<Reattach>, Diagnostic> {
        for variable in REATTACH {
            let Some(text) = self.variable(variable) else { continue };
            let running = reattach_providers(text).map_err(|reason| {
                Diagnostic::error("terraform-reattach", format!("`{variable}` cannot be read"))
                    .detail(reason)
                    .hint("A provider that is started with `-debug` prints the text for it.")
            })?;
            if let Some(found) = running.get(address) {
                return Ok(Some(found.clone()));
            }
        }
        Ok(None)
    }
}
