//! Routes a call to one of a server's two services.

use std::convert::Infallible;
use std::task::{Context, Poll};

use outrigger_transport::Incoming;
use outrigger_transport::server::Grpc;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::codegen::{BoxFuture, Service};
use tonic::server::NamedService;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};

/// A service, and a health service beside it: plugins written in Go call it, and so do ours.
#[derive(Clone)]
pub(crate) struct Routes<S> {
    service: S,
    health: HealthServer<HealthService>,
}

impl<S: NamedService> Routes<S> {
    pub(crate) async fn to(service: S) -> Self {
        let reporter = HealthReporter::new();
        reporter.set_serving::<S>().await;
        Self { service, health: HealthServer::new(HealthService::from_health_reporter(reporter)) }
    }
}

impl<S: Grpc> Service<Request<Incoming>> for Routes<S> {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Response<Body>, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Incoming>) -> Self::Future {
        let service = request.uri().path().trim_start_matches('/').split('/').next();
        if service == Some(HealthServer::<HealthService>::NAME) {
            self.health.call(request)
        } else {
            // It also answers calls that are not implemented.
            self.service.call(request)
        }
    }
}
