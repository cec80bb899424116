//! The passphrase, and the keys that are made from it. No key is derived before a secret is touched.

use std::fs;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_project::stack_config::StackConfig;
use outrigger_secrets::{Crypter, Keyring, Locked, PASSPHRASE_KIND, Phrase, unsupported};
use outrigger_state::SecretsProviderState;
use serde_json::json;

use super::{Environment, Passphrase};
use crate::redaction::HIDDEN;
use crate::{Error, ErrorKind, OwnedKeys};

/// The keys of an environment: the passphrase is a variable's, or the frontend is asked.
pub(super) fn keyring(environment: &Environment, which: Passphrase) -> Result<Arc<Keyring>, Diagnostic> {
    let phrase = match from_variables(environment)? {
        Some(phrase) => Some(phrase),
        None => environment.frontend.passphrase(which)?,
    };
    Ok(Arc::new(Keyring::new(phrase)))
}

/// A keyring as the state wants it.
pub(super) fn keys(keyring: &Arc<Keyring>) -> OwnedKeys {
    let keyring = Arc::clone(keyring);
    Arc::new(move |provider| keyring.manager(&provider.kind, &provider.state))
}

/// A new salt for the passphrase; derives the key.
pub(super) fn create(keyring: &Keyring) -> Result<SecretsProviderState, Error> {
    require(keyring)?;
    Ok(provider(keyring.create()?.salt_string()))
}

/// Fails without a passphrase.
pub(super) fn require(keyring: &Keyring) -> Result<(), Error> {
    // The same error as for a secret without a key.
    if keyring.is_locked() {
        Locked.encrypt("").map(drop).map_err(|error| Error::new(ErrorKind::PassphraseMissing, error))
    } else {
        Ok(())
    }
}

/// The secrets provider in a stack's file; `None` if it has none.
pub(super) fn stack_provider(config: &StackConfig) -> Result<Option<SecretsProviderState>, Diagnostic> {
    match config.secrets_provider() {
        None | Some(PASSPHRASE_KIND | "default") => Ok(config.encryption_salt().map(provider)),
        Some(other) => Err(unsupported(other)),
    }
}

/// The salt of a provider.
pub(super) fn salt(provider: &SecretsProviderState) -> &str {
    provider.state.get("salt").and_then(serde_json::Value::as_str).unwrap_or_default()
}

fn provider(salt: &str) -> SecretsProviderState {
    SecretsProviderState { kind: PASSPHRASE_KIND.to_owned(), state: json!({"salt": salt}) }
}

fn from_variables(environment: &Environment) -> Result<Option<Phrase>, Diagnostic> {
    if let Some(phrase) = environment.raw("PULUMI_CONFIG_PASSPHRASE") {
        let text = phrase.to_str().ok_or_else(|| {
            Diagnostic::error("passphrase-invalid", "PULUMI_CONFIG_PASSPHRASE is not UTF-8 text")
                .hint("Set it to the passphrase of the stack.")
        })?;
        return Ok(Some(Phrase::new(text)));
    }
    let Some(path) = environment.text("PULUMI_CONFIG_PASSPHRASE_FILE") else { return Ok(None) };
    let path = environment.directory.join(path);
    let text = fs::read_to_string(&path).map_err(|error| {
        Diagnostic::error("passphrase-file", format!("the passphrase file `{}` cannot be read", path.display()))
            .detail(error.to_string())
            .hint("Correct PULUMI_CONFIG_PASSPHRASE_FILE, or set PULUMI_CONFIG_PASSPHRASE.")
    })?;
    Ok(Some(Phrase::from_file_contents(text)))
}

/// Keys that open nothing: every secret reads as a placeholder, so that a state can be shown without a passphrase.
pub(super) fn veiled(_: &SecretsProviderState) -> Result<Arc<dyn Crypter>, Diagnostic> {
    Ok(Arc::new(Veil))
}

struct Veil;

impl Crypter for Veil {
    fn encrypt(&self, plaintext: &str) -> Result<String, Diagnostic> {
        Locked.encrypt(plaintext)
    }

    fn decrypt(&self, _: &str) -> Result<String, Diagnostic> {
        Ok(json!(HIDDEN).to_string())
    }
}
