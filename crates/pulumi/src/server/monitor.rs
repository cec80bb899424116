//! The engine's `ResourceMonitor`, as a plugin with components sees it: a [`Monitor`] at the other end of a connection.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{
    CallResponse, CheckFailure, Goal, InvokeGoal, LogLevel, LogSink, MethodGoal, Monitor, PluginDescriptor, ReadGoal,
    RegisterError, Registered, RunInfo,
};
use outrigger_transport::channel::Channel;
use outrigger_transport::limited;
use outrigger_value::{ByProperty, CustomTimeouts, PropertyMap, Urn, Value, duration};
use prost_types::Struct;
use tonic::{Code, Status};

use crate::encoding::{Decoding, Encoding, EncodingError, Unknowns, decode, encode, encode_value};
use crate::generated::pulumirpc::register_resource_request::{CustomTimeouts as Timeouts, PropertyDependencies};
use crate::generated::pulumirpc::resource_monitor_client::ResourceMonitorClient;
use crate::generated::pulumirpc::{
    ReadResourceRequest, RegisterPackageRequest, RegisterResourceOutputsRequest, RegisterResourceRequest,
    RegisterResult, ResourceCallRequest, ResourceInvokeRequest, register_package_request, resource_call_request,
};
use crate::options;

use super::log::dial;

/// The encoding for the engine, which supports everything.
const SENT: Encoding = Encoding { unknowns: true, secrets: true, resources: true, outputs: true, elide: false };
const PLAIN: Encoding = Encoding { outputs: false, ..SENT };
const ANSWER: Decoding = Decoding { unknowns: Unknowns::Keep, outputs: false };

/// The engine for which a component is created.
pub(super) struct EngineMonitor {
    client: ResourceMonitorClient<Channel>,
    stack: Urn,
    run: RunInfo,
    log: Arc<dyn LogSink>,
}

/// A goal's package on the wire.
#[derive(Default)]
struct WirePackage {
    reference: String,
    version: String,
    download_url: String,
    checksums: HashMap<String, Vec<u8>>,
}

impl EngineMonitor {
    /// Dials the engine: `127.0.0.1:PORT`.
    pub(super) async fn connect(address: &str, run: RunInfo, log: Arc<dyn LogSink>) -> Result<Self, Status> {
        let channel = dial(address).await?;
        let name = format!("{}-{}", run.project, run.stack);
        let stack = Urn::new(&run.stack, &run.project, None, "pulumi:pulumi:Stack", &name);
        Ok(Self { client: limited!(ResourceMonitorClient::new(channel)), stack, run, log })
    }

