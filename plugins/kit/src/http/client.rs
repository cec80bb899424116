//! One request over one connection.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::{HeaderMap, HeaderValue, Method, Request, Response, header};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::rustls::pki_types::ServerName;

use super::tls;
use super::url::Url;

/// A request.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// The limits and trust of a request.
#[derive(Clone)]
pub(super) struct Terms {
    /// For the whole request: connecting, sending, and reading the complete answer.
    pub(super) timeout: Duration,
    /// The largest body of an answer.
    pub(super) body_limit: u64,
    /// Additional certificate authorities to trust, in PEM form.
    pub(super) authorities: Option<String>,
}

/// An answer.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) message: String,
    /// Whether a retry may succeed.
    pub(super) passing: bool,
    /// Whether the server may have received the request.
    pub(super) sent: bool,
}

impl Fault {
    pub(super) fn lasting(message: impl Into<String>) -> Self {
        Self { message: message.into(), passing: false, sent: false }
    }
}

/// Sends a request.
pub(super) async fn send(call: &Call, terms: &Terms) -> Result<Answer, Fault> {
    let sent = AtomicBool::new(false);
    let answer = match tokio::time::timeout(terms.timeout, attempt(call, terms, &sent)).await {
        Ok(answer) => answer,
        Err(_) => Err(Fault {
            message: format!("no complete answer within {} seconds", terms.timeout.as_secs_f64()),
            passing: true,
            sent: false,
        }),
    };
    answer.map_err(|fault| Fault { sent: sent.load(Ordering::Relaxed), ..fault })
}

async fn attempt(call: &Call, terms: &Terms, sent: &AtomicBool) -> Result<Answer, Fault> {
    let Url { secure, host, port, .. } = &call.url;
    let passing = |message: String| Fault { message, passing: true, sent: false };
    // Before connecting, because these errors are permanent.
    let secured = if *secure {
        let name = ServerName::try_from(host.clone()).map_err(|_| Fault::lasting("its host is not a name"))?;
        Some((tls::connector(terms.authorities.as_deref()).map_err(Fault::lasting)?, name))
    } else {
        None
    };
    let stream = TcpStream::connect((host.as_str(), *port))
        .await
        .map_err(|error| passing(format!("connecting to `{host}`, port {port}, failed: {error}")))?;
    // Small requests are then sent without delay; a socket without this option works too.
    let _slower = stream.set_nodelay(true);
    match secured {
        None => exchange(stream, call, terms, sent).await,
        Some((connector, name)) => {
            let stream = connector.connect(name, stream).await.map_err(|error| {
                let message = format!("no secure connection to `{host}` could be established: {error}");
                // A certificate that is wrong now will be wrong in a second; anything else may be the network's fault.
                let untrusted = error.kind() == std::io::ErrorKind::InvalidData;
                Fault { message, passing: !untrusted, sent: false }
            })?;
            exchange(stream, call, terms, sent).await
        }
    }
}

/// Sends the request and reads the whole answer.
async fn exchange<S>(stream: S, call: &Call, terms: &Terms, sent: &AtomicBool) -> Result<Answer, Fault>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let broken = |error: hyper::Error| {
        let mut message = format!("the connection to `{}` failed: {error}", call.url.host);
        if let Some(source) = std::error::Error::source(&error) {
            message.push_str(&format!(": {source}"));
        }
        Fault { message, passing: true, sent: false }
    };
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
    let request = request(call)?;
    let work = async {
        sent.store(true, Ordering::Relaxed);
        let response = sender.send_request(request).await.map_err(broken)?;
        read(response, terms.body_limit, broken).await
    };
    tokio::pin!(work);
    tokio::pin!(connection);
    // The connection moves the bytes. It may finish before the last of them have been read.
    tokio::select! {
        biased;
        answer = &mut work => answer,
        _ended = &mut connection => work.await,
    }
}

fn request(call: &Call) -> Result<Request<Full<Bytes>>, Fault> {
    let wrong = |error: &dyn std::fmt::Display| Fault::lasting(format!("the request cannot be made: {error}"));
    let mut request = Request::builder().method(call.method.clone()).uri(&call.url.path);
    let host = HeaderValue::from_str(&call.url.authority()).map_err(|error| wrong(&error))?;
    if let Some(headers) = request.headers_mut() {
        headers
            .insert(header::USER_AGENT, HeaderValue::from_static(concat!("outrigger-kit/", env!("CARGO_PKG_VERSION"))));
        headers.insert(header::ACCEPT, HeaderValue::from_static("*/*"));
        headers.insert(header::HOST, host);
        headers.extend(call.headers.clone());
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    request.body(Full::new(call.body.clone())).map_err(|error| wrong(&error))
}

async fn read(
    response: Response<Incoming>,
    limit: u64,
    broken: impl Fn(hyper::Error) -> Fault,
) -> Result<Answer, Fault> {
    let status = response.status().as_u16();
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in response.headers() {
        let value = String::from_utf8_lossy(value.as_bytes());
        headers
            .entry(name.as_str().to_owned())
            .and_modify(|known| {
                known.push_str(", ");
                known.push_str(&value);
            })
            .or_insert_with(|| value.into_owned());
    }
    let mut incoming = response.into_body();
    let mut body = Vec::new();
    while let Some(frame) = incoming.frame().await {
        let Ok(data) = frame.map_err(&broken)?.into_data() else { continue };
        if (body.len() + data.len()) as u64 > limit {
            let message = format!("the body of the answer is larger than `bodyLimit`, {limit} bytes");
            return Err(Fault::lasting(message));
        }
        body.extend_from_slice(&data);
    }
    Ok(Answer { status, headers, body })
}
