//! A gRPC channel over one connection, and the limits that every client and server uses.
//!
//! Closer to the wire than tonic's own channel, which passes each call through a queue, two tasks of its own and a task for each call: the
//! engine has one thread, and at each of these a call waits for everything else that is ready. Here the task that makes a call also hands it to
//! HTTP/2 and is woken by its answer; the only other task reads and writes the connection.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use h2::Ping;
use h2::client::{Builder, Connection, SendRequest};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{Request, Response, Uri};
use tokio::io::{AsyncRead, AsyncWrite};
use tonic::codegen::Service;

use crate::stream::{Failure, Incoming, send};
use crate::tap::{Tap, Tapped};
use crate::wire::Gathering;

/// The largest message in either direction: Pulumi's own limit. gRPC's default of 4 MiB is too small for schemas.
pub const MESSAGE_LIMIT: usize = 400 * 1024 * 1024;

/// The largest set of headers. Rich errors travel in trailers, in base64, and may contain all properties of a resource, which may fill a
/// message. Larger sets are dropped silently, which would turn a partial failure into a lost resource; so this is more than the default of 16
/// KiB, and more than the 16 MiB of Go's client.
pub const HEADER_LIMIT: u32 = 600 * 1024 * 1024;

/// How many bytes of one answer, and of all answers together, may arrive before they are read.
const ANSWER_WINDOW: u32 = 2 * 1024 * 1024;
const CONNECTION_WINDOW: u32 = 5 * 1024 * 1024;

/// How many calls may be under way before the other side has announced its own limit.
const CALLS_AT_FIRST: usize = 100;

/// The only connection is lost. A call that fails with this among its sources was never sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLost;

impl fmt::Display for ConnectionLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection to the plugin is lost")
    }
}

impl Error for ConnectionLost {}

/// Sets the message limits on a generated client or server. All of ours are made with it.
#[macro_export]
macro_rules! limited {
    ($service:expr) => {
        $service
            .max_decoding_message_size($crate::channel::MESSAGE_LIMIT)
            .max_encoding_message_size($crate::channel::MESSAGE_LIMIT)
    };
}

/// A connection for generated clients. Clones share it; it is closed when the last one is gone and every call is answered.
#[derive(Clone)]
pub struct Channel {
    calls: SendRequest<Bytes>,
    scheme: Scheme,
    authority: Authority,
    /// Whether requests that are handed over now are never sent.
    is_broken: Arc<AtomicBool>,
    tap: Option<Arc<Tap>>,
}

impl Channel {
    /// The same connection; its calls are logged from now on.
    pub fn tapped(self, tap: Option<Arc<Tap>>) -> Self {
        Self { tap, ..self }
    }

    /// Speaks HTTP/2 over a stream, which a task of its own reads and writes from then on.
    pub async fn over<S>(stream: S, authority: Authority) -> Result<Self, h2::Error>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (channel, connection) = Self::speaking(stream, Scheme::HTTP, authority).await?;
        tokio::spawn(until_its_end(connection));
        Ok(channel)
    }

    /// Like [`Channel::over`], over an encrypted stream: each call has the scheme `https`.
    ///
    /// A client has finished its part of TLS before the server has checked the client's certificate. So this waits for an answer: a refusal
    /// would otherwise look like a failure of the first call.
    pub async fn over_tls<S>(stream: S, authority: Authority) -> io::Result<Self>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (channel, mut connection) = Self::speaking(stream, Scheme::HTTPS, authority).await.map_err(bare)?;
        if let Some(mut pings) = connection.ping_pong() {
            tokio::select! {
                biased;
                // The connection's own reason: a ping knows only that it was lost.
                ended = &mut connection => {
                    let reason = ended.map_err(bare).err();
                    return Err(reason.unwrap_or_else(|| io::ErrorKind::UnexpectedEof.into()));
                }
                answer = pings.ping(Ping::opaque()) => {
                    answer.map_err(bare)?;
                }
            }
        }
        tokio::spawn(until_its_end(connection));
        Ok(channel)
    }

    async fn speaking<S>(
        stream: S,
        scheme: Scheme,
        authority: Authority,
    ) -> Result<(Self, Connection<Gathering<S>>), h2::Error>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let stream = Gathering::new(stream);
        let is_broken = stream.is_broken();
        let (calls, connection) = Builder::new()
            .enable_push(false)
            .initial_window_size(ANSWER_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .initial_max_send_streams(CALLS_AT_FIRST)
            .max_header_list_size(HEADER_LIMIT)
            .handshake(stream)
            .await?;
        Ok((Self { calls, scheme, authority, is_broken, tap: None }, connection))
    }
}