    /// A parameterized package is registered and named by its reference; any other by version and address.
    async fn package(&self, package: Option<PluginDescriptor>) -> Result<WirePackage, RegisterError> {
        let Some(package) = package else { return Ok(WirePackage::default()) };
        let checksums =
            package.checksums.iter().filter_map(|(platform, hex)| Some((platform.clone(), hex::decode(hex).ok()?)));
        let checksums = checksums.collect();
        let version = package.version.unwrap_or_default();
        let download_url = package.download_url.unwrap_or_default();
        let Some(given) = package.parameterization else {
            return Ok(WirePackage { version, download_url, checksums, ..WirePackage::default() });
        };
        let parameterization =
            register_package_request::Parameterization { name: given.name, version: given.version, value: given.value };
        let request = RegisterPackageRequest {
            name: package.name,
            version,
            download_url,
            checksums,
            parameterization: Some(parameterization),
            extension: None,
        };
        let answer = self.client.clone().register_package(request).await.map_err(refused)?;
        Ok(WirePackage { reference: answer.into_inner().r#ref, ..WirePackage::default() })
    }
}

#[async_trait]
impl Monitor for EngineMonitor {
    fn stack(&self) -> &Urn {
        &self.stack
    }

    fn run(&self) -> &RunInfo {
        &self.run
    }

    async fn register(&self, goal: Goal) -> Result<Registered, RegisterError> {
        let package = self.package(goal.package).await?;
        let trigger = goal.replacement_trigger.map(|value| encode_value("replacementTrigger", value, PLAIN));
        let custom = goal.custom;
        let request = RegisterResourceRequest {
            r#type: goal.ty,
            name: goal.name,
            parent: text(goal.parent.as_ref()),
            custom,
            remote: goal.remote,
            object: Some(wire(goal.inputs, if goal.remote { SENT } else { PLAIN })?),
            protect: goal.protect,
            dependencies: texts(&goal.dependencies),
            provider: goal.provider.map(|provider| provider.to_string()).unwrap_or_default(),
            providers: goal
                .providers
                .iter()
                .map(|(package, provider)| (package.clone(), provider.to_string()))
                .collect(),
            property_dependencies: goal
                .property_dependencies
                .iter()
                .map(|(key, from)| (key.clone(), PropertyDependencies { urns: texts(from) }))
                .collect(),
            delete_before_replace: goal.delete_before_replace.unwrap_or_default(),
            delete_before_replace_defined: goal.delete_before_replace.is_some(),
            version: package.version,
            plugin_download_url: package.download_url,
            plugin_checksums: package.checksums,
            package_ref: package.reference,
            ignore_changes: goal.ignore_changes,
            replace_on_changes: goal.replace_on_changes,
            hide_diffs: goal.hide_diffs,
            additional_secret_outputs: goal.additional_secret_outputs,
            aliases: goal.aliases.into_iter().map(options::alias).collect(),
            alias_specs: true,
            import_id: goal.import_id.unwrap_or_default(),
            custom_timeouts: timeouts(&goal.custom_timeouts),
            retain_on_delete: goal.retain_on_delete,
            deleted_with: text(goal.deleted_with.as_ref()),
            replace_with: texts(&goal.replace_with),
            replacement_trigger: trigger.transpose().map_err(|error| unsendable(&error))?.flatten(),
            accept_secrets: true,
            accept_resources: true,
            supports_partial_values: true,
            supports_result_reporting: true,
            ..RegisterResourceRequest::default()
        };
        let answer = self.client.clone().register_resource(request).await.map_err(refused)?.into_inner();
        match answer.result() {
            RegisterResult::Success => {}
            RegisterResult::Fail => return Err(RegisterError::Failed),
            RegisterResult::Skip => return Err(RegisterError::Skipped),
        }
        let id = match answer.id {
            _ if !custom => None,
            empty if empty.is_empty() => Some(Value::Unknown),
            id => Some(Value::String(id)),
        };
        let mut output_dependencies = ByProperty::new();
        for (key, from) in answer.property_dependencies {
            output_dependencies.insert(key, from.urns.iter().map(|urn| parse(urn)).collect::<Result<_, _>>()?);
        }
        Ok(Registered { urn: parse(&answer.urn)?, id, outputs: read(answer.object)?, output_dependencies })
    }

    async fn register_outputs(&self, urn: &Urn, outputs: PropertyMap) -> Result<(), RegisterError> {
        let request = RegisterResourceOutputsRequest { urn: urn.to_string(), outputs: Some(wire(outputs, PLAIN)?) };
        self.client.clone().register_resource_outputs(request).await.map(|_| ()).map_err(refused)
    }

    async fn read(&self, goal: ReadGoal) -> Result<Registered, RegisterError> {
        let package = self.package(goal.package).await?;
        let id = goal.id.clone();
        let request = ReadResourceRequest {
            id: match goal.id.as_ref().map(Value::bare) {
                Some(Value::String(id)) => id.clone(),
                _ => outrigger_value::UNKNOWN_ID.to_owned(),
            },
            r#type: goal.ty,
            name: goal.name,
            parent: text(goal.parent.as_ref()),
            properties: Some(wire(goal.properties, PLAIN)?),
            dependencies: texts(&goal.dependencies),
            provider: goal.provider.map(|provider| provider.to_string()).unwrap_or_default(),
            version: package.version,
            plugin_download_url: package.download_url,
            plugin_checksums: package.checksums,
            package_ref: package.reference,
            accept_secrets: true,
            accept_resources: true,
            additional_secret_outputs: goal.additional_secret_outputs,
        };
        let answer = self.client.clone().read_resource(request).await.map_err(refused)?.into_inner();
        let (urn, outputs) = (parse(&answer.urn)?, read(answer.properties)?);
        Ok(Registered { urn, id, outputs, output_dependencies: ByProperty::new() })
    }

    async fn invoke(&self, goal: InvokeGoal) -> Result<Option<PropertyMap>, RegisterError> {
        let package = self.package(goal.package).await?;
        let request = ResourceInvokeRequest {
            tok: goal.token.clone(),
            args: Some(wire(goal.arguments, PLAIN)?),
            provider: goal.provider.map(|provider| provider.to_string()).unwrap_or_default(),
            version: package.version,
            plugin_download_url: package.download_url,
            plugin_checksums: package.checksums,
            package_ref: package.reference,
            accept_resources: true,
        };
        let answer = self.client.clone().invoke(request).await.map_err(refused)?.into_inner();
        if let Some(failure) = answer.failures.first() {
            let summary = format!("function `{}` refuses `{}`: {}", goal.token, failure.property, failure.reason);
            return Err(invalid(summary));
        }
        read(answer.r#return).map(Some)
    }

    async fn call(&self, goal: MethodGoal) -> Result<CallResponse, RegisterError> {
        let package = self.package(goal.package).await?;
        let request = ResourceCallRequest {
            tok: goal.call.token,
            args: Some(wire(goal.call.arguments, SENT)?),
            arg_dependencies: goal
                .call
                .argument_dependencies
                .iter()
                .map(|(key, from)| (key.clone(), resource_call_request::ArgumentDependencies { urns: texts(from) }))
                .collect(),
            provider: goal.provider.map(|provider| provider.to_string()).unwrap_or_default(),
            version: package.version,
            plugin_download_url: package.download_url,
            plugin_checksums: package.checksums,
            package_ref: package.reference,
        };
        let answer = self.client.clone().call(request).await.map_err(refused)?.into_inner();
        let mut dependencies = ByProperty::new();
        for (key, from) in answer.return_dependencies {
            dependencies.insert(key, from.urns.iter().map(|urn| parse(urn)).collect::<Result<_, _>>()?);
        }
        let failures = answer.failures.into_iter();
        let failures = failures.map(|failure| CheckFailure::new(failure.property, failure.reason));
        Ok(CallResponse { result: read(answer.r#return)?, dependencies, failures: failures.collect() })
    }

    fn report(&self, diagnostic: Diagnostic) {
        let level = if diagnostic.is_error() { LogLevel::Error } else { LogLevel::Warning };
        self.log.log(level, None, &diagnostic.to_string(), false);
    }
}

/// The engine has reported the reason to the user; only faults of the request itself are reported here.
fn refused(status: Status) -> RegisterError {
    match status.code() {
        Code::InvalidArgument | Code::Unimplemented => invalid(status.message()),
        Code::Unavailable => RegisterError::Skipped,
        _ => RegisterError::Failed,
    }
}

fn invalid(summary: impl Into<String>) -> RegisterError {
    RegisterError::Invalid(Box::new(Diagnostic::error("component-refused", summary)))
}

fn unsendable(error: &EncodingError) -> RegisterError {
    invalid(error.to_string())
}

fn wire(properties: PropertyMap, how: Encoding) -> Result<Struct, RegisterError> {
    encode(properties, how).map_err(|error| unsendable(&error))
}

fn read(answer: Option<Struct>) -> Result<PropertyMap, RegisterError> {
    decode(answer.unwrap_or_default(), ANSWER).map_err(|error| unsendable(&error))
}

fn parse(urn: &str) -> Result<Urn, RegisterError> {
    urn.parse().map_err(|error: outrigger_value::UrnError| invalid(error.to_string()))
}

fn text(urn: Option<&Urn>) -> String {
    urn.map(Urn::to_string).unwrap_or_default()
}

fn texts(urns: &[Urn]) -> Vec<String> {
    urns.iter().map(Urn::to_string).collect()
}

fn timeouts(limits: &CustomTimeouts) -> Option<Timeouts> {
    let text = |seconds: f64| if seconds == 0.0 { String::new() } else { duration::text(seconds) };
    (*limits != CustomTimeouts::default()).then(|| Timeouts {
        create: text(limits.create),
        update: text(limits.update),
        delete: text(limits.delete),
        read: text(limits.read),
    })
}
