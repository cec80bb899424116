//! A Terraform provider without Pulumi's names, for people who want to see its own answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallContext, CallError, ErrorKind, Parameterize};
use outrigger_terraform::Client;
use outrigger_terraform::json::{ByHand, Secrets};
use outrigger_terraform::schema::{IdentitySchema, Schemas, document};
use serde_json::Value;

use crate::origin::Origin;
use crate::plugin::TERRAFORM_VERSION;
use crate::process::Supervised;
use crate::{BridgeOptions, NAME};

const SCHEMA: &str = "GetProviderSchema";

/// A running provider.
pub struct RawProvider {
    process: Supervised,
    client: Arc<Client>,
    schemas: Arc<Schemas>,
    address: String,
}

impl RawProvider {
    /// Finds and starts a provider, and asks for its schema. `arguments` name it as they would for the bridge, whose own name may come first.
    /// [`RawProvider::end`] ends it.
    pub async fn start(
        cx: &CallContext,
        options: &BridgeOptions,
        mut arguments: Vec<String>,
    ) -> Result<Result<Self, CallError>, Diagnostic> {
        if arguments.first().is_some_and(|first| first == NAME) {
            arguments.remove(0);
        }
        let origin = Origin::find(&*options.terraform.resolver, &Parameterize::Arguments(arguments)).await?;
        let address = match &origin.namespace {
            Some(namespace) => format!("{namespace}/{}", origin.provider),
            None => origin.provider.clone(),
        };
        let process = options.process(&origin);
        let started = async {
            let client = process.client(cx).await?;
            let schemas = client.schemas(cx).await.map_err(|error| process.explained(error))?;
            let errors: Vec<String> =
                schemas.reports().iter().filter(|report| report.is_error()).map(ToString::to_string).collect();
            if !errors.is_empty() {
                return Err(CallError::new(client.label(), SCHEMA, ErrorKind::NotDone, errors.join("\n")));
            }
            Ok((client, Arc::new(schemas)))
        };
        match started.await {
            Ok((client, schemas)) => {
                process.knows(&schemas);
                Ok(Ok(Self { process, client, schemas, address }))
            }
            Err(error) => {
                process.end().await;
                Ok(Err(error))
            }
        }
    }

    /// Its schema, in the form of `terraform providers schema -json`.
    pub async fn document(&self, cx: &CallContext) -> Result<Value, CallError> {
        let answer = self.client.identity_schemas(cx).await.map_err(|error| self.process.explained(error));
        let (identities, _): (BTreeMap<String, IdentitySchema>, _) = answer?;
        let document = document(&self.schemas, &identities, &self.address);
        document.map_err(|error| CallError::new(self.client.label(), SCHEMA, ErrorKind::Garbage, error.to_string()))
    }

    /// Configures it; `config` is JSON.
    pub async fn configure(&self, cx: &CallContext, config: &str) -> Result<(), CallError> {
        const CALL: &str = "ConfigureProvider";
        let request = format!(r#"{{"terraform_version":"{TERRAFORM_VERSION}","config":{config}}}"#);
        let mut failed = Vec::new();
        self.call(cx, CALL, &request, false, &mut |answer| failed.extend(errors(&answer))).await?;
        if failed.is_empty() {
            return Ok(());
        }
        Err(CallError::new(self.client.label(), CALL, ErrorKind::NotDone, failed.join("\n")))
    }

    /// Makes a call of protocol 6 by its name. Each message of the answer is passed on as it arrives.
    pub async fn call(
        &self,
        cx: &CallContext,
        name: &str,
        request: &str,
        show_secrets: bool,
        each: &mut (dyn FnMut(String) + Send),
    ) -> Result<(), CallError> {
        let secrets = if show_secrets { Secrets::Shown } else { Secrets::Hidden };
        let answer = self.client.by_hand(cx, &self.schemas, ByHand { name, request, secrets }, each).await;
        answer.map_err(|error| self.process.explained(error))
    }

    /// Ends it.
    pub async fn end(&self) {
        self.process.end().await;
    }
}

/// The errors among the diagnostics of an answer.
fn errors(answer: &str) -> Vec<String> {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    let diagnostics = answer["diagnostics"].as_array().cloned().unwrap_or_default();
    let failed = diagnostics.iter().filter(|diagnostic| diagnostic["severity"] == "ERROR");
    failed
        .map(|diagnostic| match diagnostic["detail"].as_str() {
            Some(detail) => format!("{}: {detail}", diagnostic["summary"].as_str().unwrap_or_default()),
            None => diagnostic["summary"].as_str().unwrap_or_default().to_owned(),
        })
        .collect()
}
