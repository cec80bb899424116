//! A configured provider with the host's deadlines. Create, update, delete and read have none but the user's timeout.

use std::sync::Arc;

use async_trait::async_trait;
use outrigger_provider::{
    ApplyRequest, CallContext, CallError, CallRequest, CallResponse, CheckRequest, Checked, ConstructResponse, Goal,
    ImportRequest, Imported, Invoke, Invoked, Monitor, Outcome, PlanRequest, Planned, Provider, ReadRequest,
    ReadResult, ResourceIdentity, Ticket,
};
use outrigger_transport::Deadlines;

use crate::lease::{Lease, within};

/// The provider passed to the engine.
pub(crate) struct LimitedProvider {
    provider: Arc<dyn Provider>,
    deadlines: Deadlines,
    /// Keeps the plugin leased while the provider is in use, even if the engine has dropped the plugin.
    _lease: Option<Arc<Lease>>,
}

impl LimitedProvider {
    pub(crate) fn new(provider: Arc<dyn Provider>, deadlines: Deadlines, lease: Option<Arc<Lease>>) -> Self {
        Self { provider, deadlines, _lease: lease }
    }
}

// A method missing here would silently get its default.
#[deny(clippy::missing_trait_methods)]
#[async_trait]
impl Provider for LimitedProvider {
    fn label(&self) -> String {
        self.provider.label()
    }

    fn takes_autonaming(&self) -> bool {
        self.provider.takes_autonaming()
    }

    fn unconfigured(&self) -> bool {
        self.provider.unconfigured()
    }

    fn ends_orders(&self) -> bool {
        self.provider.ends_orders()
    }

    async fn check(&self, cx: &CallContext, request: CheckRequest) -> Result<Checked, CallError> {
        self.provider.check(&within(cx, self.deadlines.check), request).await
    }

    async fn plan(&self, cx: &CallContext, request: PlanRequest) -> Result<Planned, CallError> {
        self.provider.plan(&within(cx, self.deadlines.plan), request).await
    }

    async fn apply(&self, cx: &CallContext, request: ApplyRequest) -> Outcome {
        self.provider.apply(cx, request).await
    }

    async fn resume(&self, cx: &CallContext, resource: &ResourceIdentity, ticket: Ticket) -> Outcome {
        self.provider.resume(cx, resource, ticket).await
    }

    async fn read(&self, cx: &CallContext, request: ReadRequest) -> Result<ReadResult, CallError> {
        self.provider.read(cx, request).await
    }

    async fn import(&self, cx: &CallContext, request: ImportRequest) -> Result<Imported, CallError> {
        self.provider.import(cx, request).await
    }

    async fn invoke(&self, cx: &CallContext, request: Invoke) -> Result<Invoked, CallError> {
        self.provider.invoke(cx, request).await
    }

    async fn construct(
        &self,
        cx: &CallContext,
        goal: Goal,
        monitor: &dyn Monitor,
    ) -> Result<ConstructResponse, CallError> {
        self.provider.construct(cx, goal, monitor).await
    }

    async fn call(
        &self,
        cx: &CallContext,
        request: CallRequest,
        monitor: &dyn Monitor,
    ) -> Result<CallResponse, CallError> {
        self.provider.call(cx, request, monitor).await
    }
}
