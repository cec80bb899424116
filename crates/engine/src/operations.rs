//! Running operations: opened before a call that can change the world, closed with its result.
//!
//! An operation is named by its own id and never by its resource: the old half and the new half of a replacement share a name
//! and run at the same time.

use outrigger_provider::RegisterError;
use outrigger_state::{OperationId, PendingOperation, Record};
use outrigger_value::Urn;
use tokio::sync::SemaphorePermit;

use crate::deployment::Deployment;

impl Deployment {
    /// Makes an intent durable.
    pub(crate) async fn begin_operation(&self, operation: PendingOperation) -> Result<OperationId, RegisterError> {
        let urn = operation.resource.urn.clone();
        let id = self.decide().table.new_operation();
        self.append(&urn, Record { begin: vec![(id, operation)], ..Record::default() }).await?;
        Ok(id)
    }

    /// Waits for a permit for an operation that has begun; if the user asks to stop meanwhile, the operation is closed.
    pub(crate) async fn permit_for(
        &self,
        urn: &Urn,
        operation: impl Into<Option<OperationId>>,
    ) -> Result<SemaphorePermit<'_>, RegisterError> {
        match self.permit().await {
            Ok(permit) => {
                self.calling(urn);
                Ok(permit)
            }
            Err(skipped) => {
                self.append(urn, ended(operation)).await?;
                Err(skipped)
            }
        }
    }
}

/// A record that closes an operation; the caller adds the result to it. An operation without a known result is not closed.
pub(crate) fn ended(operation: impl Into<Option<OperationId>>) -> Record {
    Record { end: operation.into().into_iter().collect(), ..Record::default() }
}
