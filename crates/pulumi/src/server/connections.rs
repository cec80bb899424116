//! Connections, and which service a call is for.
//!
//! Nearer to the wire than tonic's own server, which takes each call through a router, a stack of layers and a task of its own:
//! that costs a plugin more than most of its checks do.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::server::conn::http2;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::task::TaskTracker;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::codegen::{BoxFuture, Service as _};
use tonic::server::NamedService;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::HealthService;

use super::Service as Provider;
use crate::generated::pulumirpc::resource_provider_server::ResourceProviderServer;

/// How long to wait after a connection that could not be accepted.
const ACCEPT_AGAIN: Duration = Duration::from_millis(20);

/// How long calls are answered before the answers leave.
const TURN: Duration = Duration::from_millis(1);

/// The services of a plugin.
#[derive(Clone)]
pub(super) struct Routes {
    pub(super) provider: ResourceProviderServer<Provider>,
    pub(super) health: HealthServer<HealthService>,
}

/// Accepts connections until `closed` says so; then ends when what runs on them is answered.
pub(super) async fn serve(listener: TcpListener, routes: Routes, mut closed: watch::Receiver<()>) {
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = closed.changed() => break,
        };
        match accepted {
            Ok((stream, _)) => drop(connections.spawn(connection(stream, routes.clone(), closed.clone()))),
            // The one that called is gone already, or no more files can be opened now. What runs goes on.
            Err(_) => sleep(ACCEPT_AGAIN).await,
        }
    }
    // Nobody connects to what ends.
    drop(listener);
    connections.close();
    connections.wait().await;
}

/// Polls a future once. Whoever goes on with it polls it again first, so nobody needs to be woken.
pub(super) fn begin<F: Future + ?Sized>(work: Pin<&mut F>) -> Poll<F::Output> {
    work.poll(&mut Context::from_waker(Waker::noop()))
}

async fn connection(stream: TcpStream, routes: Routes, mut closed: watch::Receiver<()>) {
    // Small answers must not wait for the acknowledgement of the one before. Slower is not wrong.
    let _slower = stream.set_nodelay(true);
    let arrived = Arrived::default();
    let connection = http2::Builder::new(arrived.clone())
        .timer(TokioTimer::new())
        .max_concurrent_streams(None)
        .serve_connection(TokioIo::new(stream), routes);
    tokio::pin!(connection);
    // However a connection ends, its calls are told by their own streams.
    let ended = tokio::select! {
        _ended = poll_fn(|cx| arrived.drive(connection.as_mut(), cx)) => true,
        _ = closed.changed() => false,
    };
    if !ended {
        connection.as_mut().graceful_shutdown();
        let _ended = poll_fn(|cx| arrived.drive(connection.as_mut(), cx)).await;
    }
}

impl Service<Request<Incoming>> for Routes {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let service = request.uri().path().trim_start_matches('/').split('/').next();
        if service == Some(HealthServer::<HealthService>::NAME) {
            self.health.clone().call(request)
        } else {
            // It answers that a call is not implemented, too.
            self.provider.clone().call(request)
        }
    }
}

type Call = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The calls that one reading of a connection brought. What can be answered at once is answered where the connection is read, and
/// the answers leave together; the rest goes on in tasks.
#[derive(Clone, Default)]
struct Arrived(Arc<Mutex<VecDeque<Call>>>);

impl Arrived {
    /// Reads the connection and answers.
    fn drive<C: Future>(&self, mut connection: Pin<&mut C>, cx: &mut Context<'_>) -> Poll<C::Output> {
        let read = connection.as_mut().poll(cx);
        let mut turn = None;
        while let Some(mut call) = self.next() {
            if begin(call.as_mut()).is_pending() {
                tokio::spawn(call);
            }
            if turn.get_or_insert_with(Instant::now).elapsed() > TURN {
                // What is answered does not wait for what is not.
                cx.waker().wake_by_ref();
                break;
            }
        }
        match (read, turn) {
            (Poll::Pending, Some(_)) => connection.poll(cx),
            (read, _) => read,
        }
    }

    fn next(&self) -> Option<Call> {
        self.calls().pop_front()
    }

    fn calls(&self) -> MutexGuard<'_, VecDeque<Call>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F> Executor<F> for Arrived
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, call: F) {
        self.calls().push_back(Box::pin(call));
    }
}
