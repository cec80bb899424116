//! Calls about the plugin as a whole: its description, its parameters, its configuration.

use outrigger_provider::{CallContext, CheckConfig, Configure, DiffConfig, Parameterization, Parameterize};
use outrigger_value::{PropertyMap, Urn, Value};
use prost_types::Struct;
use tonic::Status;

use super::answer::{ANSWER, failure, failures, unreadable, unsendable};
use super::resource;
use super::session::{Session, urn};
use crate::encoding::{Decoding, Unknowns, decode, encode};
use crate::generated::pulumirpc::parameterize_request::{Parameters, ParametersValue};
use crate::generated::pulumirpc::{
    CheckRequest, CheckResponse, ConfigureRequest, ConfigureResponse, DiffRequest, DiffResponse, GetMappingRequest,
    GetMappingResponse, GetMappingsRequest, GetMappingsResponse, GetSchemaRequest, GetSchemaResponse,
    ParameterizeRequest, ParameterizeResponse, PluginInfo,
};

/// A configuration may be partly unknown.
const CONFIG: Decoding = Decoding { unknowns: Unknowns::Keep, outputs: false };

fn properties(wire: Option<Struct>) -> Result<PropertyMap, Status> {
    decode(wire.unwrap_or_default(), CONFIG).map_err(|error| unreadable(&error))
}

pub(super) async fn info(session: &Session, cx: CallContext) -> Result<PluginInfo, Status> {
    let info = session.plugin.info(&cx).await.map_err(|error| failure(&error))?;
    Ok(PluginInfo { version: info.version })
}

pub(super) async fn schema(
    session: &Session,
    cx: CallContext,
    request: GetSchemaRequest,
) -> Result<GetSchemaResponse, Status> {
    if request.version != 0 {
        return Err(Status::invalid_argument(format!("there is no schema of version {}", request.version)));
    }
    let package = match request.subpackage_name.as_str() {
        "" => None,
        name => match session.parameterization(name, &request.subpackage_version) {
            Some(package) => Some(package),
            None => return Err(Status::invalid_argument(format!("the plugin has not become the package `{name}`"))),
        },
    };
    let schema = session.plugin.schema(&cx, package.as_ref()).await.map_err(|error| failure(&error))?;
    let schema = String::from_utf8(schema).map_err(|_| Status::internal("the schema is not text"))?;
    Ok(GetSchemaResponse { schema })
}

pub(super) async fn parameterize(
    session: &Session,
    cx: CallContext,
    request: ParameterizeRequest,
) -> Result<ParameterizeResponse, Status> {
    let how = match request.parameters {
        Some(Parameters::Args(arguments)) => Parameterize::Arguments(arguments.args),
        Some(Parameters::Value(ParametersValue { name, version, value })) => {
            Parameterize::Value(Parameterization { name, version, value })
        }
        None => return Err(Status::invalid_argument("no parameters were sent")),
    };
    let became = session.plugin.parameterize(&cx, how).await.map_err(|error| failure(&error))?;
    let answer = ParameterizeResponse { name: became.name.clone(), version: became.version.clone() };
    session.parameterized(became);
    Ok(answer)
}

pub(super) async fn check_config(
    session: &Session,
    cx: CallContext,
    request: CheckRequest,
) -> Result<CheckResponse, Status> {
    let request =
        CheckConfig { urn: urn(&request.urn)?, olds: properties(request.olds)?, news: properties(request.news)? };
    let checked = session.plugin.check_config(&cx, request).await.map_err(|error| failure(&error))?;
    let inputs = encode(checked.inputs, ANSWER).map_err(|error| unsendable(&error))?;
    Ok(CheckResponse { inputs: Some(inputs), failures: failures(checked.failures) })
}

pub(super) async fn diff_config(
    session: &Session,
    cx: CallContext,
    request: DiffRequest,
) -> Result<DiffResponse, Status> {
    let request = DiffConfig {
        urn: urn(&request.urn)?,
        id: request.id,
        old_inputs: properties(request.old_inputs)?,
        old_outputs: properties(request.olds)?,
        news: properties(request.news)?,
        ignore_changes: request.ignore_changes,
    };
    let diff = session.plugin.diff_config(&cx, request).await.map_err(|error| failure(&error))?;
    Ok(resource::diff_response(diff, None))
}

pub(super) async fn configure(
    session: &Session,
    cx: CallContext,
    request: ConfigureRequest,
) -> Result<ConfigureResponse, Status> {
    let ConfigureRequest { variables, args, id, urn, .. } = request;
    let inputs = match args {
        Some(args) => properties(Some(args))?,
        // An old engine sends strings only: `PACKAGE:config:KEY`.
        None => variables.into_iter().map(|(key, text)| (last_part(&key), Value::String(text))).collect(),
    };
    // An engine from before `configure_with_urn` names no resource.
    let urn = match urn {
        Some(urn) => self::urn(&urn)?,
        None => Urn::new("", "", None, &format!("pulumi:providers:{}", first_word(&session.plugin.label())), "default"),
    };
    let request = Configure { urn, id: id.unwrap_or_default(), inputs };
    let provider = session.plugin.configure(&cx, request).await.map_err(|error| failure(&error))?;
    session.configured(provider);
    Ok(ConfigureResponse {
        accept_secrets: true,
        supports_preview: true,
        accept_resources: true,
        accept_outputs: true,
        supports_autonaming_configuration: session.plugin.takes_autonaming(),
    })
}

fn last_part(key: &str) -> String {
    key.rsplit_once(':').map_or(key, |(_, last)| last).to_owned()
}

fn first_word(label: &str) -> &str {
    label.split_whitespace().next().unwrap_or_default()
}

pub(super) async fn mapping(
    session: &Session,
    cx: CallContext,
    request: GetMappingRequest,
) -> Result<GetMappingResponse, Status> {
    let answer = session.plugin.mapping(&cx, &request.key, &request.provider).await;
    answer.map(|(provider, data)| GetMappingResponse { provider, data }).map_err(|error| failure(&error))
}

pub(super) async fn mappings(
    session: &Session,
    cx: CallContext,
    request: GetMappingsRequest,
) -> Result<GetMappingsResponse, Status> {
    let answer = session.plugin.mappings(&cx, &request.key).await;
    answer.map(|providers| GetMappingsResponse { providers }).map_err(|error| failure(&error))
}

pub(super) async fn cancel(session: &Session, cx: CallContext) -> Result<(), Status> {
    session.plugin.cancel(&cx).await.map_err(|error| failure(&error))
}
