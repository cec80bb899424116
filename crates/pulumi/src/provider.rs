//! A configured Pulumi plugin as a [`Provider`].

use std::sync::Arc;

use async_trait::async_trait;
use outrigger_provider::{
    ApplyRequest, AutonamingMode, CallContext, CallError, CallRequest, CallResponse, CheckRequest, Checked,
    ConstructResponse, Goal, ImportRequest, Imported, Invoke, Invoked, Monitor, Outcome, PlanRequest, Planned,
    Provider, ReadRequest, ReadResult,
};
use outrigger_value::PropertyMap;

use crate::connection::Connection;
use crate::encoding::{Decoding, Unknowns, decode};
use crate::features::Features;
use crate::generated::pulumirpc;
use crate::generated::pulumirpc::check_request::AutonamingOptions;
use crate::generated::pulumirpc::check_request::autonaming_options::Mode;
use crate::plugin::failures;
use crate::{apply, component, function, plan, read, secrecy};

/// A configured plugin.
pub(crate) struct PulumiProvider {
    pub(crate) connection: Arc<Connection>,
    pub(crate) features: Features,
}

impl PulumiProvider {
    pub(crate) fn new(connection: Arc<Connection>, features: Features) -> Self {
        Self { connection, features }
    }
}

#[async_trait]
impl Provider for PulumiProvider {
    fn label(&self) -> String {
        self.connection.label().to_owned()
    }

    fn takes_autonaming(&self) -> bool {
        self.features.autonaming
    }

    async fn check(&self, cx: &CallContext, request: CheckRequest) -> Result<Checked, CallError> {
        const CALL: &str = "Check";
        let CheckRequest { resource, olds, news, random_seed, preview, autonaming } = request;
        let how = self.features.encoding(preview);
        let wire = |properties: PropertyMap| {
            self.connection.encode(properties, how).map(Some).map_err(|error| self.connection.unsendable(CALL, &error))
        };
        let marks = (!self.features.secrets && secrecy::has_secrets(&news)).then(|| news.clone());
        let message = pulumirpc::CheckRequest {
            urn: resource.urn.to_string(),
            name: resource.name().to_owned(),
            r#type: resource.ty().to_owned(),
            // Never absent: plugins expect an object here, even for a new resource.
            olds: wire(olds.unwrap_or_default())?,
            news: wire(news)?,
            random_seed: random_seed.to_vec(),
            autonaming: autonaming.map(|options| AutonamingOptions {
                proposed_name: options.proposed,
                mode: match options.mode {
                    AutonamingMode::Propose => Mode::Propose,
                    AutonamingMode::Enforce => Mode::Enforce,
                    AutonamingMode::Disable => Mode::Disable,
                }
                .into(),
            }),
        };
        let answer = self.connection.call(cx, CALL, self.connection.client().check(message)).await?;
        let unknowns = if preview { Unknowns::Keep } else { Unknowns::Reject };
        let mut inputs = decode(answer.inputs.unwrap_or_default(), Decoding { unknowns, outputs: false })
            .map_err(|error| self.connection.garbage(CALL, &error))?;
        if let Some(marks) = marks {
            secrecy::annotate(&mut inputs, &marks);
        }
        Ok(Checked { inputs, failures: failures(answer.failures) })
    }

    async fn plan(&self, cx: &CallContext, request: PlanRequest) -> Result<Planned, CallError> {
        plan::plan(self, cx, request).await
    }

    async fn apply(&self, cx: &CallContext, request: ApplyRequest) -> Outcome {
        apply::apply(self, cx, request).await
    }

    async fn read(&self, cx: &CallContext, request: ReadRequest) -> Result<ReadResult, CallError> {
        read::read(self, cx, request).await
    }

    async fn import(&self, cx: &CallContext, request: ImportRequest) -> Result<Imported, CallError> {
        read::import(self, cx, request).await
    }

    async fn invoke(&self, cx: &CallContext, request: Invoke) -> Result<Invoked, CallError> {
        function::invoke(&self.connection, self.features, cx, request).await
    }

    async fn construct(
        &self,
        cx: &CallContext,
        goal: Goal,
        monitor: &dyn Monitor,
    ) -> Result<ConstructResponse, CallError> {
        component::construct(self, cx, goal, monitor).await
    }

    async fn call(
        &self,
        cx: &CallContext,
        request: CallRequest,
        monitor: &dyn Monitor,
    ) -> Result<CallResponse, CallError> {
        component::call(self, cx, request, monitor).await
    }
}
