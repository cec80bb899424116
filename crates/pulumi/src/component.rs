//! Components: Construct and Call.

use std::collections::{BTreeMap, HashMap};

use outrigger_provider::{
    CallContext, CallError, CallRequest, CallResponse, ConstructRequest, ConstructResponse, ErrorKind, Provider,
};
use outrigger_value::Urn;

use crate::connection::Connection;
use crate::encoding::{Decoding, Encoding, Unknowns, decode, encode};
use crate::generated::pulumirpc;
use crate::generated::pulumirpc::call_request::ArgumentDependencies;
use crate::generated::pulumirpc::construct_request::PropertyDependencies;
use crate::options;
use crate::plugin::failures;
use crate::provider::PulumiProvider;

/// Makes a component. Its children are registered by the plugin through the monitor.
pub(crate) async fn construct(
    provider: &PulumiProvider,
    cx: &CallContext,
    request: ConstructRequest,
) -> Result<ConstructResponse, CallError> {
    const CALL: &str = "Construct";
    let connection = &provider.connection;
    let refuse = |message: &str| Err(connection.error(CALL, ErrorKind::NotDone, message));
    if provider.unconfigured() {
        return refuse("the provider's configuration is not known yet, so the component cannot be made");
    }
    if !provider.features.secrets {
        return refuse("a plugin with components must understand secrets, and this one does not");
    }
    let how = Encoding { unknowns: true, outputs: provider.features.outputs, ..provider.features.encoding(true) };
    let mut message = pulumirpc::ConstructRequest {
        project: request.parent.as_ref().map(|parent| parent.project().to_owned()).unwrap_or_default(),
        stack: request.parent.as_ref().map(|parent| parent.stack().to_owned()).unwrap_or_default(),
        dry_run: request.preview,
        monitor_endpoint: request.monitor,
        r#type: request.ty,
        name: request.name,
        parent: request.parent.as_ref().map(Urn::to_string).unwrap_or_default(),
        inputs: Some(encode(request.inputs, how).map_err(|error| connection.unsendable(CALL, &error))?),
        input_dependencies: dependencies(request.input_dependencies, |urns| PropertyDependencies { urns }),
        providers: request.providers.into_iter().collect(),
        dependencies: texts(&request.dependencies),
        accepts_output_values: true,
        ..pulumirpc::ConstructRequest::default()
    };
    options::fill(&mut message, request.options)
        .map_err(|reason| connection.error(CALL, ErrorKind::NotDone, reason))?;
    let answer = connection.call(cx, CALL, connection.client().construct(message)).await?;
    let how = answer_decoding(request.preview);
    Ok(ConstructResponse {
        urn: urn(connection, CALL, &answer.urn)?,
        outputs: decode(answer.state.unwrap_or_default(), how).map_err(|error| connection.garbage(CALL, &error))?,
        output_dependencies: urns(
            connection,
            CALL,
            answer.state_dependencies.into_iter().map(|(key, value)| (key, value.urns)),
        )?,
    })
}

/// Calls a method of a component.
pub(crate) async fn call(
    provider: &PulumiProvider,
    cx: &CallContext,
    request: CallRequest,
) -> Result<CallResponse, CallError> {
    const CALL: &str = "Call";
    let connection = &provider.connection;
    // Methods came after secrets and references: those are always sent.
    let how =
        Encoding { unknowns: true, secrets: true, resources: true, outputs: provider.features.outputs, elide: false };
    let (project, stack) =
        own_urn(&request).map(|urn| (urn.project().to_owned(), urn.stack().to_owned())).unwrap_or_default();
    let message = pulumirpc::CallRequest {
        tok: request.token,
        args: Some(encode(request.arguments, how).map_err(|error| connection.unsendable(CALL, &error))?),
        arg_dependencies: dependencies(request.argument_dependencies, |urns| ArgumentDependencies { urns }),
        project,
        stack,
        dry_run: request.preview,
        monitor_endpoint: request.monitor,
        accepts_output_values: true,
        ..pulumirpc::CallRequest::default()
    };
    let answer = connection.call(cx, CALL, connection.client().call(message)).await?;
    let how = answer_decoding(request.preview);
    Ok(CallResponse {
        result: decode(answer.r#return.unwrap_or_default(), how).map_err(|error| connection.garbage(CALL, &error))?,
        dependencies: urns(
            connection,
            CALL,
            answer.return_dependencies.into_iter().map(|(key, value)| (key, value.urns)),
        )?,
        failures: failures(answer.failures),
    })
}

/// The resource whose method is called.
fn own_urn(request: &CallRequest) -> Option<&Urn> {
    match request.arguments.get("__self__")?.bare() {
        outrigger_value::Value::Resource(reference) => Some(&reference.urn),
        _ => None,
    }
}

fn answer_decoding(preview: bool) -> Decoding {
    Decoding { unknowns: if preview { Unknowns::Keep } else { Unknowns::Drop }, outputs: true }
}

fn dependencies<T>(from: BTreeMap<String, Vec<Urn>>, make: impl Fn(Vec<String>) -> T) -> HashMap<String, T> {
    from.into_iter().map(|(key, urns)| (key, make(texts(&urns)))).collect()
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
) -> Result<BTreeMap<String, Vec<Urn>>, CallError> {
    from.map(|(key, texts)| {
        let urns: Result<Vec<Urn>, CallError> = texts.iter().map(|text| urn(connection, call, text)).collect();
        Ok((key, urns?))
    })
    .collect()
}
