//! A provider that answers "in progress": nothing waits for it yet, but nothing is lost.

use std::sync::Arc;

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{
    ApplyRequest, CallContext, CallError, CheckRequest, Checked, Configure, Outcome, PlanRequest, Planned, Plugin,
    PluginDescriptor, PluginInfo, Plugins, Provider, ReadRequest, ReadResult, Ticket,
};
use outrigger_schema::Package as Schema;
use outrigger_state::OperationKind;
use outrigger_testing::{InProcess, Stack, Store};

use crate::boxes::Shed;

struct Slow<T>(T);

#[async_trait]
impl Plugins for Slow<InProcess> {
    async fn load(&self, cx: &CallContext, descriptor: &PluginDescriptor) -> Result<Arc<dyn Plugin>, Diagnostic> {
        Ok(Arc::new(Slow(self.0.load(cx, descriptor).await?)))
    }

    async fn schema(&self, cx: &CallContext, descriptor: &PluginDescriptor) -> Result<Arc<Schema>, Diagnostic> {
        self.0.schema(cx, descriptor).await
    }
}

#[async_trait]
impl Plugin for Slow<Arc<dyn Plugin>> {
    fn label(&self) -> String {
        self.0.label()
    }

    async fn info(&self, cx: &CallContext) -> Result<PluginInfo, CallError> {
        self.0.info(cx).await
    }

    async fn configure(&self, cx: &CallContext, request: Configure) -> Result<Arc<dyn Provider>, CallError> {
        Ok(Arc::new(Slow(self.0.configure(cx, request).await?)))
    }
}

#[async_trait]
impl Provider for Slow<Arc<dyn Provider>> {
    fn label(&self) -> String {
        self.0.label()
    }

    async fn check(&self, cx: &CallContext, request: CheckRequest) -> Result<Checked, CallError> {
        self.0.check(cx, request).await
    }

    async fn plan(&self, cx: &CallContext, request: PlanRequest) -> Result<Planned, CallError> {
        self.0.plan(cx, request).await
    }

    async fn apply(&self, _: &CallContext, _: ApplyRequest) -> Outcome {
        Outcome::Pending(Ticket { handle: vec![1], ask_again_after: None })
    }

    async fn read(&self, cx: &CallContext, request: ReadRequest) -> Result<ReadResult, CallError> {
        self.0.read(cx, request).await
    }
}

#[tokio::test]
async fn an_operation_that_is_under_way_stays_pending() {
    let plugins = Slow(InProcess::new([Shed::default().package()]).unwrap());
    let mut stack = Stack::with(Arc::new(plugins), Store::Memory).unwrap();
    let failed = stack.up("resources: {mine: {type: 'shed:Crate', properties: {label: apples}}}").await.unwrap_err();
    assert!(failed.says("answered Create: the operation is still under way"), "{failed}");
    assert!(failed.says("stored in the state as a pending operation"), "{failed}");
    let pending = stack.state().unwrap().pending;
    assert_eq!(pending.len(), 1);
    assert_eq!((pending[0].kind, pending[0].resource.urn.name()), (OperationKind::Creating, "mine"));
    assert!(stack.names().unwrap().is_empty());
}
