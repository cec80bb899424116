//! Pulumi's passphrase manager: a key derived from a phrase and a salt.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::thread;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use outrigger_diagnostic::Diagnostic;

use crate::cipher::{Cipher, OpenError, no_randomness};
use crate::{Crypter, Phrase, pbkdf2};

/// The same as Pulumi's: deliberately about a second of work.
const ROUNDS: u32 = 1_000_000;
const SALT_BYTES: usize = 8;
/// The encrypted content of a salt string, which distinguishes a wrong passphrase from the right one.
const PROOF: &str = "pulumi";

/// The passphrase manager. The key is derived once, on first use or by [`Passphrase::prefetch`]; clones share it.
#[derive(Clone)]
pub struct Passphrase {
    shared: Arc<Shared>,
}

struct Shared {
    phrase: Phrase,
    salt: Vec<u8>,
    proof: String,
    salt_string: String,
    cipher: OnceLock<Result<Cipher, Diagnostic>>,
}

impl Passphrase {
    /// Takes a phrase and a salt string (`encryptionsalt` of the stack file, `salt` in the state). Derives nothing yet.
    pub fn new(phrase: Phrase, salt_string: &str) -> Result<Self, Diagnostic> {
        let malformed = |reason: &str| {
            Diagnostic::error("salt-malformed", "the encryption salt is not in the form that Pulumi writes")
                .detail(format!("{reason}. The form is v1:SALT:v1:NONCE:CIPHERTEXT."))
                .hint("Restore `encryptionsalt` in the stack's settings file from version control.")
        };
        let mut parts = salt_string.splitn(3, ':');
        let (Some(version), Some(salt), Some(proof)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(malformed("It has too few parts"));
        };
        if version != "v1" {
            return Err(malformed("Its version is not v1"));
        }
        let salt = STANDARD.decode(salt).map_err(|_| malformed("Its salt is not base64"))?;
        Ok(Self::assemble(phrase, salt, proof.to_owned(), salt_string.to_owned(), OnceLock::new()))
    }

    /// Creates a new salt string for a phrase, and its manager. Derives the key.
    pub fn create(phrase: Phrase) -> Result<Self, Diagnostic> {
        let mut salt = [0_u8; SALT_BYTES];
        getrandom::fill(&mut salt).map_err(|error| no_randomness(&error))?;
        let cipher = derive(&phrase, &salt);
        let proof = cipher.seal(PROOF)?;
        let salt_string = format!("v1:{}:{proof}", STANDARD.encode(salt));
        Ok(Self::assemble(phrase, salt.to_vec(), proof, salt_string, OnceLock::from(Ok(cipher))))
    }

    fn assemble(
        phrase: Phrase,
        salt: Vec<u8>,
        proof: String,
        salt_string: String,
        cipher: OnceLock<Result<Cipher, Diagnostic>>,
    ) -> Self {
        Self { shared: Arc::new(Shared { phrase, salt, proof, salt_string, cipher }) }
    }

    /// The salt string, for the stack file and the state. Not a secret.
    pub fn salt_string(&self) -> &str {
        &self.shared.salt_string
    }

    /// Derives the key on a separate thread, so that it is ready when the first secret is used.
    pub fn prefetch(&self) {
        let this = self.clone();
        // If the thread cannot be started, the first use derives the key itself.
        drop(thread::Builder::new().name("derive-key".to_owned()).spawn(move || this.verify().is_ok()));
    }

    /// Derives the key now and checks the phrase.
    pub fn verify(&self) -> Result<(), Diagnostic> {
        self.cipher().map(|_| ())
    }

    fn cipher(&self) -> Result<&Cipher, Diagnostic> {
        let shared = &self.shared;
        let result = shared.cipher.get_or_init(|| {
            let cipher = derive(&shared.phrase, &shared.salt);
            match cipher.open(&shared.proof) {
                Ok(text) if text.as_str() == PROOF => Ok(cipher),
                _ => Err(wrong_passphrase()),
            }
        });
        result.as_ref().map_err(Clone::clone)
    }
}

