//! A harness for tests: makes the calls of an engine, in its order, without one.
//!
//! [`Harness::new`] calls the package directly, [`Harness::over_socket`] through a real connection and the whole protocol,
//! as a host would. Both behave the same.
//!
//! ```
//! # use outrigger_sdk::*;
//! # #[derive(Inputs)] struct BoxArgs { size: u32 }
//! # #[derive(Outputs)] struct Box { size: u32 }
//! # impl Resource for Box {
//! #     type Inputs = BoxArgs;
//! #     const TOKEN: &'static str = "toys:index:Box";
//! #     async fn create(_: &Context, inputs: BoxArgs) -> Result<Created<Self>> {
//! #         Ok(Created::new("box", Box { size: inputs.size }))
//! #     }
//! #     async fn delete(_: &Context, _: State<Self>) -> Result<()> { Ok(()) }
//! # }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<()> {
//! use outrigger_sdk::testing::Harness;
//!
//! let harness = Harness::new(Package::new("toys", "1.0.0").resource::<Box>(), PropertyMap::new()).await?;
//! let made = harness.create::<Box>("mine", BoxArgs { size: 3 }).await?;
//! assert_eq!(made.outputs::<Box>()?.size, 3);
//! harness.delete(made).await?;
//! # Ok(())
//! # }
//! ```

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use outrigger_provider::{
    Action, ApplyRequest, CallContext, CheckConfig, CheckFailure, CheckRequest, Checked, Configure, ImportRequest,
    Invoke, LogLevel, LogSink, Outcome, PlanRequest, Planned, Plugin, Provider, ReadRequest, ReadResult,
    ResourceIdentity, State as Stored, Verdict,
};
use outrigger_pulumi::{ConnectDeadlines, ConnectOptions, EngineServer, Origin, connect};
use outrigger_transport::{Address, port};
use outrigger_value::{PropertyMap, Urn};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::validation::listed;
use crate::{Error, Function, Inputs, Package, Properties, Resource, Result};

/// A package under test.
pub struct Harness {
    plugin: Arc<dyn Plugin>,
    provider: Arc<dyn Provider>,
    package: &'static str,
    heard: Arc<Heard>,
    cancel: CancellationToken,
    _connection: Option<Connection>,
}

/// The other end of the socket, and the engine that is called back.
struct Connection {
    served: JoinHandle<()>,
    _engine: EngineServer,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.served.abort();
    }
}

/// A resource that a test created.
#[derive(Clone, Debug)]
pub struct Made {
    identity: ResourceIdentity,
    /// Its state, as an engine would store it.
    pub state: Stored,
    /// Why it is not ready, after a partial failure.
    pub reasons: Vec<String>,
}

impl Made {
    /// The outputs.
    pub fn outputs<R: Resource>(&self) -> Result<R> {
        Ok(R::decode(self.state.outputs.clone())?)
    }

    /// The inputs.
    pub fn inputs<R: Resource>(&self) -> Result<R::Inputs> {
        Ok(R::Inputs::decode(self.state.inputs.clone())?)
    }
}

/// Inputs of a test: a struct, or properties by name where a value is to be wrong or unknown.
#[derive(Clone, Debug)]
pub struct Given(PropertyMap);

impl<I: Inputs> From<I> for Given {
    fn from(inputs: I) -> Self {
        Self(inputs.encode())
    }
}

impl From<PropertyMap> for Given {
    fn from(properties: PropertyMap) -> Self {
        Self(properties)
    }
}

/// A message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The name of the resource.
    pub name: String,
    /// The text.
    pub text: String,
    /// Whether it is a status, which the next one replaces.
    pub progress: bool,
}

#[derive(Default)]
struct Heard(Mutex<Vec<Message>>);

impl LogSink for Heard {
    fn log(&self, _: LogLevel, urn: Option<&Urn>, message: &str, ephemeral: bool) {
        let name = urn.map(|urn| urn.name().to_owned()).unwrap_or_default();
        let message = Message { name, text: message.to_owned(), progress: ephemeral };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }
}

impl Harness {
    /// Checks the package, configures it, and calls it directly.
    pub async fn new(package: Package, config: impl Into<Given>) -> Result<Self> {
        let name = package.name;
        Self::configured(name, plugin(package)?, config.into(), Arc::default(), None).await
    }

