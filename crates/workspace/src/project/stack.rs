//! The stacks of a project: selecting one, its file and its keys; creating, renaming and removing one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_project::Project;
use outrigger_project::stack_config::StackConfig;
use outrigger_secrets::{Crypter, Keyring, Locked};
use outrigger_state::{
    Life, LockHolder, Outline, Resource, SecretsProviderState, StackName, cancel, fold_gone, holders,
};
use outrigger_value::Urn;

use super::open::{home, replace_file};
use super::{Environment, Passphrase, Workspace, keys};
use crate::json::Secrets;
use crate::{Error, ErrorKind, OwnedKeys};

/// How a stack is removed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Removal {
    /// Even if it has resources; they stay where they are.
    pub force: bool,
    /// Keep the stack's file.
    pub preserve_config: bool,
    /// Remove the copies of its earlier states, too.
    pub remove_backups: bool,
}

impl Workspace {
    /// The stack to work on: the named one, PULUMI_STACK's, or the selected one.
    pub fn stack(&self, named: Option<&str>) -> Result<StackName, Error> {
        chosen(&self.project, named, &self.environment)?.ok_or_else(|| {
            let diagnostic = Diagnostic::error("stack-not-selected", "no stack is selected")
                .detail("Neither `--stack` nor PULUMI_STACK names one, and none was selected for this project before.")
                .hint("Create one with `outrigger stack init NAME`, or choose one with `outrigger stack select NAME`.");
            Error::new(ErrorKind::NoStack, diagnostic)
        })
    }

    /// A stack that must exist.
    pub fn existing_stack(&self, named: Option<&str>) -> Result<StackName, Error> {
        let stack = self.stack(named)?;
        self.require(&stack)?;
        Ok(stack)
    }

    /// Fails unless a stack exists.
    fn require(&self, stack: &StackName) -> Result<(), Error> {
        if !self.store.backend.exists(stack)? {
            // This error for a missing stack lists the existing ones.
            let asked = self.store.backend.secrets_provider(stack);
            asked.map_err(|missing| Error::new(ErrorKind::StackMissing, missing))?;
        }
        Ok(())
    }

    /// The stack that is selected for this project.
    pub fn selected(&self) -> Result<Option<StackName>, Diagnostic> {
        self.store.home.selected_stack(&self.project.name, &self.project.path.to_string_lossy())
    }

    /// Selects a stack for this project, or none.
    pub fn select(&self, stack: Option<&StackName>) -> Result<(), Diagnostic> {
        self.store.home.select_stack(&self.project.name, &self.project.path.to_string_lossy(), stack)
    }

    /// Creates a stack, with a salt in its file, as Pulumi does. A stack whose file cannot be written is removed again.
    pub fn create_stack(&self, stack: &StackName) -> Result<(), Error> {
        let config = self.stack_config(stack)?;
        // The passphrase is chosen here, unless the file has a salt already. Nothing is created before it is known.
        let found = keys::stack_provider(&config)?;
        let keyring = self.keyring(found.as_ref())?;
        let (provider, salted) = match found {
            // The file may come from version control, with secrets in it.
            Some(provider) => (provider, None),
            None => {
                let provider = keys::create(&keyring)?;
                let text = config.set_encryption_salt(keys::salt(&provider))?;
                (provider, Some(text))
            }
        };
        let store = &self.store;
        store.backend.create_stack(stack, Some(&provider), &store.machine, store.clock.as_ref())?;
        let written = salted.map_or(Ok(()), |text| self.write_stack_config(stack, &text));
        if written.is_err() {
            // The error of the file is the one to show; the stack is empty.
            let _ = store.backend.remove_stack(stack, false, &store.machine, store.clock.as_ref());
        }
        Ok(written?)
    }

