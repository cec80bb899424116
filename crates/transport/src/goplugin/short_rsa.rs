//! Signatures by RSA keys of 1,024 bits, which some plugin libraries outside Go still create for each start.
//!
//! The connection stays on this machine, and the certificate is pinned and lives as long as the plugin's process. TLS 1.3 and RSA-PSS are not
//! possible: the cryptography crate verifies short keys for the older padding only, so such a plugin is asked for TLS 1.2.

use aws_lc_rs::signature::{RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, UnparsedPublicKey};
use tokio_rustls::rustls::SignatureScheme;
use tokio_rustls::rustls::crypto::WebPkiSupportedAlgorithms;
use tokio_rustls::rustls::pki_types::{
    AlgorithmIdentifier, CertificateDer, InvalidSignature, SignatureVerificationAlgorithm, alg_id,
};
use tokio_rustls::rustls::server::ParsedCertificate;

/// The public key of an RSA certificate with 2,048 bits has at least this many bytes.
const USUAL_LENGTH: usize = 290;

/// Verifies signatures by short keys only.
pub(super) static ALGORITHMS: WebPkiSupportedAlgorithms =
    WebPkiSupportedAlgorithms { all: &[&Short], mapping: &[(SignatureScheme::RSA_PKCS1_SHA256, &[&Short])] };

/// Whether a certificate has an RSA key that is too short for the usual algorithms.
pub(super) fn is_key_of(certificate: &CertificateDer<'_>) -> bool {
    let Ok(parsed) = ParsedCertificate::try_from(certificate) else { return false };
    let key = parsed.subject_public_key_info();
    key.len() < USUAL_LENGTH && key.windows(alg_id::RSA_ENCRYPTION.len()).any(|part| part == &*alg_id::RSA_ENCRYPTION)
}

#[derive(Debug)]
struct Short;

impl SignatureVerificationAlgorithm for Short {
    fn verify_signature(&self, key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        UnparsedPublicKey::new(&RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, key)
            .verify(message, signature)
            .map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::RSA_ENCRYPTION
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::RSA_PKCS1_SHA256
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    use super::*;
    use crate::goplugin::certificate::Identity;

    /// A self-signed certificate with a key of 1,024 bits, and that key's signature of [`MESSAGE`].
    const CERTIFICATE: &str = "\
        MIICBjCCAW+gAwIBAgIUSgts/3WxUC/AgD3pAWygc68Zfn0wDQYJKoZIhvcNAQELBQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExOT\
        A2MzUzOFoYDzIxMjYxMDI2MDYzNTM4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwgZ8wDQYJKoZIhvcNAQEBBQADgY0AMIGJAoGBAL7LWpUZf5BS\
        v+ITe20bwNJv/RfoNE8jwRp4qQq/usbV0BGT3sS4hCj2DXUGnsGN4fQf/ymB9jn9h2lVf9BXweDVL1eRZbjV/n5JUr4kNyEDsNtjDmjl9T1yjU\
        2AjoQofgy9fF9aL3EDmA2LZt3OS572d6LWqtwdsoQW4+BxjrYVAgMBAAGjUzBRMB0GA1UdDgQWBBQxX6xS7Izucad+ZDOWyJW5rlkUxDAfBgNV\
        HSMEGDAWgBQxX6xS7Izucad+ZDOWyJW5rlkUxDAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3DQEBCwUAA4GBAGrd3lOJz4TZfO7B27eXb4Mx+T\
        iT7gBERvcMsuDd2jbqXu2PGYY0qN8MPXJ4hqYKrWzYXbKewLr/7DHBo2LKNnen09Ur004G+KCkWTPAsz9XJ1HYf/Zdv3rS7KElj1yKH8HoT1rU\
        yAX3SbZglb6gOBfaSYDeHyITPJSsD0F+bNi7";
    const SIGNATURE: &str = "\
        opdcZxxqqJ1yPlAW/SWyzByU5Ubm63UxcDSB183+bMj2Pm9E2IDOPq2LRazSYXaqLm5h8VqY6c1weOKasALzoq+lbHRJHW9GclcK05UeEwPpOS\
        3nFzpT/QJYl5WyWoOP1Z9PMfeGe7ouIQZ3tNNdso4mzmuGhWvkFEJT1M+DYW4=";
    const MESSAGE: &[u8] = b"a signed message";

    #[test]
    fn a_short_key_verifies_its_own_signature_only() {
        let certificate = CertificateDer::from(STANDARD.decode(CERTIFICATE).unwrap());
        assert!(is_key_of(&certificate));
        assert!(!is_key_of(Identity::new().unwrap().certificate()));
        assert!(!is_key_of(&CertificateDer::from(vec![0; 10])));

        // The key proper is the part of the certificate that begins with its 1,024-bit modulus.
        let key = ParsedCertificate::try_from(&certificate).unwrap().subject_public_key_info().to_vec();
        let mut signature = STANDARD.decode(SIGNATURE).unwrap();
        assert!(Short.verify_signature(&key[22..], MESSAGE, &signature).is_ok());
        signature[0] ^= 1;
        assert!(Short.verify_signature(&key[22..], MESSAGE, &signature).is_err());
    }
}