    /// Serves the package on a port of this machine, and calls it as a host does.
    pub async fn over_socket(package: Package, config: impl Into<Given>) -> Result<Self> {
        let name = package.name;
        let heard: Arc<Heard> = Arc::default();
        let engine = EngineServer::start(Arc::clone(&heard) as Arc<dyn LogSink>).await?;
        let mut line = Vec::new();
        let listener = port::listen(&mut line).await?;
        let port = port::parse(&line).ok_or_else(|| Error::new("no port was announced"))?;
        let served = tokio::spawn(outrigger_pulumi::serve(plugin(package)?, listener, None, std::future::pending()));
        let options = ConnectOptions {
            name: name.to_owned(),
            engine_address: engine.address().to_string(),
            deadlines: ConnectDeadlines::default(),
            log: None,
        };
        let connection = Connection { served, _engine: engine };
        let plugin = connect(Origin::Running(Address::of_port(port)), options).await?;
        Self::configured(name, plugin, config.into(), heard, Some(connection)).await
    }

    async fn configured(
        package: &'static str,
        plugin: Arc<dyn Plugin>,
        config: Given,
        heard: Arc<Heard>,
        connection: Option<Connection>,
    ) -> Result<Self> {
        let cancel = CancellationToken::new();
        let cx = CallContext { cancel: cancel.clone(), deadline: None, log: Arc::clone(&heard) as Arc<dyn LogSink> };
        let urn = Urn::new("test", "test", None, &format!("pulumi:providers:{package}"), "default");
        let request = CheckConfig { urn: urn.clone(), olds: PropertyMap::new(), news: config.0 };
        let checked = plugin.check_config(&cx, request).await?;
        refused(&checked.failures)?;
        let request = Configure { urn, id: "test".to_owned(), inputs: checked.inputs };
        let provider = plugin.configure(&cx, request).await?;
        Ok(Self { plugin, provider, package, heard, cancel, _connection: connection })
    }

    fn cx(&self) -> CallContext {
        CallContext {
            cancel: self.cancel.child_token(),
            deadline: None,
            log: Arc::clone(&self.heard) as Arc<dyn LogSink>,
        }
    }

