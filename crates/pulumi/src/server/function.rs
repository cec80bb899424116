//! Invoke and List.

use outrigger_provider::{CallContext, Invoke, ListItem};
use tonic::Status;

use super::answer::{ANSWER, failure, failures, unsendable};
use super::resource::properties;
use super::session::Session;
use crate::encoding::{Unknowns, encode};
use crate::generated::pulumirpc::list_response::{Computed, Continuation, Response, Result as Found};
use crate::generated::pulumirpc::{InvokeRequest, InvokeResponse, ListRequest, ListResponse};

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

pub(super) async fn list(
    session: &Session,
    cx: CallContext,
    request: ListRequest,
) -> Result<Vec<Result<ListResponse, Status>>, Status> {
    let provider = session.expect_provider()?;
    let query = properties(request.query, Unknowns::Drop)?;
    let items = provider.list(&cx, &request.token, query, &request.continuation_token).await;
    let mut items = items.map_err(|error| failure(&error))?;
    // 0 is no limit. What is over it is left out together with the way to more.
    if let Some(limit) = usize::try_from(request.limit).ok().filter(|limit| *limit > 0) {
        items.truncate(limit);
    }
    let answer = |item| match item {
        ListItem::Found { id, name } => Response::Result(Found { id, name }),
        ListItem::More(continuation_token) => Response::Continuation(Continuation { continuation_token }),
        ListItem::Computed => Response::Computed(Computed {}),
    };
    Ok(items.into_iter().map(|item| Ok(ListResponse { response: Some(answer(item)) })).collect())
}
