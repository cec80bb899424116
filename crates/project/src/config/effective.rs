//! The configuration of one run, decrypted.

use std::collections::BTreeMap;
use std::fmt;

use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;
use outrigger_value::{PropertyMap, Value};

use super::json;
use super::{ConfigKey, Item, infer};

/// The text of a configuration value for programs and plugins: text as it is, everything else as JSON.
#[derive(Clone, PartialEq, Eq)]
pub struct ConfigText {
    /// The text; the plaintext if it is secret.
    pub text: String,
    /// Whether anything in it is secret.
    pub secret: bool,
    /// Whether the text is the JSON of a list or map.
    pub object: bool,
}

/// Hides the text of a secret.
impl fmt::Debug for ConfigText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.secret { f.write_str("[secret]") } else { fmt::Debug::fmt(&self.text, f) }
    }
}

/// Every configuration value of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    entries: BTreeMap<ConfigKey, ConfigText>,
}

impl Config {
    /// Decrypts all values. Without secrets the crypter is not used: deriving its key takes time, and the user should not be asked for a
    /// passphrase that is not needed.
    pub fn decrypt(items: &BTreeMap<ConfigKey, Item>, crypter: &dyn Crypter) -> Result<Self, Diagnostic> {
        let mut entries = BTreeMap::new();
        for (key, item) in items {
            let plain = decrypt(item, crypter)
                .map_err(|problem| problem.note(format!("while decrypting the configuration value `{key}`")))?;
            entries.insert(key.clone(), plain);
        }
        Ok(Self { entries })
    }

    /// Values without encryption.
    pub(crate) fn open(items: &BTreeMap<ConfigKey, Item>) -> Self {
        let text = |item: &Item| match item {
            Item::String(text) => text.clone(),
            other => json::compact(other),
        };
        let entry = |item: &Item| ConfigText { text: text(item), secret: false, object: item.is_object() };
        Self { entries: items.iter().map(|(key, item)| (key.clone(), entry(item))).collect() }
    }

    /// All values.
    pub fn entries(&self) -> &BTreeMap<ConfigKey, ConfigText> {
        &self.entries
    }

    /// One value.
    pub fn get(&self, key: &ConfigKey) -> Option<&ConfigText> {
        self.entries.get(key)
    }

    /// The values of a YAML program by `namespace:name`, inferred from the texts; secrets are marked.
    pub fn values(&self) -> PropertyMap {
        let value = |entry: &ConfigText| {
            let value = infer(&entry.text);
            if entry.secret { Value::secret(value) } else { value }
        };
        self.entries.iter().map(|(key, entry)| (key.to_string(), value(entry))).collect()
    }

    /// The inputs of a package's default provider: the texts of its namespace; secrets are marked.
    pub fn package(&self, package: &str) -> PropertyMap {
        let value = |entry: &ConfigText| {
            let value = Value::String(entry.text.clone());
            if entry.secret { Value::secret(value) } else { value }
        };
        self.namespace(package).map(|(name, entry)| (name.to_owned(), value(entry))).collect()
    }

    /// The `PULUMI_CONFIG` of a package's plugin: its namespace as a JSON object of texts, secrets in clear.
    pub fn plugin_environment(&self, package: &str) -> String {
        let texts = self.namespace(package).map(|(name, entry)| (name.to_owned(), Item::String(entry.text.clone())));
        json::compact(&Item::Map(texts.collect()))
    }

    /// The `PULUMI_CONFIG` of a program's compiler: all values as a JSON object of texts, secrets in clear.
    pub fn compiler_environment(&self) -> String {
        let texts = self.entries.iter().map(|(key, entry)| (key.to_string(), Item::String(entry.text.clone())));
        json::compact(&Item::Map(texts.collect()))
    }

    /// The texts of all secret values, for removing them from output.
    pub fn secret_texts(&self) -> impl Iterator<Item = &str> {
        self.entries.values().filter(|entry| entry.secret).map(|entry| entry.text.as_str())
    }

    fn namespace<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = (&'a str, &'a ConfigText)> {
        self.entries
            .iter()
            .filter(move |(key, _)| key.namespace == namespace)
            .map(|(key, entry)| (key.name.as_str(), entry))
    }
}

/// Decrypts one value.
pub(crate) fn decrypt(item: &Item, crypter: &dyn Crypter) -> Result<ConfigText, Diagnostic> {
    let (secret, object) = (item.is_secret(), item.is_object());
    let text = match item {
        Item::String(text) => text.clone(),
        Item::Secure(ciphertext) => crypter.decrypt(ciphertext)?,
        other if secret => json::compact(&plain(other, &|ciphertext| crypter.decrypt(ciphertext))?),
        other => json::compact(other),
    };
    Ok(ConfigText { text, secret, object })
}

/// The value with every ciphertext replaced by the result of `open`.
pub(crate) fn plain(item: &Item, open: &dyn Fn(&str) -> Result<String, Diagnostic>) -> Result<Item, Diagnostic> {
    item.with_secrets(&|ciphertext| open(ciphertext).map(Item::String))
}
