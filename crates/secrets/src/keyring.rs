//! One passphrase and its managers: each key is derived once per command, however often it is needed.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use outrigger_diagnostic::Diagnostic;
use serde_json::Value as Json;

use crate::manager::{PASSPHRASE_KIND, salt_of, unsupported};
use crate::{Crypter, Locked, Passphrase, Phrase};

/// The passphrase of this command, if any, and the managers made from it so far.
pub struct Keyring {
    phrase: Option<Phrase>,
    open: Mutex<HashMap<String, Passphrase>>,
}

impl Keyring {
    /// A keyring for a passphrase; without one, secrets cannot be decrypted.
    pub fn new(phrase: Option<Phrase>) -> Self {
        Self { phrase, open: Mutex::new(HashMap::new()) }
    }

    /// Whether there is no passphrase.
    pub fn is_locked(&self) -> bool {
        self.phrase.is_none()
    }

    /// The manager for `type` and `state` of a state file's `secrets_providers`.
    pub fn manager(&self, kind: &str, state: &Json) -> Result<Arc<dyn Crypter>, Diagnostic> {
        if kind == PASSPHRASE_KIND { self.passphrase(salt_of(state)?) } else { Err(unsupported(kind)) }
    }

    /// The manager for a salt string (`encryptionsalt` of a stack file).
    pub fn passphrase(&self, salt_string: &str) -> Result<Arc<dyn Crypter>, Diagnostic> {
        Ok(match self.open(salt_string)? {
            Some(manager) => Arc::new(manager),
            None => Arc::new(Locked),
        })
    }

    /// Derives the key for a salt string on a separate thread, if there is a passphrase.
    pub fn prefetch(&self, salt_string: &str) {
        // A malformed salt is reported where it is used.
        if let Ok(Some(manager)) = self.open(salt_string) {
            manager.prefetch();
        }
    }

    /// Makes a new salt string for the passphrase. Fails without one.
    pub fn create(&self) -> Result<Passphrase, Diagnostic> {
        let Some(phrase) = self.phrase.clone() else { return Err(crate::locked::missing_passphrase()) };
        let manager = Passphrase::create(phrase)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.insert(manager.salt_string().to_owned(), manager.clone());
        Ok(manager)
    }

    fn open(&self, salt_string: &str) -> Result<Option<Passphrase>, Diagnostic> {
        let Some(phrase) = &self.phrase else { return Ok(None) };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(manager) = open.get(salt_string) {
            return Ok(Some(manager.clone()));
        }
        let manager = Passphrase::new(phrase.clone(), salt_string)?;
        open.insert(salt_string.to_owned(), manager.clone());
        Ok(Some(manager))
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.phrase.is_some() { "Keyring(..)" } else { "Keyring(locked)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_was_made_is_not_derived_again() {
        let ring = Keyring::new(Some(Phrase::new("canary")));
        let made = ring.create().unwrap();
        let sealed = made.encrypt("x").unwrap();
        let state = serde_json::json!({"salt": made.salt_string()});
        assert_eq!(ring.manager("passphrase", &state).unwrap().decrypt(&sealed).unwrap(), "x");
        assert_eq!(ring.open.lock().unwrap().len(), 1);
        assert!(!format!("{ring:?}").contains("canary"));
    }

    #[test]
    fn without_a_phrase_everything_is_locked() {
        let ring = Keyring::new(None);
        ring.prefetch("nonsense");
        assert_eq!(ring.create().unwrap_err().code, "passphrase-missing");
        let manager = ring.passphrase("v1:AAAAAAAAAAA=:v1:AAAAAAAAAAAAAAAA:AAAA").unwrap();
        assert_eq!(manager.encrypt("x").unwrap_err().code, "passphrase-missing");
        assert_eq!(ring.manager("service", &Json::Null).err().unwrap().code, "secrets-provider-unsupported");
    }
}
