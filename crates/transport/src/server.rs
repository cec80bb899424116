//! Services on a socket of this machine.
//!
//! Closer to the wire than tonic's own server, which passes each call through a router, a stack of layers and a task of its own: that costs a
//! plugin more than most of its checks do.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, Ready, poll_fn, ready};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use h2::RecvStream;
use h2::server::{Builder, Connection, SendResponse};
use http::{Request, Response};
use http_body::Body as _;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::task::TaskTracker;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service};

use crate::stream::{Incoming, send};
use crate::wire::Gathering;

/// How long to wait after a connection that could not be accepted.
const ACCEPT_AGAIN: Duration = Duration::from_millis(20);

/// How long calls are answered before the answers are sent.
const TURN: Duration = Duration::from_millis(1);

/// How many bytes of one request, and of all requests together, may arrive before they are read.
const WINDOW: u32 = 1024 * 1024;

/// A service: a generated one, or several behind one.
pub trait Grpc:
    Service<
        Request<Incoming>,
        Response = Response<Body>,
        Error = Infallible,
        Future = BoxFuture<Response<Body>, Infallible>,
    > + Clone
    + Send
    + 'static
{
}

impl<S> Grpc for S where
    S: Service<
            Request<Incoming>,
            Response = Response<Body>,
            Error = Infallible,
            Future = BoxFuture<Response<Body>, Infallible>,
        > + Clone
        + Send
        + 'static
{
}

/// A source of connections.
pub trait Listener: Send + 'static {
    /// A connection that is ready for use.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;
    /// A connection that arrived, with any handshake it still needs. Others are accepted meanwhile.
    type Arrival: Future<Output = io::Result<Self::Stream>> + Send + 'static;

    /// Waits for the next one. May be dropped and called again.
    fn accept(&mut self) -> impl Future<Output = io::Result<Self::Arrival>> + Send;
}

impl Listener for TcpListener {
    type Stream = TcpStream;
    type Arrival = Ready<io::Result<TcpStream>>;

    async fn accept(&mut self) -> io::Result<Self::Arrival> {
        let (stream, _) = Self::accept(self).await?;
        // Small answers must not wait for the acknowledgement of the one before. On failure, they are only slower.
        let _slower = stream.set_nodelay(true);
        Ok(ready(Ok(stream)))
    }
}

/// Accepts connections until `closed` changes; then ends once running calls are answered. The service is cloned for each call.
pub async fn serve<L: Listener, S: Grpc>(mut listener: L, service: S, mut closed: watch::Receiver<()>) {
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            accepted = Listener::accept(&mut listener) => accepted,
            _ = closed.changed() => break,
        };
        match accepted {
            Ok(arrival) => drop(connections.spawn(connection(arrival, service.clone(), closed.clone()))),
            // The client is gone already, or no more files can be opened now. Running calls continue.
            Err(_) => sleep(ACCEPT_AGAIN).await,
        }
    }
    // No client may connect to a server that is ending.
    drop(listener);
    connections.close();
    connections.wait().await;
}

/// Polls a future once. The task that continues it polls it again first, so nothing needs to be woken.
pub fn begin<F: Future + ?Sized>(work: Pin<&mut F>) -> Poll<F::Output> {
    work.poll(&mut Context::from_waker(Waker::noop()))
}

async fn connection<T, S>(
    arrival: impl Future<Output = io::Result<T>> + Send + 'static,
    service: S,
    mut closed: watch::Receiver<()>,
) where
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Grpc,
{
    let mut builder = Builder::new();
    builder.initial_window_size(WINDOW).initial_connection_window_size(WINDOW);
    let greeting = async { builder.handshake(Gathering::new(arrival.await.ok()?)).await.ok() };
    let connection = tokio::select! {
        connection = greeting => connection,
        // A client that connects and sends nothing does not keep the server running.
        _ = closed.changed() => return,
    };
    let Some(connection) = connection else { return };
    let mut calls = Calls { connection, service, arrived: VecDeque::new() };
    let ended = tokio::select! {
        () = poll_fn(|cx| calls.drive(cx)) => true,
        _ = closed.changed() => false,
    };
    if !ended {
        calls.connection.graceful_shutdown();
        poll_fn(|cx| calls.drive(cx)).await;
    }
}

type Call = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The calls of one connection. Calls that can be answered at once are answered where the connection is read, and the answers to the calls of
/// one read are sent together; other calls continue in tasks.
struct Calls<T, S> {
    connection: Connection<Gathering<T>, Bytes>,
    service: S,
    arrived: VecDeque<Call>,
}

impl<T: AsyncRead + AsyncWrite + Unpin, S: Grpc> Calls<T, S> {
    /// Reads the connection and answers. However the connection ends, each call learns it from its own stream.
    fn drive(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            match self.connection.poll_accept(cx) {
                Poll::Ready(Some(Ok((request, respond)))) => {
                    self.arrived.push_back(Box::pin(answer(self.service.clone(), request, respond)));
                }
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => break,
            }
        }
        let Some(first) = self.arrived.pop_front() else { return Poll::Pending };
        let turn = Instant::now();
        let mut next = Some(first);
        while let Some(mut call) = next {
            if begin(call.as_mut()).is_pending() {
                tokio::spawn(call);
            }
            if turn.elapsed() > TURN {
                // Finished answers do not wait for the remaining calls.
                cx.waker().wake_by_ref();
                break;
            }
            next = self.arrived.pop_front();
        }
        self.connection.poll_closed(cx).map(drop)
    }
}

async fn answer<S: Grpc>(mut service: S, request: Request<RecvStream>, mut respond: SendResponse<Bytes>) {
    let answered = tokio::select! {
        biased;
        answered = service.call(request.map(|body| Incoming::new(body, None))) => answered,
        // The client does not wait for the answer.
        _ = poll_fn(|cx| respond.poll_reset(cx)) => return,
    };
    let Ok(answer) = answered;
    let (head, body) = answer.into_parts();
    let ended = body.is_end_stream();
    let Ok(stream) = respond.send_response(Response::from_parts(head, ()), ended) else { return };
    if ended {
        return;
    }
    // The client sees in the stream that it ends too early.
    if let Ok(Some(rest)) = send(body, stream).await {
        let _ended_early = rest.send().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::timeout;

    /// A service that is never called.
    #[derive(Clone)]
    struct Silent;

    impl Service<Request<Incoming>> for Silent {
        type Response = Response<Body>;
        type Error = Infallible;
        type Future = BoxFuture<Response<Body>, Infallible>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: Request<Incoming>) -> Self::Future {
            Box::pin(std::future::pending())
        }
    }

    #[tokio::test]
    async fn who_connects_and_says_nothing_does_not_keep_the_server() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (open, closed) = watch::channel(());
        let serving = tokio::spawn(serve(listener, Silent, closed));
        let mut silent = TcpStream::connect(address).await.unwrap();
        // The server greets first, so it has accepted now.
        silent.readable().await.unwrap();
        drop(open);
        timeout(Duration::from_secs(20), serving).await.unwrap().unwrap();
        tokio::io::AsyncWriteExt::shutdown(&mut silent).await.unwrap();
    }
}