/// The error of the underlying stream, if it is one.
fn bare(error: h2::Error) -> io::Error {
    if error.is_io() { error.into_io().unwrap_or_else(|| io::ErrorKind::Other.into()) } else { io::Error::other(error) }
}

/// Reads and writes. However the connection ends, each call learns it from its own stream.
async fn until_its_end<S>(connection: Connection<S>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    drop(connection.await);
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channel").field("authority", &self.authority).finish_non_exhaustive()
    }
}

impl Service<Request<tonic::body::Body>> for Channel {
    type Response = Response<Incoming>;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Failure>> + Send>>;

    /// A lost channel fails the call instead: generated clients turn an error here into text.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<tonic::body::Body>) -> Self::Future {
        let channel = self.clone();
        let tapped = self.tap.as_ref().map(|tap| tap.call(request.uri().path()));
        Box::pin(async move {
            let answer = made(channel, request, tapped.as_ref()).await;
            if let (Some(tapped), Err(error)) = (&tapped, &answer) {
                tapped.failed(&error.to_string());
            }
            answer
        })
    }
}

async fn made(
    channel: Channel,
    request: Request<tonic::body::Body>,
    tapped: Option<&Tapped>,
) -> Result<Response<Incoming>, Failure> {
    let Channel { calls, scheme, authority, is_broken, .. } = channel;
    let (mut head, body) = request.into_parts();
    head.uri = absolute(head.uri, scheme, authority)?;
    let body = match tapped {
        Some(tapped) => tapped.request(body),
        None => body,
    };
    let mut calls = calls.ready().await.map_err(|_| ConnectionLost)?;
    if is_broken.load(Ordering::Relaxed) {
        return Err(ConnectionLost.into());
    }
    let (answer, stream) = calls.send_request(Request::from_parts(head, ()), false).map_err(|_| ConnectionLost)?;
    if let Some(rest) = send(body, stream).await? {
        // The answer may come before the request has ended, and shows whether sending failed.
        tokio::spawn(async move { drop(rest.send().await) });
    }
    let answer = answer.await?;
    let listener = tapped.map(Tapped::answer);
    if let Some(listener) = &listener {
        listener.headers(answer.headers());
    }
    Ok(answer.map(|body| Incoming::new(body, listener)))
}

