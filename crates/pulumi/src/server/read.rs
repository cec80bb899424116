//! Read: a refresh, a `get`, an import.

use outrigger_provider::{
    CallContext, CallError, ErrorKind, ImportRequest, Provider, ReadRequest, ReadResult, ResourceIdentity, State,
};
use tonic::Status;

use super::answer::{ANSWER, failure, partial, unsendable};
use super::resource::properties;
use super::session::{Session, limit, urn};
use crate::encoding::{Unknowns, encode};
use crate::generated::pulumirpc::{self, ReadResponse};

pub(super) async fn read(
    session: &Session,
    cx: CallContext,
    request: pulumirpc::ReadRequest,
) -> Result<ReadResponse, Status> {
    let provider = session.expect_provider()?;
    let resource = ResourceIdentity::new(urn(&request.urn)?);
    let timeout = limit(request.timeout);
    let inputs = properties(request.inputs, Unknowns::Drop)?;
    let outputs = properties(request.properties, Unknowns::Drop)?;
    // An import sends the id alone; so does a `get` for which the program gives nothing else.
    let (found, inputs_known) = if inputs.is_empty() && outputs.is_empty() {
        let by_id = ImportRequest { resource: resource.clone(), id: request.id.clone(), timeout };
        match provider.import(&cx, by_id).await {
            Ok(imported) => {
                let own = imported.resources.into_iter().find(|(ty, _)| ty == resource.ty());
                (own.map(|(_, state)| state), true)
            }
            // A provider may have no import of its own and still read by id.
            Err(CallError { kind: ErrorKind::Unsupported, .. }) => {
                let state = State { id: request.id, ..State::default() };
                known(&*provider, &cx, ReadRequest { resource, state, timeout }).await?
            }
            Err(error) => return Err(failure(&error)),
        }
    } else {
        let state = State { id: request.id, inputs, outputs, ..State::default() };
        known(&*provider, &cx, ReadRequest { resource, state, timeout }).await?
    };
    // Without an id the resource is gone.
    let Some(mut state) = found else { return Ok(ReadResponse::default()) };
    let reasons = std::mem::take(&mut state.init_errors);
    if !reasons.is_empty() {
        return Err(partial(state, reasons));
    }
    let inputs = inputs_known.then(|| encode(state.inputs, ANSWER)).transpose();
    Ok(ReadResponse {
        id: state.id,
        properties: Some(encode(state.outputs, ANSWER).map_err(|error| unsendable(&error))?),
        inputs: inputs.map_err(|error| unsendable(&error))?,
        refresh_before_update: state.refresh_before_update,
    })
}

async fn known(
    provider: &dyn Provider,
    cx: &CallContext,
    request: ReadRequest,
) -> Result<(Option<State>, bool), Status> {
    match provider.read(cx, request).await.map_err(|error| failure(&error))? {
        ReadResult::Found { state, inputs_known, .. } => Ok((Some(state), inputs_known)),
        ReadResult::Gone => Ok((None, false)),
    }
}
