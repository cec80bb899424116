//! TLS between two sides that know each other's certificate and trust no other.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};

use http::uri::Authority;
use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use tokio_rustls::rustls::version::TLS12;
use tokio_rustls::rustls::{
    ALL_VERSIONS, CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, Error, ServerConfig,
    SignatureScheme,
};
use tokio_rustls::server::TlsStream;
use tokio_rustls::{TlsAcceptor, TlsConnector};
use tokio_util::either::Either;

use super::certificate::{Identity, NAME};
use super::short_rsa;
use super::socket::Entrance;
use crate::address::{Address, Socket};
use crate::channel::Channel;
use crate::server::Listener;

/// Go's gRPC insists on negotiating this.
const HTTP2: &[u8] = b"h2";

/// The algorithms: `ring` lacks the curve of go-plugin's certificates.
static ALGORITHMS: LazyLock<Arc<CryptoProvider>> = LazyLock::new(|| Arc::new(aws_lc_rs::default_provider()));

/// Both ends of TLS with the same other side: connections of the broker go both ways.
#[derive(Clone)]
pub(super) struct Tls {
    connector: TlsConnector,
    acceptor: TlsAcceptor,
}

impl Tls {
    /// `theirs`: the certificate of the other side.
    pub(super) fn new(ours: &Identity, theirs: CertificateDer<'static>) -> Result<Self, Error> {
        let pinned = Arc::new(Pinned::new(theirs));
        let versions = if pinned.short_rsa { &[&TLS12][..] } else { ALL_VERSIONS };
        let chain = vec![ours.certificate().clone()];
        let mut client = ClientConfig::builder_with_provider(Arc::clone(&ALGORITHMS))
            .with_protocol_versions(versions)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::clone(&pinned) as Arc<dyn ServerCertVerifier>)
            .with_client_auth_cert(chain.clone(), ours.key())?;
        client.alpn_protocols = vec![HTTP2.to_vec()];
        // Sessions are never resumed: each connection is the only one to its address.
        client.resumption = Resumption::disabled();
        let mut server = ServerConfig::builder_with_provider(Arc::clone(&ALGORITHMS))
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(pinned)
            .with_single_cert(chain, ours.key())?;
        server.alpn_protocols = vec![HTTP2.to_vec()];
        server.send_tls13_tickets = 0;
        Ok(Self { connector: Arc::new(client).into(), acceptor: Arc::new(server).into() })
    }
}

/// Dials and starts HTTP/2.
pub(super) async fn dial(address: &Address, tls: Option<&Tls>) -> io::Result<Channel> {
    let socket = address.dial().await?;
    let authority = Authority::from_static(NAME);
    match tls {
        Some(tls) => {
            let name = ServerName::try_from(NAME).map_err(io::Error::other)?;
            let stream = tls.connector.connect(name, socket).await.map_err(of_their_certificate)?;
            Channel::over_tls(stream, authority).await.map_err(of_our_certificate)
        }
        None => Channel::over(socket, authority).await.map_err(io::Error::other),
    }
}

/// An error from before the other side saw our certificate; the text explains it if their certificate was wrong.
fn of_their_certificate(error: io::Error) -> io::Error {
    match error.get_ref().and_then(|inner| inner.downcast_ref()) {
        Some(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure)) => {
            io::Error::new(error.kind(), "its certificate is not the one that it announced")
        }
        Some(Error::InvalidCertificate(reason)) => {
            io::Error::new(error.kind(), format!("its certificate cannot be used: {reason}"))
        }
        _ => error,
    }
}

/// An error from after our part of TLS: usually an alert, or the close of the connection before the alert was read.
fn of_our_certificate(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("it closed the connection after it received our certificate: {error}"))
}

/// Accepts only the one certificate, and only if its owner signs the handshake. The usual verifier refuses go-plugin's certificates because they
/// may also sign others.
#[derive(Debug)]
struct Pinned {
    certificate: CertificateDer<'static>,
    short_rsa: bool,
}

impl Pinned {
    fn new(certificate: CertificateDer<'static>) -> Self {
        let short_rsa = short_rsa::is_key_of(&certificate);
        Self { certificate, short_rsa }
    }

