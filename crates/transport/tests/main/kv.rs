//! The key-value service of go-plugin's examples, both halves. The plugin in `examples` uses it too.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use http::uri::PathAndQuery;
use http::{Request as HttpRequest, Response as HttpResponse};
use outrigger_transport::Incoming;
use outrigger_transport::channel::{Channel, MESSAGE_LIMIT};
use outrigger_transport::codec::SmallCodec;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::server::UnaryService;
use tonic::{Request, Response, Status};

#[derive(Clone, PartialEq, prost::Message)]
struct GetRequest {
    #[prost(string, tag = "1")]
    key: String,
}

#[derive(Clone, PartialEq, prost::Message)]
struct GetResponse {
    #[prost(bytes = "vec", tag = "1")]
    value: Vec<u8>,
}

/// Requests the value of a key.
pub(crate) async fn get(channel: Channel, key: &str) -> Result<String, Status> {
    let mut client = tonic::client::Grpc::new(channel).max_decoding_message_size(MESSAGE_LIMIT);
    let path = PathAndQuery::from_static("/proto.KV/Get");
    let codec = SmallCodec::<GetRequest, GetResponse>::default();
    let answer = client.unary(Request::new(GetRequest { key: key.to_owned() }), path, codec).await?;
    String::from_utf8(answer.into_inner().value).map_err(|error| Status::internal(error.to_string()))
}

type Answer = dyn Fn(String) -> BoxFuture<'static, Result<String, Status>> + Send + Sync;

/// The service, with an answer to each key.
#[derive(Clone)]
pub(crate) struct Kv(Arc<Answer>);

impl Kv {
    pub(crate) fn new<F>(answer: impl Fn(String) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<String, Status>> + Send + 'static,
    {
        Self(Arc::new(move |key| Box::pin(answer(key))))
    }
}

impl Service<HttpRequest<Incoming>> for Kv {
    type Response = HttpResponse<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<HttpResponse<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HttpRequest<Incoming>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            if request.uri().path() != "/proto.KV/Get" {
                return Ok(Status::unimplemented("only Get is here").into_http());
            }
            let codec = SmallCodec::<GetResponse, GetRequest>::default();
            Ok(tonic::server::Grpc::new(codec).unary(service, request).await)
        })
    }
}

impl UnaryService<GetRequest> for Kv {
    type Response = GetResponse;
    type Future = BoxFuture<'static, Result<Response<GetResponse>, Status>>;

    fn call(&mut self, request: Request<GetRequest>) -> Self::Future {
        let answer = (self.0)(request.into_inner().key);
        Box::pin(async move { Ok(Response::new(GetResponse { value: answer.await?.into_bytes() })) })
    }
}