    /// The messages to the user so far.
    pub fn messages(&self) -> Vec<Message> {
        self.heard.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks all calls to stop, as a user does.
    pub async fn cancel(&self) -> Result<()> {
        self.cancel.cancel();
        Ok(self.plugin.cancel(&CallContext::background()).await?)
    }

    /// The schema.
    pub async fn schema(&self) -> Result<Vec<u8>> {
        Ok(self.plugin.schema(&self.cx(), None).await?)
    }

    /// Checks inputs of a new resource. The result has the refused properties.
    pub async fn check<R: Resource>(&self, name: &str, inputs: impl Into<Given>) -> Result<Checked> {
        self.checked(&identity::<R>(name), None, inputs.into()).await
    }

    async fn checked(&self, resource: &ResourceIdentity, olds: Option<PropertyMap>, news: Given) -> Result<Checked> {
        let preview = news.0.values().any(outrigger_value::Value::contains_unknown);
        let resource = resource.clone();
        let request = CheckRequest { resource, olds, news: news.0, random_seed: [7; 32], preview, autonaming: None };
        Ok(self.provider.check(&self.cx(), request).await?)
    }

    /// The outputs of a new resource as a preview shows them. Inputs may be unknown.
    pub async fn preview<R: Resource>(&self, name: &str, inputs: impl Into<Given>) -> Result<PropertyMap> {
        let resource = identity::<R>(name);
        let checked = self.checked(&resource, None, inputs.into()).await?;
        refused(&checked.failures)?;
        let planned = self.planned(&resource, None, checked.inputs).await?;
        planned.predicted.ok_or_else(|| Error::new("nothing was foretold"))
    }

    async fn planned(
        &self,
        resource: &ResourceIdentity,
        prior: Option<Stored>,
        inputs: PropertyMap,
    ) -> Result<Planned> {
        let request = PlanRequest {
            resource: resource.clone(),
            prior,
            inputs: Some(inputs),
            ignore_changes: Vec::new(),
            predict: true,
            timeout: None,
        };
        Ok(self.provider.plan(&self.cx(), request).await?)
    }

    /// Creates a resource. After a partial failure it exists, with the reasons.
    pub async fn create<R: Resource>(&self, name: &str, inputs: impl Into<Given>) -> Result<Made> {
        let identity = identity::<R>(name);
        let checked = self.checked(&identity, None, inputs.into()).await?;
        refused(&checked.failures)?;
        self.apply(identity, Action::Create, None, checked.inputs).await
    }

    async fn apply(
        &self,
        identity: ResourceIdentity,
        action: Action,
        prior: Option<Stored>,
        inputs: PropertyMap,
    ) -> Result<Made> {
        let request = ApplyRequest {
            resource: identity.clone(),
            action,
            prior,
            inputs,
            ignore_changes: Vec::new(),
            timeout: None,
        };
        match self.provider.apply(&self.cx(), request).await {
            Outcome::Done(state) => Ok(Made { identity, state, reasons: Vec::new() }),
            Outcome::Partial { state, reasons } => Ok(Made { identity, state, reasons }),
            Outcome::NotDone(error) => Err(error.into()),
            Outcome::Unknown { error, .. } => Err(Error::from(error).in_doubt()),
            Outcome::Pending(_) => Err(Error::new("it is still under way")),
        }
    }

    /// The effect of other inputs on a resource.
    pub async fn plan(&self, made: &Made, inputs: impl Into<Given>) -> Result<Planned> {
        let checked = self.checked(&made.identity, Some(made.state.inputs.clone()), inputs.into()).await?;
        refused(&checked.failures)?;
        self.planned(&made.identity, Some(made.state.clone()), checked.inputs).await
    }

    /// Changes a resource's inputs: leaves it unchanged, updates it or replaces it, as planned.
    pub async fn update(&self, made: &mut Made, inputs: impl Into<Given>) -> Result<Verdict> {
        let checked = self.checked(&made.identity, Some(made.state.inputs.clone()), inputs.into()).await?;
        refused(&checked.failures)?;
        let planned = self.planned(&made.identity, Some(made.state.clone()), checked.inputs.clone()).await?;
        let identity = made.identity.clone();
        match planned.verdict {
            Verdict::Update => {
                *made = self.apply(identity, Action::Update, Some(made.state.clone()), checked.inputs).await?;
            }
            Verdict::Replace => {
                let old = made.clone();
                if planned.diff.delete_before_replace {
                    self.delete(old).await?;
                    *made = self.apply(identity, Action::Create, None, checked.inputs).await?;
                } else {
                    *made = self.apply(identity, Action::Create, None, checked.inputs).await?;
                    self.delete(old).await?;
                }
            }
            _ => made.state.inputs = checked.inputs,
        }
        Ok(planned.verdict)
    }

    /// Refreshes a resource. Returns whether it exists.
    pub async fn refresh(&self, made: &mut Made) -> Result<bool> {
        let request = ReadRequest { resource: made.identity.clone(), state: made.state.clone(), timeout: None };
        match self.provider.read(&self.cx(), request).await? {
            ReadResult::Found { state, .. } => {
                made.reasons.clone_from(&state.init_errors);
                made.state = state;
                Ok(true)
            }
            ReadResult::Gone => Ok(false),
        }
    }

    /// Imports a resource by its id.
    pub async fn import<R: Resource>(&self, name: &str, id: &str) -> Result<Made> {
        let identity = identity::<R>(name);
        let request = ImportRequest { resource: identity.clone(), id: id.to_owned(), timeout: None };
        let imported = self.provider.import(&self.cx(), request).await?;
        let found = imported.resources.into_iter().next();
        let (_, state) = found.ok_or_else(|| Error::new(format!("there is no {} with id `{id}`", R::TOKEN)))?;
        Ok(Made { identity, state, reasons: Vec::new() })
    }

    /// Deletes a resource.
    pub async fn delete(&self, made: Made) -> Result<()> {
        self.apply(made.identity, Action::Delete, Some(made.state), PropertyMap::new()).await.map(|_| ())
    }

    /// Calls a function.
    pub async fn call<F: Function>(&self, arguments: F) -> Result<F::Result> {
        let request = Invoke { token: F::TOKEN.to_owned(), arguments: arguments.encode(), preview: false };
        let invoked = self.provider.invoke(&self.cx(), request).await?;
        refused(&invoked.failures)?;
        Ok(F::Result::decode(invoked.result)?)
    }
}

impl fmt::Debug for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Harness").field("package", &self.package).finish_non_exhaustive()
    }
}

fn plugin(package: Package) -> Result<Arc<dyn Plugin>> {
    package.plugin().map_err(|mistakes| {
        let mistakes: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        Error::new(mistakes.join("; "))
    })
}

fn identity<R: Resource>(name: &str) -> ResourceIdentity {
    ResourceIdentity::new(Urn::new("test", "test", None, R::TOKEN, name))
}

/// A refused check is an error.
fn refused(failures: &[CheckFailure]) -> Result<()> {
    if failures.is_empty() {
        return Ok(());
    }
    Err(Error::new(listed(failures)))
}