    fn check(&self, shown: &CertificateDer<'_>) -> Result<(), Error> {
        if shown.as_ref() == self.certificate.as_ref() {
            Ok(())
        } else {
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(shown).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = ALGORITHMS.signature_verification_algorithms;
        verify_tls12_signature(
            message,
            shown,
            signature,
            if self.short_rsa { &short_rsa::ALGORITHMS } else { &algorithms },
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, shown, signature, &ALGORITHMS.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = ALGORITHMS.signature_verification_algorithms;
        if self.short_rsa { short_rsa::ALGORITHMS.supported_schemes() } else { algorithms.supported_schemes() }
    }
}

impl ClientCertVerifier for Pinned {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        shown: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(shown).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        ServerCertVerifier::verify_tls12_signature(self, message, shown, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        ServerCertVerifier::verify_tls13_signature(self, message, shown, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        ServerCertVerifier::supported_verify_schemes(self)
    }
}

/// A listening socket, and the TLS of its connections.
pub(super) struct Gate {
    pub(super) entrance: Entrance,
    pub(super) tls: Option<Tls>,
}

impl Listener for Gate {
    type Stream = Wire;
    type Arrival = Pin<Box<dyn Future<Output = io::Result<Wire>> + Send>>;

    async fn accept(&mut self) -> io::Result<Self::Arrival> {
        let socket = self.entrance.accept().await?;
        let acceptor = self.tls.as_ref().map(|tls| tls.acceptor.clone());
        Ok(Box::pin(async move {
            match acceptor {
                Some(acceptor) => Ok(Wire::Right(Box::new(acceptor.accept(socket).await?))),
                None => Ok(Wire::Left(socket)),
            }
        }))
    }
}

/// A connection that was accepted by a gate, plain or with TLS.
type Wire = Either<Socket, Box<TlsStream<Socket>>>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goplugin::socket::Sockets;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// The results of a client and a server that expect these certificates.
    async fn meet(client: &Tls, server: &Tls) -> (io::Result<()>, io::Result<()>) {
        let entrance = Sockets::Apart.listen().await.unwrap();
        let address = entrance.address().clone();
        let mut gate = Gate { entrance, tls: Some(server.clone()) };
        let dialling = async {
            let socket = address.dial().await?;
            let name = ServerName::try_from(NAME).unwrap();
            let mut stream = client.connector.connect(name, socket).await?;
            stream.write_all(b"x").await?;
            // Only now does the client learn whether the server accepts it.
            stream.read_exact(&mut [0]).await.map(drop)
        };
        let accepting = async {
            let mut stream = gate.accept().await?.await?;
            let mut letter = [0];
            stream.read_exact(&mut letter).await?;
            stream.write_all(&letter).await?;
            stream.flush().await
        };
        tokio::join!(dialling, accepting)
    }

    #[tokio::test]
    async fn both_sides_accept_the_pinned_certificate_and_no_other() {
        let (host, plugin, other) = (Identity::new().unwrap(), Identity::as_in_go().unwrap(), Identity::new().unwrap());
        let tls = |ours: &Identity, theirs: &Identity| Tls::new(ours, theirs.certificate().clone()).unwrap();
        let (client, server) = meet(&tls(&host, &plugin), &tls(&plugin, &host)).await;
        assert!(client.is_ok() && server.is_ok(), "{client:?} {server:?}");
        let (client, _) = meet(&tls(&host, &other), &tls(&plugin, &host)).await;
        assert!(client.is_err());
        let (client, server) = meet(&tls(&other, &plugin), &tls(&plugin, &host)).await;
        assert!(client.is_err() && server.is_err());
    }

    #[tokio::test]
    async fn who_has_the_certificate_and_not_its_key_is_refused() {
        let (host, plugin) = (Identity::new().unwrap(), Identity::new().unwrap());
        let server = Tls::new(&plugin, host.certificate().clone()).unwrap();
        let chain = vec![host.certificate().clone()];
        let signer = aws_lc_rs::sign::any_supported_type(&Identity::new().unwrap().key()).unwrap();
        let thief = tokio_rustls::rustls::sign::CertifiedKey::new(chain, signer);
        let mut client = ClientConfig::builder_with_provider(Arc::clone(&ALGORITHMS))
            .with_safe_default_protocol_versions()
            .unwrap()
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Pinned::new(plugin.certificate().clone())))
            .with_client_cert_resolver(Arc::new(tokio_rustls::rustls::sign::SingleCertAndKey::from(thief)));
        client.alpn_protocols = vec![HTTP2.to_vec()];
        let client = Tls { connector: Arc::new(client).into(), acceptor: server.acceptor.clone() };
        let (_, accepted) = meet(&client, &server).await;
        assert!(accepted.unwrap_err().to_string().contains("BadSignature"));
    }
}
