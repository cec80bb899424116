//! The configuration of a stack, to read and to edit.

use std::collections::BTreeSet;
use std::sync::Arc;

use outrigger_diagnostic::{Diagnostic, Severity};
use outrigger_project::config::{
    ConfigKey, ConfigPath, GetOutput, Item, ListedValue, Survey, get, list, looks_like_secret,
};
use outrigger_project::stack_config::{NewValue, StackConfig};
use outrigger_secrets::{Crypter, Locked};
use outrigger_state::StackName;

use super::operation::GivenConfig;
use super::{Workspace, keys};
use crate::Error;

/// A stack's configuration.
pub struct Configuration {
    workspace: Workspace,
    stack: StackName,
    file: StackConfig,
}

/// How a new value is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrecy {
    /// Encrypted.
    Secret,
    /// In clear.
    Plain,
    /// In clear; a value that looks like a secret is refused.
    PlainUnlessSuspicious,
}

impl Workspace {
    /// The configuration of a stack, which must exist.
    pub fn configuration(self, named: Option<&str>) -> Result<Configuration, Error> {
        let stack = self.existing_stack(named)?;
        let file = self.stack_config(&stack)?;
        Ok(Configuration { workspace: self, stack, file })
    }
}

impl Configuration {
    /// A key as the user writes it: `name` or `namespace:name`, or a path into a structured value.
    pub fn path(&self, key: &str, structured: bool) -> Result<ConfigPath, Diagnostic> {
        ConfigPath::parse(key, &self.workspace.project.name, structured).map_err(|error| {
            Diagnostic::error("config-key", error.to_string())
                .hint("A key is `name` or `namespace:name`; with `--path` it may be `name.inner[0]`.")
        })
    }

    /// All values. Secret ones are empty unless `show_secrets` is set.
    pub fn list(&self, show_secrets: bool) -> Result<Vec<ListedValue>, Error> {
        let crypter = if show_secrets { self.reader()? } else { Arc::new(Locked) };
        Ok(list(&self.workspace.project, &self.file, show_secrets, crypter.as_ref())?)
    }

    /// One value, a secret one in clear.
    pub fn get(&self, path: &ConfigPath) -> Result<GetOutput, Error> {
        Ok(get(&self.workspace.project, &self.file, self.stack.stack(), path, self.reader()?.as_ref())?)
    }

    /// Sets values, all in one change of the file.
    pub fn set(&mut self, values: Vec<(ConfigPath, String, Secrecy)>) -> Result<(), Error> {
        let suspicious = |(path, value, secrecy): &&(ConfigPath, String, Secrecy)| {
            *secrecy == Secrecy::PlainUnlessSuspicious && looks_like_secret(&path.key, value)
        };
        if let Some((path, ..)) = values.iter().find(suspicious) {
            let shown = path.key.pretty(&self.workspace.project.name);
            let summary = format!("the value of `{shown}` looks like a secret");
            return Err(Diagnostic::error("config-looks-secret", summary)
                .detail("It would be stored in clear.")
                .hint("Pass `--secret` to encrypt it, or `--plaintext` to store it in clear anyway.")
                .into());
        }
        let any_secret = values.iter().any(|(_, _, secrecy)| *secrecy == Secrecy::Secret);
        let crypter = if any_secret { self.writer()? } else { Arc::new(Locked) };
        let mut file = self.file.clone();
        for (path, value, secrecy) in values {
            let value = match secrecy {
                Secrecy::Secret => NewValue::Secure(crypter.encrypt(&value)?),
                Secrecy::Plain | Secrecy::PlainUnlessSuspicious => NewValue::Plain(value),
            };
            file = self.parsed(&file.set(&path, value)?)?;
        }
        for warning in self.new_mismatches(&file) {
            self.workspace.environment.frontend.finding(&warning);
        }
        self.write(file)
    }

    /// Sets values in clear, as `pulumi up --config` does: a value that a path leads into loses its other parts.
    pub(super) fn give(&mut self, given: &GivenConfig) -> Result<(), Error> {
        let mut file = self.file.clone();
        let mut anew = BTreeSet::new();
        for (key, value) in &given.pairs {
            let path = self.path(key, given.paths)?;
            if !path.steps.is_empty() && anew.insert(path.key.clone()) {
                file = self.parsed(&file.remove(&ConfigPath { steps: Vec::new(), ..path.clone() })?)?;
            }
            file = self.parsed(&file.set(&path, NewValue::Plain(value.clone()))?)?;
        }
        self.write(file)
    }

