//! The services that the engine needs: randomness, asset hashes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use outrigger_diagnostic::Diagnostic;
use outrigger_engine::{Event, EventSink, PrepareInputs, Random};
use outrigger_provider::{LogLevel, LogSink};
use outrigger_pulumi::{hash_assets, lacks_hashes};
use outrigger_value::{PropertyMap, Urn};

use crate::redaction::Redaction;

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
            // Names stay unique anyway: version 4 UUIDs have their own source.
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

/// All values of the program pass through here: assets get their hashes, and secrets are added to the redaction before a plugin can quote them.
pub(crate) struct Inputs {
    /// The program's directory, where relative paths start.
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

/// Passes the plugins' log messages on to the current run.
#[derive(Default)]
pub struct Relay {
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    current: Option<Arc<dyn EventSink>>,
    /// Messages from before the first run: plugins start earlier.
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
