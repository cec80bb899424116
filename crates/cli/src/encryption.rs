//! The passphrase, and the keys that are made from it. No key is derived before a secret is touched.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};

use outrigger_diagnostic::Diagnostic;
use outrigger_project::stack_config::StackConfig;
use outrigger_secrets::{Crypter, Locked, PASSPHRASE_KIND, Passphrase, Phrase, manager, unsupported};
use outrigger_state::SecretsProviderState;
use serde_json::json;

use crate::environment::Environment;
use crate::terminal::Terminal;

/// The user's passphrase and the managers made with it, one for each salt, so that a key is derived once.
pub(crate) struct Keyring {
    phrase: Option<Phrase>,
    managers: Mutex<BTreeMap<String, Passphrase>>,
}

impl Keyring {
    /// Takes the passphrase from the environment; on a terminal it is asked for if it is not there and `wanted`.
    pub(crate) fn new(environment: &Environment, terminal: Terminal, wanted: bool) -> Result<Self, Diagnostic> {
        let phrase = match from_environment(environment)? {
            Some(phrase) => Some(phrase),
            None if wanted && terminal.is_interactive() => {
                Some(terminal.secret("Passphrase of the stack (PULUMI_CONFIG_PASSPHRASE is not set): ")?)
            }
            None => None,
        };
        Ok(Self { phrase, managers: Mutex::default() })
    }

    /// Whether there is a passphrase.
    pub(crate) fn has_phrase(&self) -> bool {
        self.phrase.is_some()
    }

    /// The crypter of a secrets provider as a state or a stack's file names it.
    pub(crate) fn crypter(&self, provider: &SecretsProviderState) -> Result<Arc<dyn Crypter>, Diagnostic> {
        match self.passphrase(provider)? {
            Some(passphrase) => Ok(Arc::new(passphrase)),
            // Says what is missing or not supported.
            None => manager(&provider.kind, &provider.state, None),
        }
    }

    /// Begins to derive a provider's key on another thread.
    pub(crate) fn prefetch(&self, provider: &SecretsProviderState) {
        if let Ok(Some(passphrase)) = self.passphrase(provider) {
            passphrase.prefetch();
        }
    }

    /// A new salt for the passphrase; derives the key.
    pub(crate) fn create(&self) -> Result<SecretsProviderState, Diagnostic> {
        let Some(phrase) = &self.phrase else { return Err(missing()) };
        let passphrase = Passphrase::create(phrase.clone())?;
        let salt = passphrase.salt_string().to_owned();
        let provider = provider(&salt);
        self.managers.lock().unwrap_or_else(PoisonError::into_inner).insert(salt, passphrase);
        Ok(provider)
    }

    fn passphrase(&self, provider: &SecretsProviderState) -> Result<Option<Passphrase>, Diagnostic> {
        let salt = provider.state.get("salt").and_then(serde_json::Value::as_str);
        let (Some(phrase), Some(salt), PASSPHRASE_KIND) = (&self.phrase, salt, provider.kind.as_str()) else {
            return Ok(None);
        };
        let mut managers = self.managers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = managers.get(salt) {
            return Ok(Some(known.clone()));
        }
        let passphrase = Passphrase::new(phrase.clone(), salt)?;
        managers.insert(salt.to_owned(), passphrase.clone());
        Ok(Some(passphrase))
    }
}

/// How a stack's file says that its secrets are encrypted; `None` if it does not say.
pub(crate) fn stack_provider(config: &StackConfig) -> Result<Option<SecretsProviderState>, Diagnostic> {
    match config.secrets_provider() {
        None | Some(PASSPHRASE_KIND | "default") => Ok(config.encryption_salt().map(provider)),
        Some(other) => Err(unsupported(other)),
    }
}

/// The salt of a provider.
pub(crate) fn salt(provider: &SecretsProviderState) -> Option<&str> {
    provider.state.get("salt").and_then(serde_json::Value::as_str)
}

/// What commands get that never touch a secret.
pub(crate) fn locked() -> Arc<dyn Crypter> {
    Arc::new(Locked)
}

/// What to set when there is no passphrase.
pub(crate) fn missing() -> Diagnostic {
    // The same words as when a secret is touched without one.
    Locked.encrypt("").err().unwrap_or_else(|| Diagnostic::error("passphrase-missing", "a passphrase is needed"))
}

fn provider(salt: &str) -> SecretsProviderState {
    SecretsProviderState { kind: PASSPHRASE_KIND.to_owned(), state: json!({"salt": salt}) }
}

fn from_environment(environment: &Environment) -> Result<Option<Phrase>, Diagnostic> {
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
