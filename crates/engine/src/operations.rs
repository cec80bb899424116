//! Operations that are under way: opened before a call that can change the world, closed with its result.

use std::sync::PoisonError;

use outrigger_state::{OperationId, PendingOperation, Record};
use outrigger_value::Urn;

use crate::RegisterError;
use crate::deployment::Deployment;

impl Deployment {
    /// Makes an intent durable.
    pub(crate) async fn begin_operation(&self, operation: PendingOperation) -> Result<OperationId, RegisterError> {
        let urn = operation.resource.urn.clone();
        let id = self.decide().table.new_operation();
        self.append(&urn, Record { begin: vec![(id, operation)], ..Record::default() }).await?;
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(urn, id);
        Ok(id)
    }

    /// A record that closes a resource's operation; the caller adds the result to it.
    pub(crate) fn end_operation(&self, urn: &Urn) -> Record {
        Record { end: self.forget_operation(urn).into_iter().collect(), ..Record::default() }
    }

    /// Leaves an operation open for good: nobody knows how it ended.
    pub(crate) fn forget_operation(&self, urn: &Urn) -> Option<OperationId> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(urn)
    }
}
