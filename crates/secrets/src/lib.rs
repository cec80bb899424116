//! Encryption of values, in the formats of Pulumi's secrets managers.
//!
//! - [`Crypter`] turns text into ciphertext and back.
//! - [`Passphrase`] is Pulumi's `passphrase` manager; its key is derived only on first use.
//! - [`Locked`] is used when there is no passphrase: it fails when a secret is actually used, not before.
//! - A [`Keyring`] picks one for a state file or a stack file, and derives each key once.
//!
//! Invariant: neither a key, a passphrase nor a plaintext appears in `Debug`, `Display` or a diagnostic of this crate.

mod cipher;
mod keyring;
mod locked;
mod manager;
mod passphrase;
mod pbkdf2;
mod phrase;

use outrigger_diagnostic::Diagnostic;

pub use keyring::Keyring;
pub use locked::Locked;
pub use manager::{PASSPHRASE_KIND, unsupported};
pub use passphrase::Passphrase;
pub use phrase::Phrase;

/// Encrypts and decrypts text. Implementations may block: a key may have to be derived first.
pub trait Crypter: Send + Sync {
    /// The ciphertext of a text; a fresh one on each call.
    fn encrypt(&self, plaintext: &str) -> Result<String, Diagnostic>;

    /// The text of a ciphertext.
    fn decrypt(&self, ciphertext: &str) -> Result<String, Diagnostic>;
}
