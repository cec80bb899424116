//! Everything that the engine needs from outside, so that a simulator can replace it.

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

    /// The id that a new provider will have. If a preview and the update after it get the same id, they can share one configured process,
    /// because the id is part of the configuration.
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

/// Prepares the properties that a program passes in, before a plugin sees them.
pub trait PrepareInputs: Send + Sync {
    /// Fills in the missing hashes of assets and archives; a front end may also learn here which values are secret.
    fn prepare(&self, properties: &mut PropertyMap) -> Result<(), Diagnostic>;
}

/// The services that the engine needs.
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
    /// Prepares the properties that the program passes in.
    pub inputs: Arc<dyn PrepareInputs>,
    /// Where events go.
    pub events: Arc<dyn EventSink>,
    /// Cancelled when the user asks to stop: nothing new starts, running calls may finish.
    pub stop: CancellationToken,
    /// Cancelled when the user asks twice: running calls are abandoned, and operations without a result are recorded as pending.
    pub abort: CancellationToken,
}

/// The options of a run.
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
    /// How many calls that change or read something may run at once; as many again may check and compare.
    pub parallel: usize,
    /// Only these resources; empty means all.
    pub targets: crate::Targets,
    /// A failure stops only what depends on it.
    pub continue_on_error: bool,
    /// Read everything before deciding.
    pub refresh: bool,
    /// The stack's configuration by namespace, each value as text, secrets marked; a package's namespace configures its default provider.
    pub package_config: BTreeMap<String, PropertyMap>,
    /// Where the configuration of each namespace was given.
    pub package_places: BTreeMap<String, PropertyPlaces>,
    /// How to treat creations that an earlier run left unfinished.
    pub pending_creates: PendingCreates,
    /// An update whose program registers no resource fails instead of deleting every resource of the stack; a preview warns.
    pub keep_last: bool,
}