    /// Renames a stack, its file and its selection.
    pub fn rename_stack(&self, old: &StackName, new: &StackName) -> Result<(), Error> {
        self.require(old)?;
        let store = &self.store;
        store.backend.rename_stack(old, new, &store.machine, store.clock.as_ref())?;
        let (from, to) = (self.project.stack_file(old.stack()), self.project.stack_file(new.stack()));
        if self.owns(old) && from.exists() {
            fs::rename(&from, &to).map_err(|error| {
                Diagnostic::error(
                    "stack-config-write",
                    format!("`{}` cannot be renamed to `{}`", self.shown(&from), self.shown(&to)),
                )
                .detail(error.to_string())
                .hint("The stack itself was renamed; rename its file by hand.")
            })?;
        }
        if self.selected()?.as_ref() == Some(old) {
            self.select(Some(new))?;
        }
        Ok(())
    }

    /// Removes a stack, its file, and its selection.
    pub fn remove_stack(&self, stack: &StackName, removal: Removal) -> Result<(), Error> {
        self.require(stack)?;
        let store = &self.store;
        store.backend.remove_stack(stack, removal.force, &store.machine, store.clock.as_ref())?;
        if removal.remove_backups {
            store.backend.remove_backups(stack)?;
        }
        if self.owns(stack) && !removal.preserve_config {
            let path = self.project.stack_file(stack.stack());
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    let summary = format!("`{}` cannot be removed", self.shown(&path));
                    return Err(Diagnostic::error("stack-config-remove", summary)
                        .detail(error.to_string())
                        .hint("The stack itself was removed; remove the file by hand.")
                        .into());
                }
                _ => {}
            }
        }
        if self.selected()?.as_ref() == Some(stack) {
            self.select(None)?;
        }
        Ok(())
    }

    /// The resources that a stack's state holds, and the stack's outputs. No passphrase is needed while secrets stay hidden.
    pub fn outline(&self, stack: &StackName, secrets: Secrets) -> Result<Outline, Error> {
        self.require(stack)?;
        Ok(self.store.backend.outline(stack, &*self.viewing(secrets)?)?)
    }

    /// One resource of a stack's state, with its properties.
    pub fn resource(&self, stack: &StackName, urn: &Urn, secrets: Secrets) -> Result<Option<Resource>, Error> {
        Ok(self.store.backend.resource(stack, urn, &*self.viewing(secrets)?)?)
    }

    fn viewing(&self, secrets: Secrets) -> Result<OwnedKeys, Error> {
        match secrets {
            Secrets::Hidden => Ok(Arc::new(keys::veiled)),
            Secrets::Shown => self.keys(),
        }
    }

    /// The keys of the state's secrets. The frontend may be asked for the passphrase.
    pub fn keys(&self) -> Result<OwnedKeys, Error> {
        Ok(keys::keys(&keys::keyring(&self.environment, Passphrase::Existing)?))
    }

    /// The stack's file; one that does not exist is empty.
    pub(super) fn stack_config(&self, stack: &StackName) -> Result<StackConfig, Error> {
        self.settle_file(stack)?;
        let config = read_stack_config(&self.project, &self.stack_file(stack))?;
        for warning in config.warnings() {
            self.environment.frontend.finding(warning);
        }
        Ok(config)
    }

    /// The key for the secrets of a stack's configuration, now and in its history. The frontend may be asked for the passphrase.
    pub fn config_key(&self, stack: &StackName) -> Result<Arc<dyn Crypter>, Error> {
        match self.secrets_provider(stack, &self.stack_config(stack)?)? {
            Some(provider) => Ok(self.keys()?(&provider)?),
            None => Ok(Arc::new(Locked)),
        }
    }

    /// Where the configuration of a stack is.
    pub(super) fn stack_file(&self, stack: &StackName) -> PathBuf {
        self.config_file.clone().unwrap_or_else(|| self.project.stack_file(stack.stack()))
    }

    /// Writes a new text into the stack's file atomically: a reader sees the old text or the new one.
    pub(super) fn write_stack_config(&self, stack: &StackName, text: &str) -> Result<(), Diagnostic> {
        let path = self.stack_file(stack);
        replace_file(&path, text).map_err(|error| self.unwritable(stack, &error))
    }

    pub(super) fn unwritable(&self, stack: &StackName, error: &io::Error) -> Diagnostic {
        let path = self.stack_file(stack);
        Diagnostic::error("stack-config-write", format!("`{}` cannot be written", self.shown(&path)))
            .detail(error.to_string())
            .hint("Check that the directory is writable and has free space.")
    }

    /// The holders of a stack's lock, and whether they are alive.
    pub fn lock_holders(&self, stack: &StackName) -> Result<Vec<(LockHolder, Life)>, Error> {
        let store = &self.store;
        let found = holders(&store.backend, stack)?;
        let with_life = |holder: LockHolder| {
            let life = holder.life(&store.machine);
            (holder, life)
        };
        Ok(found.into_iter().map(with_life).collect())
    }

    /// Removes the lock of a stack, even if an update is running. The journal of a killed run is folded into the state first, so that the next
    /// command finds its results there. Returns the diagnostics found on the way, and the holders of the removed locks.
    pub fn cancel(&self, stack: &StackName) -> Result<(Vec<Diagnostic>, Vec<LockHolder>), Error> {
        let store = &self.store;
        let findings = fold_gone(&store.backend, stack, store.clock.as_ref(), &store.machine)?;
        Ok((findings, cancel(&store.backend, stack)?))
    }

    /// The keys for secrets that are encrypted in this way; without a provider, a new passphrase has to be chosen.
    pub(super) fn keyring(&self, provider: Option<&SecretsProviderState>) -> Result<Arc<Keyring>, Diagnostic> {
        let which = if provider.is_some() { Passphrase::Existing } else { Passphrase::New };
        keys::keyring(&self.environment, which)
    }

    /// How the secrets of a stack are encrypted, by its file or else by its state.
    pub(super) fn secrets_provider(
        &self,
        stack: &StackName,
        config: &StackConfig,
    ) -> Result<Option<SecretsProviderState>, Diagnostic> {
        match keys::stack_provider(config)? {
            None => self.store.backend.secrets_provider(stack),
            provider => Ok(provider),
        }
    }

    /// Writes the salt of a provider into the stack's file.
    pub(super) fn salt(
        &self,
        stack: &StackName,
        config: &mut StackConfig,
        provider: &SecretsProviderState,
    ) -> Result<(), Error> {
        self.write_stack_config(stack, &config.set_encryption_salt(keys::salt(provider))?)?;
        *config = self.stack_config(stack)?;
        Ok(())
    }

    /// Whether a stack belongs to this project, so that the project has its file.
    fn owns(&self, stack: &StackName) -> bool {
        stack.project() == self.project.name
    }

    /// A path as the user would write it: relative to the project.
    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(self.project.directory()).unwrap_or(path).display().to_string()
    }
}

/// The stack to work on: the named one, PULUMI_STACK's, or the selected one. It need not exist yet.
pub(super) fn chosen(
    project: &Project,
    named: Option<&str>,
    environment: &Environment,
) -> Result<Option<StackName>, Diagnostic> {
    match named.map(str::to_owned).or_else(|| environment.text("PULUMI_STACK")) {
        Some(name) => StackName::parse(&name, Some(&project.name)).map(Some),
        None => home(environment)?.selected_stack(&project.name, &project.path.to_string_lossy()),
    }
}

/// Reads a stack's file; one that does not exist is empty.
pub(super) fn read_stack_config(project: &Project, path: &Path) -> Result<StackConfig, Vec<Diagnostic>> {
    let shown = path.strip_prefix(project.directory()).unwrap_or(path).display().to_string();
    let bytes = match fs::read(path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            return Err(vec![
                Diagnostic::error("stack-config-unreadable", format!("`{shown}` cannot be read"))
                    .detail(error.to_string())
                    .hint("Check that the file is readable."),
            ]);
        }
    };
    StackConfig::parse(&shown, bytes.as_deref(), &project.name)
}
