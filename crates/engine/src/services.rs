//! Everything that the engine takes from outside, so that a simulator can replace it.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{Plugins, PropertyPlaces};
use outrigger_state::{Clock, Journal};
use outrigger_value::{PropertyMap, Urn};
use tokio_util::sync::CancellationToken;

use crate::{EventSink, PendingCreates};

/// Randomness.
pub trait Random: Send + Sync {
    /// Thirty-two random bytes.
    fn seed(&self) -> [u8; 32];

    /// A version 4 UUID.
    fn uuid(&self) -> String;

    /// The id that a new provider will have. The same answer in a preview and in the update after it lets both share one
    /// configured process, because the id is part of the configuration.
    fn provider_id(&self, _provider: &Urn) -> String {
        self.uuid()
    }
}

/// The outputs of other stacks, for stack references.
#[async_trait]
pub trait OtherStacks: Send + Sync {
    /// The outputs of a stack by its full or short name, secrets marked.
    async fn outputs(&self, name: &str) -> Result<PropertyMap, Diagnostic>;
}

/// Prepares everything that a program hands in, before a plugin sees it.
pub trait PrepareInputs: Send + Sync {
    /// Fills in the missing hashes of assets and archives; a front end may also learn here which values are secret.
    fn prepare(&self, properties: &mut PropertyMap) -> Result<(), Diagnostic>;
}

/// What the engine needs of the world.
#[derive(Clone)]
pub struct Services {
    /// Where plugins come from.
    pub plugins: Arc<dyn Plugins>,
    /// Where intents and results are made durable.
    pub journal: Arc<dyn Journal>,
    /// The time of day.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Random>,
    /// Other stacks.
    pub stacks: Arc<dyn OtherStacks>,
    /// Prepares what the program hands in.
    pub inputs: Arc<dyn PrepareInputs>,
    /// Where events go.
    pub events: Arc<dyn EventSink>,
    /// The user asked to stop: nothing new starts, what runs may finish.
    pub stop: CancellationToken,
    /// The user asked twice: calls under way are given up, and what is unknown is written down.
    pub abort: CancellationToken,
}

/// What the user asked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The project's name.
    pub project: String,
    /// The stack's name.
    pub stack: String,
    /// The organization's name; may be empty.
    pub organization: String,
    /// Change nothing.
    pub preview: bool,
    /// How many calls that change or read something may be under way at once, and how many beside them that only check and compare.
    pub parallel: usize,
    /// Only these resources; empty means all.
    pub targets: crate::Targets,
    /// A failure stops only what depends on it.
    pub continue_on_error: bool,
    /// Read everything before deciding.
    pub refresh: bool,
    /// The stack's configuration by namespace, each value as text, secrets marked: a package's is its default provider's.
    pub package_config: BTreeMap<String, PropertyMap>,
    /// Where the configuration of each namespace was given.
    pub package_places: BTreeMap<String, PropertyPlaces>,
    /// What to do with creations that an earlier run left unfinished.
    pub pending_creates: PendingCreates,
    /// An update whose program registers no resource fails instead of deleting every resource of the stack; a preview warns.
    pub keep_last: bool,
}
