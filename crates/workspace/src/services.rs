//! The services that the engine needs: randomness, other stacks, asset hashes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_engine::{Event, EventSink, OtherStacks, PrepareInputs, Random};
use outrigger_provider::{LogLevel, LogSink};
use outrigger_pulumi::{hash_assets, lacks_hashes};
use outrigger_state::{Backend, StackName};
use outrigger_value::{PropertyMap, Urn};

use crate::OwnedKeys;
use crate::redaction::Redaction;
use crate::run::blocking;

/// The operating system's randomness.
#[derive(Default)]
pub struct SystemRandom {
    /// The ids planned for new providers.
    planned: Mutex<HashMap<Urn, String>>,
}

impl Random for SystemRandom {
    fn seed(&self) -> [u8; 32] {
        let mut seed = [0; 32];
        if getrandom::fill(&mut seed).is_err() {
            // Names stay unique all the same: the version 4 UUIDs have a source of their own.
            for (place, byte) in seed.iter_mut().zip(uuid::Uuid::new_v4().into_bytes()) {
                *place = byte;
            }
        }
        seed
    }

    fn uuid(&self) -> String {
        uuid::Uuid::new_v4().to_string()
    }

    fn provider_id(&self, provider: &Urn) -> String {
        let mut planned = self.planned.lock().unwrap_or_else(PoisonError::into_inner);
        planned.entry(provider.clone()).or_insert_with(|| self.uuid()).clone()
    }
}

/// Reads the outputs of other stacks of the same backend.
pub(crate) struct Neighbours {
    /// The backend.
    pub backend: Backend,
    /// The project whose name a short stack name means.
    pub project: String,
    /// The keys; each stack has its own salt.
    pub keys: OwnedKeys,
    /// Learns their secrets.
    pub redaction: Arc<Redaction>,
}

#[async_trait]
impl OtherStacks for Neighbours {
    async fn outputs(&self, name: &str) -> Result<PropertyMap, Diagnostic> {
        let stack = StackName::parse(name, Some(&self.project))?;
        let (backend, keys) = (self.backend.clone(), Arc::clone(&self.keys));
        // Reading and deriving a key take their time.
        let outputs = blocking(move || backend.outline(&stack, &*keys)).await?.outputs;
        self.redaction.learn_properties(&outputs);
        Ok(outputs)
    }
}

/// Everything that a program hands in passes here: assets get their hashes, and secrets become known to the redaction
/// before a plugin can quote them.
pub(crate) struct Inputs {
    /// The program's directory, which relative paths begin at.
    pub directory: PathBuf,
    /// Learns secrets.
    pub redaction: Arc<Redaction>,
}

impl PrepareInputs for Inputs {
    fn prepare(&self, properties: &mut PropertyMap) -> Result<(), Diagnostic> {
        self.redaction.learn_properties(properties);
        if lacks_hashes(properties) { hash_assets(properties, &self.directory) } else { Ok(()) }
    }
}

/// Passes what plugins say on to the present run.
#[derive(Default)]
pub struct Relay {
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    current: Option<Arc<dyn EventSink>>,
    /// What plugins said before the first run: they start earlier.
    before: Vec<Event>,
}

/// How much is kept for the first run.
const BEFORE: usize = 1000;

impl Relay {
    /// From now on to this sink.
    pub(crate) fn follow(&self, events: Arc<dyn EventSink>) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.before.drain(..).for_each(|event| events.emit(event));
        heard.current = Some(events);
    }
}

impl LogSink for Relay {
    fn log(&self, level: LogLevel, urn: Option<&Urn>, message: &str, ephemeral: bool) {
        let event = Event::Log { level, urn: urn.cloned(), message: message.to_owned(), ephemeral };
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        match heard.current.clone() {
            Some(events) => {
                drop(heard);
                events.emit(event);
            }
            None if heard.before.len() < BEFORE => heard.before.push(event),
            None => {}
        }
    }
}
