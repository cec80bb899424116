//! The secrets of a stack encrypted with another key.

use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;
use serde_json::Value as Json;

use crate::backend::Backend;
use crate::backend::stack_name::StackName;
use crate::checkpoint::snapshot::{provider_text, read_provider};
use crate::clock::Clock;
use crate::journal::session::{Keys, crypter, rewrite};
use crate::machine::Machine;
use crate::store::objects::Condition;
use crate::{SecretsProviderState, Snapshot};

impl Backend {
    /// Encrypts the secrets of a stack's state with another key, and then those of the configuration in its history. The state has the old key or the
    /// new one, whatever fails. Copies of earlier states stay unchanged. `stage` is called before the state is written: nothing else has failed then,
    /// and the lock is held. Returns the diagnostics found on the way.
    pub fn change_secrets_provider(
        &self,
        stack: &StackName,
        new: &SecretsProviderState,
        keys: Keys<'_>,
        stage: &dyn Fn() -> Result<(), Diagnostic>,
        machine: &dyn Machine,
        clock: &dyn Clock,
    ) -> Result<Vec<Diagnostic>, Diagnostic> {
        self.require(stack)?;
        self.with_lock(stack, machine, clock, || {
            let (mut table, _, mut findings) = self.taken_over(stack, machine, clock)?;
            let file = self.show(stack);
            let old = table.secrets_provider.as_deref().map(|text| read_provider(text, &file)).transpose()?;
            let old = old.filter(|provider| !provider.kind.is_empty());
            let (read, write) = (crypter(old.as_ref(), keys)?, keys(new)?);
            let base = Snapshot::decode(&table.deployment(), read.as_ref(), &file)?;
            table.secrets_provider = Some(provider_text(new));
            table.reencode(&base, write.as_ref())?;
            stage()?;
            rewrite(self, stack, &mut table, clock)?;
            if let Err(mut left) = self.reencrypt_history(stack, &read, &write) {
                // The stack has its new key; only earlier configuration keeps the old one.
                left.severity = outrigger_diagnostic::Severity::Warning;
                findings.push(left.note("secret configuration of earlier updates may stay encrypted with the old key"));
            }
            Ok(findings)
        })
    }

    fn reencrypt_history(
        &self,
        stack: &StackName,
        read: &Arc<dyn Crypter>,
        write: &Arc<dyn Crypter>,
    ) -> Result<(), Diagnostic> {
        const READ: &str = "read the history";
        for path in self.paths_in(READ, &stack.history_directory())? {
            let object = if path.ends_with(".history.json") { self.get(READ, &path)? } else { None };
            let Some(mut entry) = object.and_then(|object| serde_json::from_slice::<Json>(&object.bytes).ok()) else {
                continue;
            };
            let before = entry.clone();
            // One that an older key encrypted stays as it is.
            each_secret(&mut entry["config"], &|ciphertext| write.encrypt(&read.decrypt(ciphertext).ok()?).ok());
            if entry != before {
                (self.objects.put(&path, entry.to_string().as_bytes(), Condition::Always))
                    .map_err(|error| self.failure("write the history", &path, &error))?;
            }
        }
        Ok(())
    }
}

