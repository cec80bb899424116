//! The services that every plugin has beside the application's.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use http::{Request as HttpRequest, Response as HttpResponse};
use tokio::sync::watch;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service};
use tonic::server::NamedService;
use tonic::{Request, Response, Status, Streaming};
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};

use super::broker::Broker;
use super::queue::Queue;
use crate::generated::plugin::grpc_broker_server::{GrpcBroker, GrpcBrokerServer};
use crate::generated::plugin::grpc_controller_server::{GrpcController, GrpcControllerServer};
use crate::generated::plugin::grpc_stdio_server::{GrpcStdio, GrpcStdioServer};
use crate::generated::plugin::stdio_data::Channel as Printed;
use crate::generated::plugin::{ConnInfo, Empty, StdioData};
use crate::server::Grpc;
use crate::{Incoming, OutputStream, limited};

/// The service name for a plugin's health check.
pub(super) const HEALTH_NAME: &str = "plugin";

/// Output of a plugin of ours for its host's user.
#[derive(Clone, Default)]
pub struct Stdio {
    queue: Queue<StdioData>,
}

impl Stdio {
    /// Sends it to the host. If the host does not read, it is dropped: a plugin must not wait for its own output.
    pub fn print(&self, stream: OutputStream, text: &[u8]) {
        let channel = match stream {
            OutputStream::Stdout => Printed::Stdout,
            OutputStream::Stderr => Printed::Stderr,
        };
        self.queue.push(StdioData { channel: channel.into(), data: text.to_vec() });
    }
}

/// The application's service, and go-plugin's.
#[derive(Clone)]
pub(super) struct Services<S> {
    application: S,
    own: Arc<Own>,
}

struct Own {
    health: HealthServer<HealthService>,
    broker: GrpcBrokerServer<BrokerService>,
    controller: GrpcControllerServer<ControllerService>,
    stdio: GrpcStdioServer<StdioService>,
}

impl<S> Services<S> {
    /// `end`: changes when the host asks the plugin to end, which ends the streams that stay open.
    pub(super) async fn new(application: S, broker: Broker, stdio: Stdio, end: watch::Sender<()>) -> Self {
        let reporter = HealthReporter::new();
        reporter.set_service_status(HEALTH_NAME, ServingStatus::Serving).await;
        let ended = end.subscribe();
        let own = Own {
            health: HealthServer::new(HealthService::from_health_reporter(reporter)),
            broker: limited!(GrpcBrokerServer::new(BrokerService { broker, ended: ended.clone() })),
            controller: limited!(GrpcControllerServer::new(ControllerService { end })),
            stdio: limited!(GrpcStdioServer::new(StdioService { stdio, ended })),
        };
        Self { application, own: Arc::new(own) }
    }
}

impl<S: Grpc> Service<HttpRequest<Incoming>> for Services<S> {
    type Response = HttpResponse<Body>;
    type Error = Infallible;
    type Future = BoxFuture<HttpResponse<Body>, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HttpRequest<Incoming>) -> Self::Future {
        let service = request.uri().path().trim_start_matches('/').split('/').next().unwrap_or_default();
        match service {
            HealthServer::<HealthService>::NAME => self.own.health.clone().call(request),
            GrpcBrokerServer::<BrokerService>::NAME => self.own.broker.clone().call(request),
            GrpcControllerServer::<ControllerService>::NAME => self.own.controller.clone().call(request),
            GrpcStdioServer::<StdioService>::NAME => self.own.stdio.clone().call(request),
            // It also answers calls that are not implemented.
            _ => self.application.call(request),
        }
    }
}

struct BrokerService {
    broker: Broker,
    ended: watch::Receiver<()>,
}

#[tonic::async_trait]
impl GrpcBroker for BrokerService {
    type StartStreamStream = BoxStream<'static, Result<ConnInfo, Status>>;

    async fn start_stream(
        &self,
        request: Request<Streaming<ConnInfo>>,
    ) -> Result<Response<Self::StartStreamStream>, Status> {
        let (broker, ended, incoming) = (self.broker.clone(), self.ended.clone(), request.into_inner());
        let both_ways = async move {
            let queue = broker.outgoing().take().await;
            stream::unfold((broker, queue, ended, incoming), |(broker, mut queue, mut ended, mut incoming)| async {
                loop {
                    tokio::select! {
                        message = queue.recv() => return Some((Ok(message?), (broker, queue, ended, incoming))),
                        open = broker.hear_from(&mut incoming) => if !open { return None },
                        _ = ended.changed() => return None,
                    }
                }
            })
        };
        Ok(Response::new(stream::once(both_ways).flatten().boxed()))
    }
}

struct ControllerService {
    end: watch::Sender<()>,
}

#[tonic::async_trait]
impl GrpcController for ControllerService {
    async fn shutdown(&self, _: Request<Empty>) -> Result<Response<Empty>, Status> {
        self.end.send_replace(());
        Ok(Response::new(Empty {}))
    }
}

struct StdioService {
    stdio: Stdio,
    ended: watch::Receiver<()>,
}

#[tonic::async_trait]
impl GrpcStdio for StdioService {
    type StreamStdioStream = BoxStream<'static, Result<StdioData, Status>>;

    async fn stream_stdio(&self, _: Request<()>) -> Result<Response<Self::StreamStdioStream>, Status> {
        let (stdio, ended) = (self.stdio.clone(), self.ended.clone());
        let prints = async move {
            let queue = stdio.queue.take().await;
            stream::unfold((queue, ended), |(mut queue, mut ended)| async {
                tokio::select! {
                    // Output from before the end is sent first.
                    biased;
                    data = queue.recv() => Some((Ok(data?), (queue, ended))),
                    _ = ended.changed() => None,
                }
            })
        };
        Ok(Response::new(stream::once(prints).flatten().boxed()))
    }
}