impl Crypter for Passphrase {
    fn encrypt(&self, plaintext: &str) -> Result<String, Diagnostic> {
        self.cipher()?.seal(plaintext)
    }

    fn decrypt(&self, ciphertext: &str) -> Result<String, Diagnostic> {
        let opened = self.cipher()?.open(ciphertext).map_err(|error| match error {
            OpenError::Malformed => {
                Diagnostic::error("ciphertext-malformed", "an encrypted value is not in the form that Pulumi writes")
                    .detail("The form is v1:NONCE:CIPHERTEXT, both in base64.")
                    .hint("Set the value again, or restore the file that holds it from a backup.")
            }
            OpenError::Refused => Diagnostic::error(
                "ciphertext-refused",
                "an encrypted value was encrypted with another key, or was changed since",
            )
            .detail("The passphrase itself is right for this stack's salt.")
            .hint("Set the value again, or restore the file that holds it from a backup."),
        })?;
        Ok(opened.as_str().to_owned())
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(..)")
    }
}

fn derive(phrase: &Phrase, salt: &[u8]) -> Cipher {
    Cipher::new(&pbkdf2::derive(phrase.as_bytes(), salt, ROUNDS))
}

fn wrong_passphrase() -> Diagnostic {
    Diagnostic::error("passphrase-wrong", "the passphrase is wrong for this stack")
        .detail("It does not match `encryptionsalt` in the stack's file.")
        .hint("Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE to the stack's passphrase.")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by pulumi 3.250.0 with the passphrase `pass`; the ciphertext is a config value `canary`.
    const SALT: &str = "v1:QKn44eE/Dl4=:v1:4BAKyNQg7NRa/kcs:qjyCrEcgyi2G/JuAcWg75zCOvHm91g==";
    const CIPHERTEXT: &str = "v1:uhCllqYmK/Jpl1P+:G+AC1b5dK43Bjm/G7hxeKlKaGaKQQw==";

    #[test]
    fn it_opens_what_pulumi_wrote() {
        let manager = Passphrase::new(Phrase::new("pass"), SALT).unwrap();
        assert_eq!(manager.decrypt(CIPHERTEXT).unwrap(), "canary");
        assert_eq!(manager.salt_string(), SALT);
    }

    #[test]
    fn a_wrong_phrase_says_so_and_shows_nothing() {
        let manager = Passphrase::new(Phrase::new("hunter2"), SALT).unwrap();
        let error = manager.decrypt(CIPHERTEXT).unwrap_err();
        assert_eq!(error.code, "passphrase-wrong");
        assert!(!format!("{error:?}{manager:?}{:?}", Phrase::new("hunter2")).contains("hunter2"));
        // Encrypting with a wrong key would lose the value.
        assert_eq!(manager.encrypt("x").unwrap_err().code, "passphrase-wrong");
    }

    #[test]
    fn a_new_salt_string_opens_again() {
        let new = Passphrase::create(Phrase::new("")).unwrap();
        let sealed = new.encrypt("canary").unwrap();
        let again = Passphrase::new(Phrase::from_file_contents(" \n"), new.salt_string()).unwrap();
        again.prefetch();
        assert_eq!(again.decrypt(&sealed).unwrap(), "canary");
        assert_eq!(again.decrypt("v1:zzz").unwrap_err().code, "ciphertext-malformed");
        assert_eq!(again.decrypt(CIPHERTEXT).unwrap_err().code, "ciphertext-refused");
    }

    #[test]
    fn a_malformed_salt_is_refused_before_any_work() {
        for salt in ["", "v1", "v1:AAAA", "v2:AAAA:v1:a:b", "v1:***:v1:a:b"] {
            assert_eq!(Passphrase::new(Phrase::new("pass"), salt).unwrap_err().code, "salt-malformed", "{salt}");
        }
    }
}
