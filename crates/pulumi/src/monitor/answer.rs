//! One call of a plugin: converts its request to a goal, and the monitor's result to the answer.

use std::collections::HashMap;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallRequest, InvokeGoal, MethodGoal, Monitor, ReadGoal, RegisterError, Registered};
use outrigger_value::{ByProperty, PropertyMap, UNKNOWN_ID, Urn, Value};
use prost_types::Struct;
use tonic::Status;

use super::goal::{goal, optional, parse, plain, provider, urns, with_outputs};
use super::package::package_of;
use crate::encoding::{Encoding, encode};
use crate::generated::pulumirpc::register_resource_response::PropertyDependencies;
use crate::generated::pulumirpc::{
    CallResponse, CheckFailure, InvokeResponse, ReadResourceRequest, ReadResourceResponse,
    RegisterResourceOutputsRequest, RegisterResourceRequest, RegisterResourceResponse, RegisterResult,
    ResourceCallRequest, ResourceInvokeRequest, call_response,
};

/// Registers a resource or a component.
pub(super) async fn register(
    monitor: &dyn Monitor,
    request: RegisterResourceRequest,
    legacy_aliases: bool,
) -> Result<RegisterResourceResponse, Status> {
    let how = Encoding {
        unknowns: true,
        secrets: request.accept_secrets,
        resources: request.accept_resources,
        ..Encoding::default()
    };
    let reports = request.supports_result_reporting;
    let partial = request.supports_partial_values;
    let goal = goal(request, legacy_aliases)?;
    let local_component = !goal.custom && !goal.remote;
    let run = monitor.run();
    let urn = Urn::new(&run.stack, &run.project, goal.parent.as_ref(), &goal.ty, &goal.name);
    let Registered { urn, id, outputs, output_dependencies } = match monitor.register(goal).await {
        Ok(registered) => registered,
        Err(RegisterError::Invalid(diagnostic)) => return Err(invalid(&diagnostic)),
        Err(error) if reports => {
            let result =
                if matches!(error, RegisterError::Skipped) { RegisterResult::Skip } else { RegisterResult::Fail };
            let response = RegisterResourceResponse { urn: urn.to_string(), ..RegisterResourceResponse::default() };
            return Ok(RegisterResourceResponse { result: result.into(), object: Some(Struct::default()), ..response });
        }
        Err(error) => return Err(unregistered(&error)),
    };
    // A component's stored outputs are old: it sets new ones only after its children, which may not exist yet.
    let outputs = if local_component { PropertyMap::new() } else { outputs };
    let outputs = outputs.into_iter().filter(|(_, value)| partial || !value.contains_unknown()).collect();
    Ok(RegisterResourceResponse {
        urn: urn.to_string(),
        id: id.map(|id| known_id(&id)).unwrap_or_default(),
        object: Some(wire(outputs, how)?),
        property_dependencies: dependencies(output_dependencies, |urns| PropertyDependencies { urns }),
        ..RegisterResourceResponse::default()
    })
}

/// Sets the outputs of a component.
pub(super) async fn outputs(monitor: &dyn Monitor, request: RegisterResourceOutputsRequest) -> Result<(), Status> {
    let outputs = plain(request.outputs)?;
    monitor.register_outputs(&parse(&request.urn)?, outputs).await.map_err(|error| unregistered(&error))
}

/// Reads a resource.
pub(super) async fn read(monitor: &dyn Monitor, request: ReadResourceRequest) -> Result<ReadResourceResponse, Status> {
    let package = package_of!(request.r#type)?;
    let how = Encoding {
        unknowns: true,
        secrets: request.accept_secrets,
        resources: request.accept_resources,
        ..Encoding::default()
    };
    let goal = ReadGoal {
        id: Some(if request.id == UNKNOWN_ID { Value::Unknown } else { Value::String(request.id) }),
        ty: request.r#type,
        name: request.name,
        parent: optional(&request.parent)?,
        properties: plain(request.properties)?,
        provider: provider(&request.provider)?,
        dependencies: urns(&request.dependencies)?,
        additional_secret_outputs: request.additional_secret_outputs,
        package,
        source: None,
    };
    let read = monitor.read(goal).await.map_err(|error| unregistered(&error))?;
    Ok(ReadResourceResponse { urn: read.urn.to_string(), properties: Some(wire(read.outputs, how)?) })
}

/// Calls a function.
pub(super) async fn invoke(monitor: &dyn Monitor, request: ResourceInvokeRequest) -> Result<InvokeResponse, Status> {
    let package = package_of!(request.tok)?;
    // Old SDKs resolve references with this function without announcing that they support them.
    let resources = request.accept_resources || request.tok == "pulumi:pulumi:getResource";
    let goal = InvokeGoal {
        token: request.tok,
        arguments: plain(request.args)?,
        provider: provider(&request.provider)?,
        package,
        ..InvokeGoal::default()
    };
    let result = monitor.invoke(goal).await.map_err(|error| unregistered(&error))?.unwrap_or_default();
    let how = Encoding { unknowns: true, secrets: true, resources, ..Encoding::default() };
    Ok(InvokeResponse { r#return: Some(wire(result, how)?), failures: Vec::new() })
}

/// Calls a method.
pub(super) async fn call(monitor: &dyn Monitor, request: ResourceCallRequest) -> Result<CallResponse, Status> {
    let package = package_of!(request.tok)?;
    let argument_dependencies = request
        .arg_dependencies
        .iter()
        .map(|(key, from)| Ok((key.clone(), urns(&from.urns)?)))
        .collect::<Result<ByProperty<_>, Status>>()?;
    let goal = MethodGoal {
        call: CallRequest { token: request.tok, arguments: with_outputs(request.args)?, argument_dependencies },
        provider: provider(&request.provider)?,
        package,
        source: None,
    };
    let answer = monitor.call(goal).await.map_err(|error| unregistered(&error))?;
    let how = Encoding { unknowns: true, secrets: true, resources: true, ..Encoding::default() };
    Ok(CallResponse {
        r#return: Some(wire(answer.result, how)?),
        return_dependencies: dependencies(answer.dependencies, |urns| call_response::ReturnDependencies { urns }),
        failures: answer
            .failures
            .into_iter()
            .map(|failure| CheckFailure { property: failure.property, reason: failure.reason })
            .collect(),
    })
}

/// The engine has reported the error to the user; the plugin only learns that it need not continue.
fn unregistered(error: &RegisterError) -> Status {
    match error {
        RegisterError::Failed => Status::internal("resource registration failed"),
        RegisterError::Skipped => Status::unavailable("the run is ending: nothing new is started"),
        RegisterError::Invalid(diagnostic) => invalid(diagnostic),
    }
}

fn invalid(diagnostic: &Diagnostic) -> Status {
    Status::invalid_argument(diagnostic.to_string())
}

fn known_id(id: &Value) -> String {
    id.bare().as_str().unwrap_or_default().to_owned()
}

fn wire(properties: PropertyMap, how: Encoding) -> Result<Struct, Status> {
    encode(properties, how).map_err(|error| Status::internal(error.to_string()))
}

fn dependencies<T>(from: ByProperty<Vec<Urn>>, make: impl Fn(Vec<String>) -> T) -> HashMap<String, T> {
    from.into_iter().map(|(key, urns)| (key, make(urns.iter().map(Urn::to_string).collect()))).collect()
}
