//! Another passphrase for a stack.
//!
//! The secrets of a stack are in its state and in its file, and the two cannot be replaced at the same time. So the new file is first written beside
//! the old one, then the state is replaced, then the file. Whatever ends the command in between, the salt of the state shows which of the two files
//! belongs to it, and the next command that reads the file puts the right one in place, without a passphrase.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::{Keyring, Phrase};
use outrigger_state::{SecretsProviderState, StackName};

use super::open::replace_file;
use super::stack::read_stack_config;
use super::{Passphrase, Workspace, keys};
use crate::{Error, OwnedKeys};

impl Workspace {
    /// Encrypts the secrets of a stack with another passphrase: those of its state, its history and its file. `choose` is called once the old
    /// passphrase has proved right. Returns the diagnostics found on the way.
    pub fn change_passphrase(
        &self,
        stack: &StackName,
        choose: impl FnOnce() -> Result<Phrase, Diagnostic>,
    ) -> Result<Vec<Diagnostic>, Error> {
        let config = self.stack_config(stack)?;
        let in_state = self.store.backend.secrets_provider(stack)?;
        let in_file = keys::stack_provider(&config)?;
        let old = keys::keys(&keys::keyring(&self.environment, Passphrase::Existing)?);
        // A wrong passphrase is refused even where there is no secret yet.
        for provider in in_file.iter().chain(&in_state) {
            old(provider)?.encrypt("")?;
        }
        let keyring = Arc::new(Keyring::new(Some(choose()?)));
        let new = keys::create(&keyring)?;
        let write = keys::keys(&keyring)(&new)?;
        let text = match &in_file {
            Some(provider) => {
                let read = old(provider)?;
                config.reencrypted(keys::salt(&new), &|ciphertext| write.encrypt(&read.decrypt(ciphertext)?))?
            }
            None => config.set_encryption_salt(keys::salt(&new))?,
        };
        let next = self.next_file(stack);
        let stage = || replace_file(&next, &text).map_err(|error| self.unwritable(stack, &error));
        let both: OwnedKeys = {
            let new = new.clone();
            Arc::new(
                move |provider: &SecretsProviderState| {
                    if *provider == new { Ok(Arc::clone(&write)) } else { old(provider) }
                },
            )
        };
        let store = &self.store;
        let (backend, machine, clock) = (&store.backend, &store.machine, store.clock.as_ref());
        let changed = backend.change_secrets_provider(stack, &new, &*both, &stage, machine, clock);
        // A write may have been done although it returned an error: the state now decides.
        self.settle_file(stack)?;
        if changed.is_err() && backend.secrets_provider(stack).is_ok_and(|now| now != Some(new)) {
            // The next change would replace it; until then it has no effect.
            let _ = fs::remove_file(&next);
        }
        Ok(changed?)
    }

    /// Puts the new file of a change of the passphrase in place if the state has the new key already.
    pub(super) fn settle_file(&self, stack: &StackName) -> Result<(), Error> {
        let next = self.next_file(stack);
        if !next.exists() {
            return Ok(());
        }
        let waiting = keys::stack_provider(&read_stack_config(&self.project, &next)?)?;
        let in_state = self.store.backend.secrets_provider(stack).ok().flatten();
        if waiting.is_none() || waiting != in_state {
            return Ok(());
        }
        let path = self.linked_file(stack);
        let kept = fs::metadata(&path).map_or(Ok(()), |before| fs::set_permissions(&next, before.permissions()));
        match kept.and_then(|()| fs::rename(&next, path)) {
            // Another command has done it meanwhile.
            Err(error) if next.exists() => Err(self.unwritable(stack, &error).into()),
            _ => Ok(()),
        }
    }

    /// The stack's file itself where there is a link to it.
    fn linked_file(&self, stack: &StackName) -> PathBuf {
        let path = self.stack_file(stack);
        path.canonicalize().unwrap_or(path)
    }

    fn next_file(&self, stack: &StackName) -> PathBuf {
        let mut path = self.linked_file(stack).into_os_string();
        path.push(".next");
        path.into()
    }
}
