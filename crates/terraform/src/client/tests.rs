//! Errors about answers that cannot be read contain the provider's diagnostics.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::uri::Authority;
use outrigger_transport::Incoming;
use outrigger_transport::server::serve;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service};

use super::*;

/// Answers every call with the same bytes.
#[derive(Clone)]
struct Answering(Bytes);

impl Service<http::Request<Incoming>> for Answering {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<http::Response<Body>, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Incoming>) -> Self::Future {
        let answer = Same(self.0.clone());
        Box::pin(async move { Ok(tonic::server::Grpc::new(RawCodec).unary(answer, request).await) })
    }
}

struct Same(Bytes);

impl Service<Request<Bytes>> for Same {
    type Response = Response<Bytes>;
    type Error = Status;
    type Future = std::future::Ready<Result<Response<Bytes>, Status>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<Bytes>) -> Self::Future {
        std::future::ready(Ok(Response::new(self.0.clone())))
    }
}

/// A client of a server that has one answer.
async fn client(answer: impl Into<Bytes>) -> (Client, watch::Sender<()>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap());
    let (close, closed) = watch::channel(());
    tokio::spawn(serve(listener, Answering(answer.into()), closed));
    let channel = Channel::over(stream.await.unwrap(), Authority::from_static("localhost")).await.unwrap();
    (Client::new(channel, Protocol::Six, Caller::new(None, "crude 1.0.0".to_owned())), close)
}

fn handle() -> Handle {
    Handle { name: Arc::from("crude_plain"), schema: Arc::default(), ty: Type::list(Type::String) }
}

/// A boolean where a list is needed.
fn malformed() -> Option<DynamicValue> {
    Some(DynamicValue { msgpack: Bytes::from_static(&[0xc3]), json: Bytes::new() })
}

fn said() -> Vec<wire::Diagnostic> {
    let said = |summary: &str, detail: &str| wire::Diagnostic {
        severity: wire::Severity::Error.into(),
        summary: summary.to_owned(),
        detail: detail.to_owned(),
        ..wire::Diagnostic::default()
    };
    vec![said("No access", "The key is old."), said("Nothing to show", "")]
}

macro_rules! tells {
    ($answer:expr, |$client:ident, $cx:ident| $call:expr) => {{
        let ($client, _close) = client($answer).await;
        let $cx = &CallContext::background();
        let error = $call.await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Garbage, "{error}");
        let words = "\nthe provider reported: No access: The key is old.\nthe provider reported: Nothing to show";
        assert!(error.message.ends_with(words), "{}", error.message);
    }};
}

#[tokio::test]
async fn of_a_resource() {
    let handle = &handle();
    let none = Bytes::new();
    let (state, diagnostics) = (malformed(), said());
    let answer = wire::UpgradeResourceStateResponse { upgraded_state: state.clone(), diagnostics };
    tells!(answer.encode_to_vec(), |client, cx| client.upgrade(cx, handle, 0, Bytes::new()));
    let answer = wire::ReadResourceResponse {
        new_state: state.clone(),
        diagnostics: said(),
        ..wire::ReadResourceResponse::default()
    };
    tells!(answer.encode_to_vec(), |client, cx| client.read(cx, handle, &Stored::NOTHING));
    let answer = wire::PlanResourceChangeResponse {
        planned_state: state.clone(),
        diagnostics: said(),
        ..wire::PlanResourceChangeResponse::default()
    };
    let question = PlanQuestion {
        prior: &Value::Null,
        proposed: &Value::Null,
        config: &Value::Null,
        prior_private: &none,
        prior_identity: &none,
    };
    tells!(answer.encode_to_vec(), |client, cx| client.plan(cx, handle, &question));
    let answer = wire::ApplyResourceChangeResponse {
        new_state: state.clone(),
        diagnostics: said(),
        ..wire::ApplyResourceChangeResponse::default()
    };
    let question = ApplyQuestion {
        prior: &Value::Null,
        planned: &Value::Null,
        config: &Value::Null,
        planned_private: &none,
        planned_identity: &none,
    };
    tells!(answer.encode_to_vec(), |client, cx| client.apply(cx, handle, &question));
    let found = wire::ImportedResource {
        type_name: handle.name.to_string(),
        state: state.clone(),
        ..wire::ImportedResource::default()
    };
    let answer = wire::ImportResourceStateResponse {
        imported_resources: vec![found],
        diagnostics: said(),
        ..wire::ImportResourceStateResponse::default()
    };
    tells!(answer.encode_to_vec(), |client, cx| client.import(cx, handle, "id"));
}

#[tokio::test]
async fn of_anything_else() {
    let handle = &handle();
    let answer = wire::ReadDataSourceResponse {
        state: malformed(),
        diagnostics: said(),
        ..wire::ReadDataSourceResponse::default()
    };
    tells!(answer.encode_to_vec(), |client, cx| client.read_data(cx, handle, &Value::Null));
    // The provider's own schema is a number.
    let answer = [Bytes::from_static(&[0x08, 1]), wire::DiagnosticsIn4 { diagnostics: said() }.encode_to_vec().into()];
    tells!(answer.concat(), |client, cx| client.schemas(cx));
}
