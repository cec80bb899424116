//! A Pulumi plugin as a [`Plugin`].

use std::sync::Arc;

use async_trait::async_trait;
use outrigger_provider::{
    CallContext, CallError, CheckConfig, CheckFailure, CheckedConfig, Configure, Diff, DiffConfig, ErrorKind, Invoke,
    Invoked, Parameterization, Parameterize, Plugin, PluginInfo, Provider, Unconfigured,
};
use outrigger_transport::Process;
use outrigger_value::{PropertyMap, Urn};

use crate::configuration;
use crate::connection::Connection;
use crate::difference;
use crate::encoding::{Decoding, Encoding, Unknowns, decode};
use crate::engine::EngineServer;
use crate::features::Features;
use crate::function;
use crate::generated::pulumirpc::parameterize_request::{Parameters, ParametersArgs, ParametersValue};
use crate::generated::pulumirpc::{
    self, CheckRequest, DiffRequest, GetMappingRequest, GetMappingsRequest, GetSchemaRequest, ParameterizeRequest,
};
use crate::provider::PulumiProvider;
use crate::secrecy;

/// A plugin's configuration has no marks: the plugin gets plain values, except unknown ones.
const CONFIG: Encoding = Encoding { unknowns: true, secrets: false, resources: false, outputs: false, elide: false };

/// A running Pulumi plugin.
pub struct PulumiPlugin {
    connection: Arc<Connection>,
    info: PluginInfo,
    features: Option<Features>,
    /// The engine service that it calls back, which must be reachable as long as it runs.
    _engine: Option<EngineServer>,
}

impl PulumiPlugin {
    pub(crate) fn new(connection: Arc<Connection>, info: PluginInfo, features: Option<Features>) -> Self {
        Self { connection, info, features, _engine: None }
    }

    /// The same plugin, with its engine service.
    pub(crate) fn with(self, engine: EngineServer) -> Self {
        Self { _engine: Some(engine), ..self }
    }

    pub(crate) fn version(&self) -> &str {
        &self.info.version
    }

    /// Its process; `None` if it was attached to by port.
    pub fn process(&self) -> Option<&Arc<dyn Process>> {
        self.connection.process()
    }

    /// Whether an error of CheckConfig or DiffConfig means "not implemented". Two old plugins report it in their own ways: the dynamic provider
    /// of Node sends an empty message, Kubernetes wraps the status in another.
    fn lacks(error: &CallError, urn: &Urn) -> bool {
        match (error.kind, urn.provider_package()) {
            (ErrorKind::Unsupported, _) => true,
            (ErrorKind::Unknown | ErrorKind::Garbage, Some("pulumi-nodejs")) => true,
            (ErrorKind::Unknown, Some("kubernetes")) => error.message.contains("Unimplemented"),
            _ => false,
        }
    }
}

#[async_trait]
impl Plugin for PulumiPlugin {
    fn label(&self) -> String {
        self.connection.label().to_owned()
    }

    /// A plugin without a handshake reports this when it is configured.
    fn takes_autonaming(&self) -> bool {
        self.features.is_some_and(|features| features.autonaming)
    }

    async fn info(&self, _cx: &CallContext) -> Result<PluginInfo, CallError> {
        Ok(self.info.clone())
    }

    /// With arguments the answer has no value: the plugin's schema contains it.
    async fn parameterize(&self, cx: &CallContext, request: Parameterize) -> Result<Parameterization, CallError> {
        let (parameters, value) = match request {
            Parameterize::Arguments(args) => (Parameters::Args(ParametersArgs { args }), Vec::new()),
            Parameterize::Value(Parameterization { name, version, value }) => {
                (Parameters::Value(ParametersValue { name, version, value: value.clone() }), value)
            }
        };
        let request = ParameterizeRequest { parameters: Some(parameters) };
        let answer = self.connection.call(cx, "Parameterize", self.connection.client().parameterize(request)).await?;
        Ok(Parameterization { name: answer.name, version: answer.version, value })
    }

    async fn schema(&self, cx: &CallContext, package: Option<&Parameterization>) -> Result<Vec<u8>, CallError> {
        let (subpackage_name, subpackage_version) =
            package.map(|package| (package.name.clone(), package.version.clone())).unwrap_or_default();
        let request = GetSchemaRequest { version: 0, subpackage_name, subpackage_version };
        let answer = self.connection.call(cx, "GetSchema", self.connection.client().get_schema(request)).await?;
        if answer.schema.chars().all(|letter| letter.is_whitespace() || "{}".contains(letter)) {
            return Err(self.connection.error("GetSchema", ErrorKind::Unsupported, "the plugin has no schema"));
        }
        Ok(answer.schema.into_bytes())
    }

