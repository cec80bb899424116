//! AES-256-GCM in the text form that Pulumi uses for all its symmetric keys: `v1:NONCE:CIPHERTEXT`, both base64.

use aes_gcm::aead::{Aead, KeyInit};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use outrigger_diagnostic::Diagnostic;
use zeroize::Zeroizing;

const NONCE_BYTES: usize = 12;

/// A key ready for use. The key schedule is wiped on drop by the cipher itself.
pub(crate) struct Cipher(Aes256Gcm);

/// Why a ciphertext cannot be decrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenError {
    /// The text does not have the form `v1:NONCE:CIPHERTEXT`.
    Malformed,
    /// The form is right, but the text was made with another key or changed since.
    Refused,
}

impl Cipher {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        Self(Aes256Gcm::new(key.into()))
    }

    pub(crate) fn seal(&self, plaintext: &str) -> Result<String, Diagnostic> {
        let mut nonce = [0_u8; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|error| no_randomness(&error))?;
        let sealed = self.0.encrypt(&Nonce::from(nonce), plaintext.as_bytes()).map_err(|_| {
            Diagnostic::error("secret-too-large", "a secret value is too large to be encrypted")
                .hint("Keep secrets below 64 GiB.")
        })?;
        Ok(format!("v1:{}:{}", STANDARD.encode(nonce), STANDARD.encode(sealed)))
    }

    pub(crate) fn open(&self, ciphertext: &str) -> Result<Zeroizing<String>, OpenError> {
        let mut parts = ciphertext.split(':');
        let (Some("v1"), Some(nonce), Some(sealed), None) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(OpenError::Malformed);
        };
        let nonce = STANDARD.decode(nonce).map_err(|_| OpenError::Malformed)?;
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().map_err(|_| OpenError::Malformed)?;
        let sealed = STANDARD.decode(sealed).map_err(|_| OpenError::Malformed)?;
        let plain = self.0.decrypt(&Nonce::from(nonce), sealed.as_slice()).map_err(|_| OpenError::Refused)?;
        String::from_utf8(plain).map(Zeroizing::new).map_err(|error| {
            // The bytes are a secret even though they are not text.
            drop(Zeroizing::new(error.into_bytes()));
            OpenError::Malformed
        })
    }
}

/// The operating system gave no random bytes.
pub(crate) fn no_randomness(error: &getrandom::Error) -> Diagnostic {
    Diagnostic::error("no-randomness", "the operating system returned no random bytes").detail(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_and_is_never_the_same_twice() {
        let cipher = Cipher::new(&[7; 32]);
        let (one, two) = (cipher.seal("canary").unwrap(), cipher.seal("canary").unwrap());
        assert_ne!(one, two);
        assert_eq!(cipher.open(&one).unwrap().as_str(), "canary");
        assert_eq!(cipher.open(&two).unwrap().as_str(), "canary");
    }

    #[test]
    fn another_key_and_another_form_are_told_apart() {
        let sealed = Cipher::new(&[7; 32]).seal("canary").unwrap();
        let other = Cipher::new(&[8; 32]);
        assert_eq!(other.open(&sealed).unwrap_err(), OpenError::Refused);
        for text in ["", "v1", "v2:a:b", "v1:AAAA:AAAA", "v1:!:!", "v1:AAAAAAAAAAAAAAAA:AAAA:AAAA"] {
            assert_eq!(other.open(text).unwrap_err(), OpenError::Malformed, "{text}");
        }
    }
}
