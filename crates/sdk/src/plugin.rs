//! A package as a plugin that is not configured yet.

use std::sync::Arc;

use async_trait::async_trait;
use outrigger_provider::{
    CallContext, CallError, CheckConfig, CheckFailure, CheckedConfig, Configure, Diff, DiffConfig, Invoke, Invoked,
    Parameterization, Plugin, PluginInfo, Provider,
};
use outrigger_value::PropertyMap;

use crate::context::{Context, Shared};
use crate::provider::PackageProvider;
use crate::shape::ObjectShape;
use crate::validation::{Completed, InputKind, complete, is_internal, listed};
use crate::{Changes, Error, Package, Properties, SchemaMistake};

/// Inputs of every provider resource that are the engine's, not the plugin's.
const ENGINES: [&str; 2] = ["version", "pluginDownloadURL"];

/// A package as a plugin.
pub(crate) struct PackagePlugin {
    package: Arc<Package>,
    schema: Vec<u8>,
}

impl PackagePlugin {
    /// The schema is built right away: mistakes in the package should not wait for a user to find them.
    pub(crate) fn new(package: Package) -> Result<Self, Vec<SchemaMistake>> {
        let schema = package.schema()?.into_bytes();
        Ok(Self { package: Arc::new(package), schema })
    }

    fn error(&self, call: &str, error: Error) -> CallError {
        failure(&self.package, call, error)
    }

    fn configuration(&self) -> &'static ObjectShape {
        self.package.configuration.as_ref().map_or_else(<()>::shape, |configuration| configuration.shape)
    }

    fn complete(&self, inputs: PropertyMap) -> Completed {
        let (engines, own): (PropertyMap, PropertyMap) =
            inputs.into_iter().partition(|(name, _)| ENGINES.contains(&name.as_str()) || is_internal(name));
        let mut completed = complete(self.configuration(), own, InputKind::Configuration, &*self.package.environment);
        completed.inputs.extend(engines);
        completed
    }

    async fn connect(&self, cx: &CallContext, inputs: PropertyMap) -> Result<Shared, CallError> {
        const CALL: &str = "Configure";
        let Completed { mut inputs, failures } = self.complete(inputs);
        if !failures.is_empty() {
            return Err(self.refused(CALL, &failures, &inputs));
        }
        let Some(configuration) = &self.package.configuration else { return Ok(None) };
        inputs.retain(|name, _| !ENGINES.contains(&name.as_str()) && !is_internal(name));
        let connected = (configuration.connect)(inputs, Context::new(cx, None)).await;
        connected.map(Some).map_err(|error| self.error(CALL, error))
    }

    /// An invalid configuration; missing keys are listed separately, for hosts that ask for them.
    fn refused(&self, call: &str, failures: &[CheckFailure], inputs: &PropertyMap) -> CallError {
        let mut error = self.error(call, Error::new(listed(failures)));
        let missing = self
            .configuration()
            .properties
            .iter()
            .filter(|property| property.required && !inputs.contains_key(property.name));
        error.missing_keys =
            missing.map(|property| (property.name.to_owned(), property.description.to_owned())).collect();
        error
    }
}

/// An author's failure as a host's.
pub(crate) fn failure(package: &Package, call: &str, error: Error) -> CallError {
    CallError::new(format!("{} {}", package.name, package.version), call, error.kind, error.message)
}

/// Calls a function of the package.
pub(crate) async fn invoke(package: &Package, cx: Context, request: Invoke) -> Result<Invoked, CallError> {
    const CALL: &str = "Invoke";
    let Some(function) = package.functions.get(request.token.as_str()) else {
        let known = package.functions.keys().map(|token| format!("`{token}`")).collect::<Vec<_>>().join(", ");
        let message = format!("there is no function `{}`; there are {known}", request.token);
        return Err(failure(package, CALL, Error::new(message)));
    };
    let completed = complete(function.taken(), request.arguments, InputKind::Program, &*package.environment);
    if !completed.failures.is_empty() {
        return Ok(Invoked { result: PropertyMap::new(), failures: completed.failures });
    }
    let result = function.call(&cx.with_preview(request.preview), completed.inputs).await;
    result.map(|result| Invoked { result, failures: Vec::new() }).map_err(|error| failure(package, CALL, error))
}

#[async_trait]
impl Plugin for PackagePlugin {
    fn label(&self) -> String {
        format!("{} {}", self.package.name, self.package.version)
    }

    fn takes_autonaming(&self) -> bool {
        self.package.takes_autonaming()
    }

    async fn info(&self, _cx: &CallContext) -> Result<PluginInfo, CallError> {
        Ok(PluginInfo { version: self.package.version.to_owned(), ..PluginInfo::default() })
    }

    async fn schema(&self, _cx: &CallContext, package: Option<&Parameterization>) -> Result<Vec<u8>, CallError> {
        match package {
            None => Ok(self.schema.clone()),
            Some(_) => Err(CallError::unsupported("parameterize")),
        }
    }

    async fn check_config(&self, _cx: &CallContext, request: CheckConfig) -> Result<CheckedConfig, CallError> {
        let Completed { inputs, failures } = self.complete(request.news);
        Ok(CheckedConfig { inputs, failures })
    }

    /// A change of a property marked `replace` replaces the provider, and with it every resource.
    async fn diff_config(&self, _cx: &CallContext, request: DiffConfig) -> Result<Diff, CallError> {
        let shape = self.configuration();
        let changes = Changes::between(shape, &request.old_inputs, &request.news, &request.ignore_changes);
        Ok(changes.conclude(<()>::shape()).1)
    }

    async fn configure(&self, cx: &CallContext, request: Configure) -> Result<Arc<dyn Provider>, CallError> {
        let unknown = request.is_unknown();
        let shared = if unknown { None } else { self.connect(cx, request.inputs).await? };
        Ok(Arc::new(PackageProvider::new(Arc::clone(&self.package), shared, unknown)))
    }

    async fn invoke(&self, cx: &CallContext, request: Invoke) -> Result<Invoked, CallError> {
        invoke(&self.package, Context::new(cx, None), request).await
    }
}