    async fn check_config(&self, cx: &CallContext, request: CheckConfig) -> Result<CheckedConfig, CallError> {
        const CALL: &str = "CheckConfig";
        let CheckConfig { urn, olds, news } = request;
        let wire = |properties: PropertyMap| {
            self.connection.encode(properties, CONFIG).map_err(|error| self.connection.unsendable(CALL, &error))
        };
        let message = CheckRequest {
            urn: urn.to_string(),
            name: urn.name().to_owned(),
            r#type: urn.ty().to_owned(),
            olds: Some(wire(olds)?),
            news: Some(wire(news.clone())?),
            ..CheckRequest::default()
        };
        let answer = match self.connection.call(cx, CALL, self.connection.client().check_config(message)).await {
            Ok(answer) => answer,
            Err(failure) if Self::lacks(&failure.error, &urn) => {
                return Ok(CheckedConfig { inputs: news, failures: Vec::new() });
            }
            Err(failure) => return Err(failure.into()),
        };
        let how = Decoding { unknowns: Unknowns::Keep, outputs: false };
        let mut inputs =
            decode(answer.inputs.unwrap_or_default(), how).map_err(|error| self.connection.garbage(CALL, &error))?;
        secrecy::annotate(&mut inputs, &news);
        // The version belongs to the engine, not to the plugin; it is restored if the plugin drops it.
        if let Some(version) = news.get("version")
            && answer.failures.is_empty()
        {
            inputs.entry("version".to_owned()).or_insert_with(|| version.clone());
        }
        Ok(CheckedConfig { inputs, failures: failures(answer.failures) })
    }

    async fn diff_config(&self, cx: &CallContext, request: DiffConfig) -> Result<Diff, CallError> {
        const CALL: &str = "DiffConfig";
        let DiffConfig { urn, id: _, old_inputs, old_outputs, news, ignore_changes } = request;
        let wire = |properties: PropertyMap| {
            self.connection
                .encode(properties, CONFIG)
                .map(Some)
                .map_err(|error| self.connection.unsendable(CALL, &error))
        };
        let message = DiffRequest {
            // Pulumi sends no id here.
            id: String::new(),
            urn: urn.to_string(),
            name: urn.name().to_owned(),
            r#type: urn.ty().to_owned(),
            olds: wire(old_outputs.clone())?,
            old_inputs: wire(old_inputs)?,
            news: wire(news.clone())?,
            ignore_changes: ignore_changes.clone(),
        };
        let mut diff = match self.connection.call(cx, CALL, self.connection.client().diff_config(message)).await {
            Ok(answer) => difference::read(answer),
            Err(failure) if Self::lacks(&failure.error, &urn) || is_kubeconfig_quirk(&failure.error, &urn) => {
                Diff::default()
            }
            Err(failure) => return Err(failure.into()),
        };
        difference::conclude(&mut diff, &old_outputs, &news, &ignore_changes);
        Ok(diff)
    }

    async fn configure(&self, cx: &CallContext, request: Configure) -> Result<Arc<dyn Provider>, CallError> {
        const CALL: &str = "Configure";
        if request.is_unknown() {
            return Ok(Arc::new(Unconfigured::new(self.label())));
        }
        self.connection.overhear(&request.inputs);
        let message = configuration::request(request).map_err(|error| self.connection.unsendable(CALL, &error))?;
        let answer = self.connection.call(cx, CALL, self.connection.client().configure(message)).await?;
        let features = self.features.unwrap_or_else(|| Features::from(&answer));
        Ok(Arc::new(PulumiProvider::new(self.connection.clone(), features)))
    }

    async fn invoke(&self, cx: &CallContext, request: Invoke) -> Result<Invoked, CallError> {
        function::invoke(&self.connection, self.features.unwrap_or_default(), cx, request).await
    }

    async fn mapping(&self, cx: &CallContext, key: &str, provider: &str) -> Result<(String, Vec<u8>), CallError> {
        let request = GetMappingRequest { key: key.to_owned(), provider: provider.to_owned() };
        let answer = self.connection.call(cx, "GetMapping", self.connection.client().get_mapping(request)).await?;
        Ok((answer.provider, answer.data))
    }

    /// A plugin without this call has one mapping, under the empty name.
    async fn mappings(&self, cx: &CallContext, key: &str) -> Result<Vec<String>, CallError> {
        let request = GetMappingsRequest { key: key.to_owned() };
        match self.connection.call(cx, "GetMappings", self.connection.client().get_mappings(request)).await {
            Ok(answer) => Ok(answer.providers),
            Err(failure) if failure.error.kind == ErrorKind::Unsupported => Ok(vec![String::new()]),
            Err(failure) => Err(failure.into()),
        }
    }

    #[cfg(feature = "json")]
    async fn by_hand(
        &self,
        cx: &CallContext,
        call: &str,
        request: &str,
        show_secrets: bool,
    ) -> Result<Vec<String>, CallError> {
        self.connection.by_hand(cx, call, request, show_secrets).await
    }

    async fn cancel(&self, cx: &CallContext) -> Result<(), CallError> {
        match self.connection.call(cx, "Cancel", self.connection.client().cancel(())).await {
            Ok(()) => Ok(()),
            Err(failure) if failure.error.kind == ErrorKind::Unsupported => Ok(()),
            Err(failure) => Err(failure.into()),
        }
    }

    /// Cancels running calls, unless another program started the plugin, which then keeps running.
    async fn close(&self, cx: &CallContext) {
        if self.process().is_some_and(|process| !process.has_ended()) {
            // Advisory: many plugins do not have this call, and a plugin that does not answer is ended anyway.
            let _advisory = self.cancel(cx).await;
        }
    }
}

/// Old Kubernetes plugins fail here when `kubeconfig` names a file, but work anyway.
fn is_kubeconfig_quirk(error: &CallError, urn: &Urn) -> bool {
    urn.provider_package() == Some("kubernetes")
        && error.message.contains("cannot unmarshal string into Go value of type struct")
}

pub(crate) fn failures(failures: Vec<pulumirpc::CheckFailure>) -> Vec<CheckFailure> {
    failures.into_iter().map(|failure| CheckFailure::new(failure.property, failure.reason)).collect()
}
