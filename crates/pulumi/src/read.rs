//! Reading existing resources: a refresh, a `get`, an import.

use std::time::Duration;

use outrigger_provider::{
    CallContext, CallError, ErrorKind, ImportRequest, Imported, ReadRequest, ReadResult, ResourceIdentity, State,
};
use outrigger_value::PropertyMap;

use crate::apply::seconds;
use crate::assets;
use crate::encoding::{Decoding, Unknowns, decode};
use crate::generated::pulumirpc;
use crate::provider::PulumiProvider;
use crate::secrecy;

const CALL: &str = "Read";

/// Reads a resource whose state is known.
pub(crate) async fn read(
    provider: &PulumiProvider,
    cx: &CallContext,
    request: ReadRequest,
) -> Result<ReadResult, CallError> {
    let ReadRequest { resource, state, timeout } = request;
    let known = Known { inputs: Some(&state.inputs), outputs: Some(&state.outputs) };
    let found = ask(provider, cx, &resource, &state.id, known, timeout).await?;
    let (Some(outputs), false) = (found.outputs, found.id.is_empty()) else { return Ok(ReadResult::Gone) };
    let inputs_known = found.inputs.is_some();
    let state = State {
        id: found.id,
        inputs: found.inputs.unwrap_or(state.inputs),
        outputs,
        init_errors: found.init_errors,
        refresh_before_update: found.refresh_before_update,
    };
    Ok(ReadResult::Found { state, inputs_known, unchanged: false })
}

/// Reads a resource by its id alone.
pub(crate) async fn import(
    provider: &PulumiProvider,
    cx: &CallContext,
    request: ImportRequest,
) -> Result<Imported, CallError> {
    let ImportRequest { resource, id, timeout } = request;
    let refuse = |message: String| Err(provider.connection.error(CALL, ErrorKind::NotDone, message));
    let found = ask(provider, cx, &resource, &id, Known { inputs: None, outputs: None }, timeout).await?;
    let Some(outputs) = found.outputs else {
        return refuse(format!("there is no {} with id `{id}`", resource.ty()));
    };
    let Some(inputs) = found.inputs else {
        return refuse(format!("the provider does not support importing {} resources", resource.ty()));
    };
    let state = State {
        id: if found.id.is_empty() { id } else { found.id },
        inputs,
        outputs,
        init_errors: found.init_errors,
        refresh_before_update: found.refresh_before_update,
    };
    Ok(Imported { resources: vec![(resource.ty().to_owned(), state)] })
}

/// The properties that the plugin gets.
#[derive(Clone, Copy)]
struct Known<'a> {
    inputs: Option<&'a PropertyMap>,
    outputs: Option<&'a PropertyMap>,
}

/// The plugin's answer.
struct Found {
    id: String,
    inputs: Option<PropertyMap>,
    outputs: Option<PropertyMap>,
    init_errors: Vec<String>,
    refresh_before_update: bool,
}

async fn ask(
    provider: &PulumiProvider,
    cx: &CallContext,
    resource: &ResourceIdentity,
    id: &str,
    known: Known<'_>,
    timeout: Option<Duration>,
) -> Result<Found, CallError> {
    let connection = &provider.connection;
    let wire = |properties: Option<&PropertyMap>| {
        let encoded = properties.map(|properties| connection.encode(properties.clone(), provider.features.old(false)));
        encoded.transpose().map_err(|error| connection.unsendable(CALL, &error))
    };
    let message = pulumirpc::ReadRequest {
        id: id.to_owned(),
        urn: resource.urn.to_string(),
        name: resource.name().to_owned(),
        r#type: resource.ty().to_owned(),
        properties: wire(known.outputs)?,
        inputs: wire(known.inputs)?,
        timeout: seconds(timeout),
        ..pulumirpc::ReadRequest::default()
    };
    let (id, properties, inputs, init_errors, refresh_before_update) = match connection
        .call(cx, CALL, connection.client().read(message))
        .await
    {
        Ok(answer) => (answer.id, answer.properties, answer.inputs, Vec::new(), answer.refresh_before_update),
        Err(failure) => match failure.partial {
            Some(detail) => (detail.id, detail.properties, detail.inputs, detail.reasons, detail.refresh_before_update),
            None => return Err(failure.error),
        },
    };
    let live = |properties: Option<prost_types::Struct>, marks: Option<&PropertyMap>| {
        let how = Decoding { unknowns: Unknowns::Reject, outputs: false };
        let decoded = properties.map(|properties| decode(properties, how)).transpose();
        let mut decoded = decoded.map_err(|error| connection.garbage(CALL, &error))?;
        if let Some(decoded) = &mut decoded {
            if let (Some(marks), false) = (marks, provider.features.secrets) {
                secrecy::annotate(decoded, marks);
            }
            // The plugin received only the hashes of assets, and may have sent them back.
            if let Some(inputs) = known.inputs {
                assets::restore(decoded, inputs);
            }
        }
        Ok::<_, CallError>(decoded)
    };
    Ok(Found {
        id,
        outputs: live(properties, known.outputs)?,
        inputs: live(inputs, known.inputs)?,
        init_errors,
        refresh_before_update,
    })
}
