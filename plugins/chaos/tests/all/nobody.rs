//! A monitor that refuses everything: a misbehaving plugin never gets as far as registering a resource.

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{
    CallResponse, Goal, InvokeGoal, MethodGoal, Monitor, ReadGoal, RegisterError, Registered, RunInfo,
};
use outrigger_value::{PropertyMap, Urn};

pub(crate) struct Nobody {
    stack: Urn,
    run: RunInfo,
}

impl Nobody {
    pub(crate) fn new() -> Self {
        let run = RunInfo { project: "shop".to_owned(), stack: "dev".to_owned(), ..RunInfo::default() };
        Self { stack: Urn::new("dev", "shop", None, "pulumi:pulumi:Stack", "shop-dev"), run }
    }
}

#[async_trait]
impl Monitor for Nobody {
    fn stack(&self) -> &Urn {
        &self.stack
    }

    fn run(&self) -> &RunInfo {
        &self.run
    }

    async fn register(&self, _: Goal) -> Result<Registered, RegisterError> {
        Err(RegisterError::Failed)
    }

    async fn register_outputs(&self, _: &Urn, _: PropertyMap) -> Result<(), RegisterError> {
        Err(RegisterError::Failed)
    }

    async fn read(&self, _: ReadGoal) -> Result<Registered, RegisterError> {
        Err(RegisterError::Failed)
    }

    async fn invoke(&self, _: InvokeGoal) -> Result<Option<PropertyMap>, RegisterError> {
        Err(RegisterError::Failed)
    }

    async fn call(&self, _: MethodGoal) -> Result<CallResponse, RegisterError> {
        Err(RegisterError::Failed)
    }

    fn report(&self, _: Diagnostic) {}
}
