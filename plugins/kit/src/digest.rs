//! SHA-256 in hexadecimal digits.

use sha2::{Digest, Sha256};

/// The digest in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