    /// Copies a value, or all of them, into the configuration of another stack. Its key encrypts the secrets.
    pub fn copy_to(&self, other: &mut Self, path: Option<&ConfigPath>) -> Result<(), Error> {
        if self.stack == other.stack {
            let summary = format!("stack `{}` already has this configuration", self.stack);
            return Err(Diagnostic::error("config-copy-same", summary)
                .detail("The stack to copy from and the stack to copy to are the same.")
                .hint("Name the other stack with `--dest`, and the stack to copy from with `--stack`.")
                .into());
        }
        self.file.check_environment()?;
        let entries = self.file.entries();
        let copied: Vec<(ConfigPath, &Item)> = match path {
            Some(path) => {
                let item = entries.get(&path.key).and_then(|entry| entry.item.get(&path.steps));
                vec![(path.clone(), item.ok_or_else(|| self.missing(path))?)]
            }
            None => {
                let whole = |key: &ConfigKey| ConfigPath { key: key.clone(), steps: Vec::new() };
                entries.iter().map(|(key, entry)| (whole(key), &entry.item)).collect()
            }
        };
        let none: Arc<dyn Crypter> = Arc::new(Locked);
        let any_secret = copied.iter().any(|(_, item)| item.is_secret());
        let (reader, writer) = if any_secret { (self.reader()?, other.writer()?) } else { (none.clone(), none) };
        let anew = |ciphertext: &str| writer.encrypt(&reader.decrypt(ciphertext)?).map(Item::Secure);
        let mut file = other.file.clone();
        for (path, item) in copied {
            file = other.parsed(&file.put(&path, item.with_secrets(&anew)?)?)?;
        }
        if file.source() == other.file.source() { Ok(()) } else { other.write(file) }
    }

    fn missing(&self, path: &ConfigPath) -> Diagnostic {
        let file = self.file.file();
        Diagnostic::error("config-not-found", format!("`{file}` has no configuration value `{path}`"))
            .hint(format!("Run `outrigger config --stack {}` to list the values.", self.stack))
    }

    /// The workspace again.
    pub(super) fn into_workspace(self) -> Workspace {
        self.workspace
    }

    /// Values of another type than the project declares, which the next command would refuse. `pulumi` stores them, too.
    fn new_mismatches(&self, file: &StackConfig) -> Vec<Diagnostic> {
        let of = |file: &StackConfig| Survey::of_stack(&self.workspace.project, file, self.stack.stack()).findings;
        let known: Vec<String> = of(&self.file).iter().map(|finding| finding.summary.clone()).collect();
        let mut new = of(file);
        new.retain(|finding| finding.code == "config-type" && !known.contains(&finding.summary));
        new.iter_mut().for_each(|finding| finding.severity = Severity::Warning);
        new
    }

    /// Removes values, all in one change of the file. A missing key is no error, and leaves the file untouched.
    pub fn remove(&mut self, paths: &[ConfigPath]) -> Result<(), Error> {
        let mut file = self.file.clone();
        for path in paths {
            file = self.parsed(&file.remove(path)?)?;
        }
        if file.source() == self.file.source() { Ok(()) } else { self.write(file) }
    }

    fn parsed(&self, text: &str) -> Result<StackConfig, Error> {
        Ok(StackConfig::parse(self.file.file(), Some(text.as_bytes()), &self.workspace.project.name)?)
    }

    fn write(&mut self, file: StackConfig) -> Result<(), Error> {
        self.workspace.write_stack_config(&self.stack, file.source())?;
        self.file = file;
        Ok(())
    }

    /// The key for the file's secrets. Without any, no passphrase is asked for.
    fn reader(&self) -> Result<Arc<dyn Crypter>, Error> {
        if !self.file.has_secrets() {
            return Ok(Arc::new(Locked));
        }
        let keys = self.workspace.keys()?;
        Ok(match keys::stack_provider(&self.file)? {
            Some(provider) => keys(&provider)?,
            None => Arc::new(Locked),
        })
    }

    /// The key for new secrets. A file without a salt gets one.
    fn writer(&mut self) -> Result<Arc<dyn Crypter>, Error> {
        let provider = self.workspace.secrets_provider(&self.stack, &self.file)?;
        let keyring = self.workspace.keyring(provider.as_ref())?;
        let provider = match provider {
            Some(provider) => provider,
            None => keys::create(&keyring)?,
        };
        if keys::stack_provider(&self.file)?.is_none() {
            self.workspace.salt(&self.stack, &mut self.file, &provider)?;
        }
        Ok(keys::keys(&keyring)(&provider)?)
    }
}