fn absolute(uri: Uri, scheme: Scheme, authority: Authority) -> Result<Uri, Failure> {
    let mut parts = uri.into_parts();
    parts.scheme = Some(scheme);
    parts.authority = Some(authority);
    parts.path_and_query.get_or_insert(PathAndQuery::from_static("/"));
    Ok(Uri::from_parts(parts)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::begin;
    use crate::stream::send_slowly;
    use h2::{Reason, RecvStream};
    use http_body::{Body, Frame};
    use http_body_util::{BodyExt, Full, StreamBody};
    use std::convert::Infallible;
    use std::future::poll_fn;
    use std::os::unix::net::UnixStream as Socket;
    use std::sync::mpsc::Receiver;
    use std::time::Duration;
    use tokio::io::{DuplexStream, duplex};
    use tokio::net::UnixStream;
    use tokio::sync::{mpsc, oneshot};
    use tokio::time::timeout;

    /// Longer than anything here takes.
    const SOON: Duration = Duration::from_secs(20);

    /// A channel, and the server at its other end.
    async fn pair() -> (Channel, h2::server::Connection<DuplexStream, Bytes>) {
        let (ours, theirs) = duplex(64 * 1024);
        let authority = Authority::from_static("plugin.test");
        let (channel, server) = tokio::join!(Channel::over(ours, authority), h2::server::handshake(theirs));
        (channel.unwrap(), server.unwrap())
    }

    fn request(body: tonic::body::Body) -> Request<tonic::body::Body> {
        Request::post("/test.Service/Call").body(body).unwrap()
    }

    fn whole(data: impl Into<Bytes>) -> tonic::body::Body {
        tonic::body::Body::new(Full::new(data.into()))
    }

    /// A body that is produced piece by piece.
    fn pieces() -> (mpsc::UnboundedSender<Bytes>, tonic::body::Body) {
        let (sender, mut pieces) = mpsc::unbounded_channel::<Bytes>();
        let stream = futures::stream::poll_fn(move |cx| {
            pieces.poll_recv(cx).map(|piece| piece.map(|piece| Ok::<_, Infallible>(Frame::data(piece))))
        });
        (sender, tonic::body::Body::new(StreamBody::new(stream)))
    }

    async fn read(body: &mut RecvStream) -> Vec<u8> {
        let mut whole = Vec::new();
        while let Some(data) = body.data().await {
            let data = data.unwrap();
            body.flow_control().release_capacity(data.len()).unwrap();
            whole.extend_from_slice(&data);
        }
        whole
    }

    /// Answers each call with the request's body.
    fn echo(mut server: h2::server::Connection<DuplexStream, Bytes>) {
        tokio::spawn(async move {
            while let Some(Ok((request, mut respond))) = server.accept().await {
                tokio::spawn(async move {
                    let mut body = request.into_body();
                    let whole = read(&mut body).await;
                    let mut answer = respond.send_response(Response::new(()), false).unwrap();
                    send_slowly(&mut answer, whole.into()).await.unwrap();
                    answer.send_trailers(http::HeaderMap::from_iter([(
                        http::HeaderName::from_static("grpc-status"),
                        http::HeaderValue::from_static("0"),
                    )]))
                });
            }
        });
    }

    #[tokio::test]
    async fn a_message_larger_than_every_window_arrives_whole_in_both_directions() {
        let (mut channel, server) = pair().await;
        echo(server);
        let sent: Vec<u8> = (0..20_000_000_u32).map(|number| (number % 251) as u8).collect();
        let answer = timeout(SOON, channel.call(request(whole(sent.clone())))).await.unwrap().unwrap();
        let answer = timeout(SOON, answer.into_body().collect()).await.unwrap().unwrap();
        assert_eq!(answer.trailers().and_then(|trailers| trailers.get("grpc-status")).unwrap(), "0");
        assert!(answer.to_bytes() == sent);
    }

    #[tokio::test]
    async fn a_request_made_piece_by_piece_arrives_whole() {
        let (mut channel, server) = pair().await;
        echo(server);
        let (sender, body) = pieces();
        sender.send(Bytes::from_static(b"first ")).unwrap();
        let call = tokio::spawn(channel.call(request(body)));
        tokio::task::yield_now().await;
        sender.send(vec![b'x'; 3_000_000].into()).unwrap();
        drop(sender);
        let answer = timeout(SOON, call).await.unwrap().unwrap().unwrap();
        let answer = timeout(SOON, answer.into_body().collect()).await.unwrap().unwrap().to_bytes();
        assert_eq!((answer.len(), answer.get(..6)), (3_000_006, Some(b"first ".as_slice())));
    }

    #[tokio::test]
    async fn an_answer_may_come_before_the_request_has_ended() {
        let (mut channel, mut server) = pair().await;
        let (sender, body) = pieces();
        let (heard, end) = oneshot::channel();
        tokio::spawn(async move {
            let (request, mut respond) = server.accept().await.unwrap().unwrap();
            tokio::spawn(async move { while server.accept().await.is_some() {} });
            respond.send_response(Response::new(()), true).unwrap();
            heard.send(read(&mut request.into_body()).await)
        });
        let answer = timeout(SOON, channel.call(request(body))).await.unwrap().unwrap();
        assert!(answer.body().is_end_stream());
        sender.send(Bytes::from_static(b"late")).unwrap();
        drop(sender);
        assert_eq!(timeout(SOON, end).await.unwrap().unwrap(), b"late");
    }

    #[tokio::test]
    async fn a_call_on_a_lost_connection_was_never_sent() {
        let (mut channel, server) = pair().await;
        drop(server);
        let lost = async {
            loop {
                // Until the end is noticed, a call is sent and fails.
                let error = channel.call(request(whole("call"))).await.map(drop).unwrap_err();
                if error.is::<ConnectionLost>() {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        timeout(SOON, lost).await.unwrap();
    }

    /// Receives one call, answers it when allowed, and closes the connection.
    async fn answer_once(socket: Socket, heard: oneshot::Sender<()>, may_answer: Receiver<()>) {
        let mut server = h2::server::handshake(UnixStream::from_std(socket).unwrap()).await.unwrap();
        let (request, mut respond) = server.accept().await.unwrap().unwrap();
        let mut body = request.into_body();
        tokio::select! {
            _ = read(&mut body) => heard.send(()).unwrap(),
            _ = server.accept() => unreachable!("there is only one call"),
        }
        may_answer.recv_timeout(SOON).unwrap();
        let mut answer = respond.send_response(Response::new(()), false).unwrap();
        answer.send_data(Bytes::from_static(b"answer"), true).unwrap();
        // One poll is enough to send it.
        poll_fn(|cx| Poll::Ready(server.poll_closed(cx).is_ready())).await;
    }

    #[tokio::test]
    async fn an_answer_that_has_arrived_is_read_although_the_next_call_cannot_be_sent() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let theirs = theirs.into_std().unwrap();
        let ((hears, heard), (answer, may_answer)) = (oneshot::channel(), std::sync::mpsc::channel());
        let server = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(answer_once(theirs, hears, may_answer));
        });
        let mut channel = Channel::over(ours, Authority::from_static("plugin.test")).await.unwrap();
        let mut first = channel.call(request(whole("first")));
        tokio::select! {
            heard = heard => heard.unwrap(),
            _ = &mut first => unreachable!("it was not answered"),
        }
        // The server's greeting is read, and the connection is then empty.
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        // From here on the socket is not read: the only thread is busy.
        answer.send(()).unwrap();
        server.join().unwrap();
        let second = channel.call(request(whole("second")));
        let first = async { first.await?.into_body().collect().await.map_err(Failure::from) };
        let (second, first) = timeout(SOON, async { tokio::join!(second, first) }).await.unwrap();
        assert_eq!(first.unwrap().to_bytes(), "answer");
        assert!(!second.map(drop).unwrap_err().is::<ConnectionLost>(), "it may have been sent");
    }

    #[tokio::test(start_paused = true)]
    async fn calls_fail_where_the_other_side_reads_no_more_and_does_not_end() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let theirs = theirs.into_std().unwrap();
        let mut channel = Channel::over(ours, Authority::from_static("plugin.test")).await.unwrap();
        let mut first = channel.call(request(whole("first")));
        // It is handed over, and written when this task waits for something.
        assert!(begin(first.as_mut()).is_pending());
        theirs.shutdown(std::net::Shutdown::Read).unwrap();
        tokio::task::yield_now().await;
        let second = channel.call(request(whole("second"))).await;
        assert!(second.map(drop).unwrap_err().is::<ConnectionLost>(), "it was never sent");
        let first = timeout(SOON, first).await.unwrap();
        assert!(!first.map(drop).unwrap_err().is::<ConnectionLost>(), "it may have been sent");
    }

    #[tokio::test]
    async fn a_call_that_nobody_waits_for_is_reset() {
        let (mut channel, mut server) = pair().await;
        let mut call = channel.call(request(whole("call")));
        let mut respond = tokio::select! {
            accepted = server.accept() => accepted.unwrap().unwrap().1,
            _ = &mut call => unreachable!("there was no answer"),
        };
        drop(call);
        tokio::spawn(async move { while server.accept().await.is_some() {} });
        let reset = timeout(SOON, poll_fn(|cx| respond.poll_reset(cx))).await.unwrap().unwrap();
        assert_eq!(reset, Reason::CANCEL);
    }

    #[tokio::test]
    async fn a_request_that_cannot_be_made_fails_with_its_reason() {
        let (mut channel, server) = pair().await;
        echo(server);
        let body = futures::stream::iter([Err::<Frame<Bytes>, _>(tonic::Status::out_of_range("too large"))]);
        let error = timeout(SOON, channel.call(request(tonic::body::Body::new(StreamBody::new(body))))).await.unwrap();
        let error = error.map(drop).unwrap_err();
        assert_eq!(error.downcast_ref::<tonic::Status>().map(tonic::Status::message), Some("too large"));
    }
}
