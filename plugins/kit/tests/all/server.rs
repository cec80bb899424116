//! A small HTTP server on the loopback interface with scripted answers.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Self-signed, for `localhost`, valid for a hundred years; made for these tests with `openssl req -x509`.
const CERTIFICATE: &str = include_str!("localhost.pem");

/// The reply of the server.
pub(crate) enum Reply {
    /// These bytes, then the end of the connection.
    Bytes(Vec<u8>),
    /// Nothing, with the connection left open.
    Silence,
    /// An endless body.
    Endless,
}

impl Reply {
    /// A complete answer.
    pub(crate) fn new(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut bytes =
            format!("HTTP/1.1 {status} Some Reason\r\n{headers}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        bytes.extend(body);
        Self::Bytes(bytes)
    }
}

/// A request as received.
#[derive(Clone, Debug)]
pub(crate) struct Arrived {
    pub(crate) line: String,
    pub(crate) headers: String,
    pub(crate) body: String,
}

/// The server. It stops when this value is dropped.
pub(crate) struct Server {
    pub(crate) address: String,
    /// The certificate of a TLS server, in PEM form.
    pub(crate) certificate: String,
    arrived: Arc<Mutex<Vec<Arrived>>>,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// A server that answers each request with the function's result; it gets the request and the number of requests before it.
    pub(crate) async fn new(answer: impl Fn(&Arrived, usize) -> Reply + Send + Sync + 'static) -> Self {
        Self::start(answer, None).await
    }

    /// The same, over TLS, with a certificate for `localhost`.
    pub(crate) async fn secure(answer: impl Fn(&Arrived, usize) -> Reply + Send + Sync + 'static) -> Self {
        let key = PrivateKeyDer::from_pem_slice(include_bytes!("localhost.key")).unwrap();
        let certificate = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        let mut server = Self::start(answer, Some(TlsAcceptor::from(Arc::new(config)))).await;
        server.certificate = CERTIFICATE.to_owned();
        server
    }

    async fn start(
        answer: impl Fn(&Arrived, usize) -> Reply + Send + Sync + 'static,
        tls: Option<TlsAcceptor>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let arrived = Arc::new(Mutex::new(Vec::new()));
        let (answer, seen) = (Arc::new(answer), Arc::clone(&arrived));
        let task = tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { return };
                let (answer, seen, tls) = (Arc::clone(&answer), Arc::clone(&seen), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => converse(stream, &*answer, &seen).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                converse(stream, &*answer, &seen).await;
                            }
                        }
                    }
                });
            }
        });
        Self { address, certificate: String::new(), arrived, task }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests received so far.
    pub(crate) fn arrived(&self) -> Vec<Arrived> {
        self.arrived.lock().unwrap().clone()
    }
}

async fn converse<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    answer: &(dyn Fn(&Arrived, usize) -> Reply + Send + Sync),
    seen: &Mutex<Vec<Arrived>>,
) {
    let Some(request) = read(&mut stream).await else { return };
    let before = {
        let mut seen = seen.lock().unwrap();
        seen.push(request.clone());
        seen.len() - 1
    };
    match answer(&request, before) {
        Reply::Bytes(bytes) => {
            let _gone = stream.write_all(&bytes).await;
            let _gone = stream.shutdown().await;
        }
        Reply::Silence => std::future::pending().await,
        Reply::Endless => {
            let _gone = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
            while stream.write_all(&[b'x'; 65536]).await.is_ok() {}
        }
    }
}

async fn read<S: AsyncRead + Unpin>(stream: &mut S) -> Option<Arrived> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let (line, headers) = text.split_once("\r\n").unwrap_or((&text, ""));
    let headers = headers.to_lowercase();
    let length = headers.lines().find_map(|header| header.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    while bytes.len() < head + 4 + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8_lossy(&bytes[head + 4..]).into_owned();
    Some(Arrived { line: line.to_owned(), headers, body })
}
