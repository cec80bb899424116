//! Lists of resources.

use outrigger_provider::{CallContext, CallError, ErrorKind, ListItem};
use outrigger_value::PropertyMap;
use tonic::Response;

use crate::generated::pulumirpc::ListRequest;
use crate::generated::pulumirpc::list_response::Response as Item;
use crate::provider::PulumiProvider;

/// The most that one page may hold: a plugin that never ends its stream must not fill memory.
const PAGE_LIMIT: usize = 100_000;

/// One page.
pub(crate) async fn list(
    provider: &PulumiProvider,
    cx: &CallContext,
    ty: &str,
    query: PropertyMap,
    continuation: &str,
) -> Result<Vec<ListItem>, CallError> {
    const CALL: &str = "List";
    let connection = &provider.connection;
    let query = connection
        .encode(query, provider.features.encoding(false))
        .map_err(|error| connection.unsendable(CALL, &error))?;
    let message = ListRequest {
        token: ty.to_owned(),
        query: Some(query),
        continuation_token: continuation.to_owned(),
        ..ListRequest::default()
    };
    let mut client = connection.client();
    let page = async move {
        let mut stream = client.list(message).await?.into_inner();
        let mut items = Vec::new();
        while let Some(item) = stream.message().await? {
            items.extend(item.response.map(|item| match item {
                Item::Computed(_) => ListItem::Computed,
                Item::Result(found) => ListItem::Found { id: found.id, name: found.name },
                Item::Continuation(more) => ListItem::More(more.continuation_token),
            }));
            if items.len() > PAGE_LIMIT {
                break;
            }
        }
        Ok(Response::new(items))
    };
    let items = connection.call(cx, CALL, page).await?;
    if items.len() > PAGE_LIMIT {
        let message = format!("one page of the answer has more than {PAGE_LIMIT} resources");
        return Err(connection.error(CALL, ErrorKind::Garbage, message));
    }
    Ok(items)
}
