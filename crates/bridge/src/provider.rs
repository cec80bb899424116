//! The bridge as a configured provider.

use std::sync::Arc;

use async_trait::async_trait;
use outrigger_provider::{
    ApplyRequest, CallContext, CallError, CallRequest, CallResponse, CheckRequest, Checked, ImportRequest, Imported,
    Invoke, Invoked, Monitor, Outcome, PlanRequest, Planned, Provider, ReadRequest, ReadResult, State,
};
use outrigger_terraform::cty::Value as Cty;
use outrigger_value::{PropertyMap, Value};

use crate::package::Package;
use crate::values::decode;

/// A configured Terraform provider.
pub(crate) struct BridgedProvider {
    package: Arc<Package>,
    config: Cty,
}

impl BridgedProvider {
    pub(crate) fn new(package: Arc<Package>, config: Cty) -> Self {
        Self { package, config }
    }

    /// Keeps Pulumi's secrets out of the log of calls.
    fn overhear(&self, prior: Option<&State>, inputs: Option<&PropertyMap>) {
        let known = prior.into_iter().flat_map(|state| [&state.inputs, &state.outputs]).chain(inputs);
        known.for_each(|properties| self.package.process.overhear(properties));
    }

    fn explained_outcome(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::NotDone(error) => Outcome::NotDone(self.package.process.explained(error)),
            Outcome::Unknown { error, last } => Outcome::Unknown { error: self.package.process.explained(error), last },
            other => other,
        }
    }
}

#[async_trait]
impl Provider for BridgedProvider {
    fn label(&self) -> String {
        self.package.label()
    }

    fn takes_autonaming(&self) -> bool {
        true
    }

    /// StopProvider ends them, and the provider itself enforces limits.
    fn ends_orders(&self) -> bool {
        true
    }

    async fn check(&self, cx: &CallContext, request: CheckRequest) -> Result<Checked, CallError> {
        self.package.process.overhear(&request.news);
        self.package.check(cx, request).await.map_err(|error| self.package.process.explained(error))
    }

    async fn plan(&self, cx: &CallContext, request: PlanRequest) -> Result<Planned, CallError> {
        self.overhear(request.prior.as_ref(), request.inputs.as_ref());
        self.package.plan(cx, request).await.map_err(|error| self.package.process.explained(error))
    }

    async fn apply(&self, cx: &CallContext, request: ApplyRequest) -> Outcome {
        self.overhear(request.prior.as_ref(), Some(&request.inputs));
        let outcome = self.package.apply(cx, request).await;
        self.explained_outcome(outcome)
    }

    async fn read(&self, cx: &CallContext, request: ReadRequest) -> Result<ReadResult, CallError> {
        self.overhear(Some(&request.state), None);
        self.package.read(cx, request).await.map_err(|error| self.package.process.explained(error))
    }

    async fn import(&self, cx: &CallContext, request: ImportRequest) -> Result<Imported, CallError> {
        self.package.import(cx, request).await.map_err(|error| self.package.process.explained(error))
    }

    async fn invoke(&self, cx: &CallContext, request: Invoke) -> Result<Invoked, CallError> {
        self.package.process.overhear(&request.arguments);
        self.package.invoke(cx, request).await.map_err(|error| self.package.process.explained(error))
    }

    /// The method `terraformConfig` of every provider: its configuration under Terraform's names, all of it secret.
    async fn call(&self, _: &CallContext, request: CallRequest, _: &dyn Monitor) -> Result<CallResponse, CallError> {
        let method = format!("pulumi:providers:{}/terraformConfig", self.package.name);
        if request.token != method {
            return Err(self.package.error("Call", format!("there is no method `{}`", request.token)));
        }
        let config = match decode::natural(&self.config) {
            Ok(Value::Map(items)) => items,
            Ok(_) => PropertyMap::new(),
            Err(unfit) => return Err(self.package.error("Call", unfit.to_string())),
        };
        // Any of it may be a credential.
        let config = config.into_iter().map(|(name, value)| (name, Value::secret(value))).collect();
        let result = PropertyMap::from([("result".to_owned(), Value::Map(config))]);
        Ok(CallResponse { result, ..CallResponse::default() })
    }
}
