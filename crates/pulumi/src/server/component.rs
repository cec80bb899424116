//! Construct and Call: the plugin creates a component, or answers a method, with the engine as its monitor.

use std::collections::HashMap;

use outrigger_provider::{CallContext, CallRequest, Goal, RunInfo};
use outrigger_value::{PropertyDependencies, PropertyMap, Urn, Value};
use tonic::Status;

use super::answer::{failure, failures, unsendable};
use super::monitor::EngineMonitor;
use super::session::{self, Session};
use crate::encoding::{Encoding, decode_value, encode};
use crate::generated::pulumirpc;
use crate::monitor::goal::{PLAIN, alias, optional, providers, timeouts, unreadable, urns, with_outputs};

/// Outputs are sent with their dependencies; an engine that does not support that gets the values.
fn answers(accepts_outputs: bool) -> Encoding {
    Encoding { unknowns: true, secrets: true, resources: true, outputs: accepts_outputs, elide: false }
}

/// The run that a request describes: Construct and Call have the same fields for it, in messages of their own.
macro_rules! run_info {
    ($request:ident) => {
        RunInfo {
            config: config($request.config, &$request.config_secret_keys),
            project: $request.project,
            stack: $request.stack,
            organization: $request.organization,
            parallel: usize::try_from($request.parallel).unwrap_or_default(),
            preview: $request.dry_run,
        }
    };
}

pub(super) async fn construct(
    session: &Session,
    cx: CallContext,
    request: pulumirpc::ConstructRequest,
) -> Result<pulumirpc::ConstructResponse, Status> {
    let provider = session.expect_provider()?;
    let run = run_info!(request);
    let monitor = EngineMonitor::connect(&request.monitor_endpoint, run, cx.log.clone()).await?;
    let how = answers(request.accepts_output_values);
    let limits = request.custom_timeouts.unwrap_or_default();
    let trigger = request.replacement_trigger.map(|value| decode_value("replacementTrigger", value, PLAIN));
    let mut aliases = Vec::new();
    for wire in request.aliases {
        aliases.extend(alias(wire, false)?);
    }
    let goal = Goal {
        ty: request.r#type,
        name: request.name,
        remote: true,
        parent: optional(&request.parent)?,
        inputs: with_outputs(request.inputs)?,
        providers: providers(&request.providers)?,
        dependencies: urns(&request.dependencies)?,
        property_dependencies: dependencies(request.input_dependencies, |from| from.urns)?,
        protect: request.protect,
        ignore_changes: request.ignore_changes,
        replace_on_changes: request.replace_on_changes,
        additional_secret_outputs: request.additional_secret_outputs,
        aliases,
        custom_timeouts: timeouts([&limits.create, &limits.update, &limits.delete, &limits.read])?,
        delete_before_replace: request.delete_before_replace,
        retain_on_delete: request.retain_on_delete,
        deleted_with: optional(&request.deleted_with)?,
        replace_with: urns(&request.replace_with)?,
        replacement_trigger: trigger.transpose().map_err(unreadable)?.flatten(),
        ..Goal::default()
    };
    let made = provider.construct(&cx, goal, &monitor).await.map_err(|error| failure(&error))?;
    let state_dependencies = made.output_dependencies.into_iter();
    Ok(pulumirpc::ConstructResponse {
        urn: made.urn.to_string(),
        state: Some(encode(made.outputs, how).map_err(|error| unsendable(&error))?),
        state_dependencies: state_dependencies
            .map(|(key, from)| (key, pulumirpc::construct_response::PropertyDependencies { urns: texts(&from) }))
            .collect(),
    })
}

pub(super) async fn call(
    session: &Session,
    cx: CallContext,
    request: pulumirpc::CallRequest,
) -> Result<pulumirpc::CallResponse, Status> {
    let provider = session.expect_provider()?;
    let run = run_info!(request);
    let monitor = EngineMonitor::connect(&request.monitor_endpoint, run, cx.log.clone()).await?;
    let how = answers(request.accepts_output_values);
    let call = CallRequest {
        token: request.tok,
        arguments: with_outputs(request.args)?,
        argument_dependencies: dependencies(request.arg_dependencies, |from| from.urns)?,
    };
    let answer = provider.call(&cx, call, &monitor).await.map_err(|error| failure(&error))?;
    let return_dependencies = answer.dependencies.into_iter();
    Ok(pulumirpc::CallResponse {
        r#return: Some(encode(answer.result, how).map_err(|error| unsendable(&error))?),
        return_dependencies: return_dependencies
            .map(|(key, from)| (key, pulumirpc::call_response::ReturnDependencies { urns: texts(&from) }))
            .collect(),
        failures: failures(answer.failures),
    })
}

fn config(values: HashMap<String, String>, secret: &[String]) -> PropertyMap {
    let marked = |(key, text): (String, String)| {
        let value = Value::String(text);
        let value = if secret.contains(&key) { Value::secret(value) } else { value };
        (key, value)
    };
    values.into_iter().map(marked).collect()
}

fn dependencies<T>(wire: HashMap<String, T>, texts: impl Fn(T) -> Vec<String>) -> Result<PropertyDependencies, Status> {
    wire.into_iter()
        .map(|(key, from)| Ok((key, texts(from).iter().map(|urn| session::urn(urn)).collect::<Result<_, _>>()?)))
        .collect()
}

fn texts(urns: &[Urn]) -> Vec<String> {
    urns.iter().map(Urn::to_string).collect()
}
