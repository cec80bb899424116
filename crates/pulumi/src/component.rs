//! Components: Construct and Call.

use std::collections::{BTreeSet, HashMap};

use outrigger_provider::{
    CallContext, CallError, CallRequest, CallResponse, ConstructResponse, ErrorKind, Goal, Monitor,
};
use outrigger_value::{ByProperty, PropertyMap, Urn};

use crate::connection::Connection;
use crate::encoding::{Decoding, Encoding, Unknowns, decode};
use crate::generated::pulumirpc;
use crate::generated::pulumirpc::call_request::ArgumentDependencies;
use crate::generated::pulumirpc::construct_request::PropertyDependencies;
use crate::monitor::{Lifetime, configuration, serve};
use crate::options;
use crate::plugin::failures;
use crate::provider::PulumiProvider;

/// Creates a component. The plugin registers it and its children through the monitor.
pub(crate) async fn construct(
    provider: &PulumiProvider,
    cx: &CallContext,
    mut goal: Goal,
    monitor: &dyn Monitor,
) -> Result<ConstructResponse, CallError> {
    const CALL: &str = "Construct";
    let connection = &provider.connection;
    let refuse = |message: &str| Err(connection.error(CALL, ErrorKind::NotDone, message));
    if !provider.features.secrets {
        return refuse("a plugin with components must understand secrets, and this one does not");
    }
    let run = monitor.run();
    let how = Encoding { unknowns: true, outputs: provider.features.outputs, ..provider.features.encoding(true) };
    let (config, config_secret_keys) = configuration(run);
    let mut message = pulumirpc::ConstructRequest {
        project: run.project.clone(),
        stack: run.stack.clone(),
        organization: run.organization.clone(),
        config,
        config_secret_keys,
        parallel: run.parallel.try_into().unwrap_or(i32::MAX),
        dry_run: run.preview,
        parent: goal.parent.as_ref().map(Urn::to_string).unwrap_or_default(),
        input_dependencies: dependencies(&goal.property_dependencies, |urns| PropertyDependencies { urns }),
        providers: goal.providers.iter().map(|(package, reference)| (package.clone(), reference.to_string())).collect(),
        dependencies: texts(&goal.dependencies),
        accepts_output_values: true,
        ..pulumirpc::ConstructRequest::default()
    };
    options::fill(&mut message, &mut goal).map_err(|error| connection.unsendable(CALL, &error))?;
    message.inputs = Some(connection.encode(goal.inputs, how).map_err(|error| connection.unsendable(CALL, &error))?);
    (message.r#type, message.name) = (goal.ty, goal.name);
    let answer = serve(monitor, Lifetime::Call, async |address| {
        message.monitor_endpoint = address;
        connection.call(cx, CALL, connection.client().construct(message)).await
    });
    let answer = answer.await.map_err(|error| unserved(connection, CALL, &error))??;
    let how = answer_decoding(run.preview);
    let outputs = decode(answer.state.unwrap_or_default(), how).map_err(|error| connection.garbage(CALL, &error))?;
    let mut output_dependencies =
        urns(connection, CALL, answer.state_dependencies.into_iter().map(|(key, value)| (key, value.urns)))?;
    Ok(ConstructResponse {
        urn: urn(connection, CALL, &answer.urn)?,
        outputs: settled(outputs, &mut output_dependencies),
        output_dependencies,
    })
}

/// Calls a method of a component.
pub(crate) async fn call(
    provider: &PulumiProvider,
    cx: &CallContext,
    request: CallRequest,
    monitor: &dyn Monitor,
) -> Result<CallResponse, CallError> {
    const CALL: &str = "Call";
    let connection = &provider.connection;
    // Methods are newer than secrets and references: those are always sent.
    let how =
        Encoding { unknowns: true, secrets: true, resources: true, outputs: provider.features.outputs, elide: false };
    let run = monitor.run();
    let (config, config_secret_keys) = configuration(run);
    let mut message = pulumirpc::CallRequest {
        tok: request.token,
        args: Some(connection.encode(request.arguments, how).map_err(|error| connection.unsendable(CALL, &error))?),
        arg_dependencies: dependencies(&request.argument_dependencies, |urns| ArgumentDependencies { urns }),
        project: run.project.clone(),
        stack: run.stack.clone(),
        organization: run.organization.clone(),
        config,
        config_secret_keys,
        parallel: run.parallel.try_into().unwrap_or(i32::MAX),
        dry_run: run.preview,
        accepts_output_values: true,
        ..pulumirpc::CallRequest::default()
    };
    let answer = serve(monitor, Lifetime::Call, async |address| {
        message.monitor_endpoint = address;
        connection.call(cx, CALL, connection.client().call(message)).await
    });
    let answer = answer.await.map_err(|error| unserved(connection, CALL, &error))??;
    let how = answer_decoding(run.preview);
    let result = decode(answer.r#return.unwrap_or_default(), how).map_err(|error| connection.garbage(CALL, &error))?;
    let mut dependencies =
        urns(connection, CALL, answer.return_dependencies.into_iter().map(|(key, value)| (key, value.urns)))?;
    Ok(CallResponse { result: settled(result, &mut dependencies), dependencies, failures: failures(answer.failures) })
}

/// Outputs become their values, and their dependencies are added to those that the plugin gave.
fn settled(properties: PropertyMap, dependencies: &mut ByProperty<Vec<Urn>>) -> PropertyMap {
    properties
        .into_iter()
        .map(|(key, value)| {
            let mut from = BTreeSet::new();
            value.output_dependencies(&mut from);
            let known = dependencies.entry(key.clone()).or_default();
            from.extend(known.drain(..));
            known.extend(from);
            (key, value.without_outputs())
        })
        .collect()
}

fn unserved(connection: &Connection, call: &str, error: &std::io::Error) -> CallError {
    connection.error(
        call,
        ErrorKind::NotDone,
        format!("a service for the plugin to call back could not start: {error}"),
    )
}

fn answer_decoding(preview: bool) -> Decoding {
    Decoding { unknowns: if preview { Unknowns::Keep } else { Unknowns::Drop }, outputs: true }
}

fn dependencies<T>(from: &ByProperty<Vec<Urn>>, make: impl Fn(Vec<String>) -> T) -> HashMap<String, T> {
    from.iter().map(|(key, urns)| (key.clone(), make(texts(urns)))).collect()
}

fn texts(urns: &[Urn]) -> Vec<String> {
    urns.iter().map(Urn::to_string).collect()
}

fn urn(connection: &Connection, call: &str, text: &str) -> Result<Urn, CallError> {
    text.parse().map_err(|error| connection.error(call, ErrorKind::Garbage, format!("{error}")))
}

fn urns(
    connection: &Connection,
    call: &str,
    from: impl Iterator<Item = (String, Vec<String>)>,
) -> Result<ByProperty<Vec<Urn>>, CallError> {
    from.map(|(key, texts)| {
        let urns: Result<Vec<Urn>, CallError> = texts.iter().map(|text| urn(connection, call, text)).collect();
        Ok((key, urns?))
    })
    .collect()
}
