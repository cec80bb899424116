//! Other stacks, whose outputs a program may read.

use std::sync::Arc;

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_engine::OtherStacks;
use outrigger_state::{Backend, StackName};
use outrigger_value::PropertyMap;

use crate::OwnedKeys;
use crate::redaction::Redaction;
use crate::run::blocking;

/// Reads the outputs of other stacks of the same backend.
pub(super) struct Neighbours {
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
