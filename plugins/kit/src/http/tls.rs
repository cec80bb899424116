//! TLS, and the certificate authorities to trust.

use std::sync::{Arc, OnceLock};

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// A connector that trusts the machine's authorities and the certificates of `extra`, in PEM form.
pub(super) fn connector(extra: Option<&str>) -> Result<TlsConnector, String> {
    let mut roots = machine().clone();
    for certificate in extra.map(certificates).transpose()?.into_iter().flatten() {
        roots.add(certificate).map_err(|error| format!("a certificate of `caCertificate` cannot be used: {error}"))?;
    }
    if roots.is_empty() {
        return Err("this machine has no list of trusted certificate authorities; install one (`ca-certificates`), \
                    or give `caCertificate`"
            .to_owned());
    }
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// Certificates in PEM form, at least one.
pub(super) fn certificates(text: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text.as_bytes()).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err("it holds no certificate in PEM form".to_owned()),
        Err(error) => Err(format!("it is not in PEM form: {error}")),
    }
}

/// The machine's authorities, read once. An unreadable certificate is left out, as is usual.
fn machine() -> &'static RootCertStore {
    static ROOTS: OnceLock<RootCertStore> = OnceLock::new();
    ROOTS.get_or_init(|| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        roots
    })
}
