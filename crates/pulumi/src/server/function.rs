//! Invoke.

use outrigger_provider::{CallContext, Invoke};
use tonic::Status;

use super::answer::{ANSWER, failure, failures, unsendable};
use super::resource::properties;
use super::session::Session;
use crate::encoding::{Unknowns, encode};
use crate::generated::pulumirpc::{InvokeRequest, InvokeResponse};

pub(super) async fn invoke(
    session: &Session,
    cx: CallContext,
    request: InvokeRequest,
) -> Result<InvokeResponse, Status> {
    let arguments = properties(request.args, Unknowns::Drop)?;
    let request = Invoke { token: request.tok, arguments, preview: request.preview };
    let invoked = match session.provider() {
        Some(provider) => provider.invoke(&cx, request).await,
        None => session.plugin.invoke(&cx, request).await,
    };
    let invoked = invoked.map_err(|error| failure(&error))?;
    let result = encode(invoked.result, ANSWER).map_err(|error| unsendable(&error))?;
    Ok(InvokeResponse { r#return: Some(result), failures: failures(invoked.failures) })
}
