//! The certificate that one side makes for one start of a plugin.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, PKCS_ECDSA_P256_SHA256, SignatureAlgorithm,
};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

/// The name that every certificate of go-plugin is for.
pub(super) const NAME: &str = "localhost";

/// A certificate and its key.
pub(super) struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Identity {
    /// Makes one. Its curve is P-256, not go-plugin's P-521: ten times as fast to generate, and supported by every implementation of TLS. It has
    /// all the key usages of go-plugin's own, because some systems insist on them. It is pinned byte for byte and lives as long as the plugin,
    /// so it never expires: a wrong clock must not matter.
    pub(super) fn new() -> Result<Self, rcgen::Error> {
        Self::on(&PKCS_ECDSA_P256_SHA256)
    }

    /// One with the curve of go-plugin's own.
    #[cfg(test)]
    pub(super) fn as_in_go() -> Result<Self, rcgen::Error> {
        Self::on(&rcgen::PKCS_ECDSA_P521_SHA512)
    }

    fn on(curve: &'static SignatureAlgorithm) -> Result<Self, rcgen::Error> {
        let key = KeyPair::generate_for(curve)?;
        let mut parameters = CertificateParams::new([NAME.to_owned()])?;
        let mut name = DistinguishedName::new();
        name.push(DnType::CommonName, NAME);
        name.push(DnType::OrganizationName, "Outrigger");
        parameters.distinguished_name = name;
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.key_usages = vec![
            KeyUsagePurpose::DigitalSignature,
            KeyUsagePurpose::KeyEncipherment,
            KeyUsagePurpose::KeyAgreement,
            KeyUsagePurpose::KeyCertSign,
        ];
        parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth, ExtendedKeyUsagePurpose::ServerAuth];
        let certificate = parameters.self_signed(&key)?.der().clone();
        Ok(Self { certificate, key: PrivatePkcs8KeyDer::from(key.serialize_der()).into() })
    }

    pub(super) fn certificate(&self) -> &CertificateDer<'static> {
        &self.certificate
    }

    pub(super) fn key(&self) -> PrivateKeyDer<'static> {
        self.key.clone_key()
    }

    /// The certificate in PEM.
    pub(super) fn pem(&self) -> String {
        let text = STANDARD.encode(&self.certificate);
        let mut pem = String::with_capacity(text.len() + text.len() / 32 + 64);
        pem.push_str("-----BEGIN CERTIFICATE-----\n");
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (line, after) = rest.split_at_checked(64).unwrap_or((rest, ""));
            pem.push_str(line);
            pem.push('\n');
            rest = after;
        }
        pem.push_str("-----END CERTIFICATE-----\n");
        pem
    }
}

/// Reads the certificate of the other side.
pub(super) fn from_pem(text: &str) -> Result<CertificateDer<'static>, String> {
    CertificateDer::from_pem_slice(text.as_bytes()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        for identity in [Identity::new(), Identity::as_in_go()] {
            let identity = identity.unwrap();
            assert_eq!(from_pem(&identity.pem()).unwrap(), *identity.certificate());
            assert!(identity.pem().lines().all(|line| line.len() <= 64));
        }
        assert!(from_pem("nonsense").is_err());
    }
}