/// Changes the ciphertexts in a configuration, which stand as `{"secure": CIPHERTEXT}`.
fn each_secret(value: &mut Json, change: &dyn Fn(&str) -> Option<String>) {
    match value {
        Json::Array(items) => items.iter_mut().for_each(|item| each_secret(item, change)),
        Json::Object(map) => match map.get_mut("secure") {
            Some(Json::String(ciphertext)) => {
                if let Some(changed) = change(ciphertext) {
                    *ciphertext = changed;
                }
            }
            _ => map.values_mut().for_each(|inner| each_secret(inner, change)),
        },
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outrigger_value::Value;
    use serde_json::json;

    use crate::testing::{FakeMachine, Mirror};
    use crate::world::{World, begin, info, provider, provider_resource, put, resource, stack};
    use crate::{Fault, Session, Unsynced, UpdateInfo};

    /// A key of its own for each salt.
    struct Salted(String);

    impl Crypter for Salted {
        fn encrypt(&self, plaintext: &str) -> Result<String, Diagnostic> {
            Mirror.encrypt(&format!("{}{plaintext}", self.0))
        }

        fn decrypt(&self, ciphertext: &str) -> Result<String, Diagnostic> {
            let opened = Mirror.decrypt(ciphertext)?;
            let plain = opened.strip_prefix(&self.0).map(str::to_owned);
            plain.ok_or_else(|| Diagnostic::error("ciphertext-refused", "another key"))
        }
    }

    fn salted(provider: &SecretsProviderState) -> Result<Arc<dyn Crypter>, Diagnostic> {
        // The world's own salt is the empty one.
        let salt = provider.state["salt"].as_str().unwrap_or_default();
        Ok(Arc::new(Salted(if salt == "s" { String::new() } else { format!("<{salt}>") })))
    }

    fn next() -> SecretsProviderState {
        SecretsProviderState { kind: "passphrase".into(), state: json!({"salt": "next"}) }
    }

    /// A stack with a secret, a creation that is under way, and a history with a secret.
    fn used(world: &World) {
        let opened = world.open();
        for record in [put(0, provider_resource()), put(1, resource("one", Some("one")))] {
            crate::world::append(&opened.session, record).unwrap();
        }
        let config = json!({"shop:a": {"secure": Mirror.encrypt("canary-a").unwrap()}, "shop:b": "open",
            "shop:c": [{"d": {"secure": Mirror.encrypt("canary-d").unwrap()}}]});
        opened.session.finish(UpdateInfo { config, ..info() }).unwrap();
        let opened = world.open_as(&FakeMachine::default()).unwrap();
        // The process dies in the middle of a creation.
        crate::world::append(&opened.session, begin(0, "two")).unwrap();
    }

    fn change(world: &World) -> Result<Vec<Diagnostic>, Diagnostic> {
        let (machine, clock) = (World::after_death(), world.clock.clone());
        world.backend().change_secrets_provider(&stack(), &next(), &salted, &|| Ok(()), &machine, clock.as_ref())
    }

    /// The provider of the state, all of whose secrets it opens.
    fn opened(world: &World, context: &str) -> SecretsProviderState {
        let base = Session::view(&world.backend(), &stack(), &salted)
            .unwrap_or_else(|error| panic!("{context}: {error:?}"))
            .base;
        assert_eq!(base.resources[1].inputs["password"], Value::secret("canary".into()), "{context}");
        assert_eq!(base.pending[0].resource.inputs["password"], Value::secret("canary".into()), "{context}");
        base.secrets_provider.unwrap()
    }

    #[test]
    fn state_journal_and_history_get_the_new_key() {
        World::each(|world| {
            used(&world);
            let found = change(&world).unwrap();
            assert_eq!(found[0].code, "journal-recovered", "{found:?}");
            assert_eq!(opened(&world, ""), next());
            let history = world.backend().history(&stack()).unwrap();
            let key = salted(&next()).unwrap();
            let open = |value: &Json| key.decrypt(value["secure"].as_str().unwrap()).unwrap();
            assert_eq!(open(&history[0]["config"]["shop:a"]), "canary-a");
            assert_eq!(open(&history[0]["config"]["shop:c"][0]["d"]), "canary-d");
            assert_eq!(history[0]["config"]["shop:b"], "open");
            world.no_clear_secret();
        });
    }

    #[test]
    fn whatever_fails_the_state_has_one_of_the_keys() {
        World::each(|world| {
            used(&world);
            let (mut before, mut after) = (0, 0);
            for unsynced in [Unsynced::Lost, Unsynced::Kept, Unsynced::Torn] {
                for fault in [Fault::Crash, Fault::LostPut, Fault::LostAnswer] {
                    for operation in 0..40 {
                        let world = world.copy();
                        let context = format!("{fault:?} {unsynced:?} {operation}");
                        world.disk.fail_at(operation, fault);
                        let changed = change(&world).is_ok();
                        world.disk.restart(unsynced);
                        let now = opened(&world, &context);
                        assert!(now == next() || (now == provider() && !changed), "{context}: {now:?}");
                        *(if now == next() { &mut after } else { &mut before }) += 1;
                    }
                }
            }
            assert!(before > 0 && after > 0, "{before} {after}");
        });
    }
}
