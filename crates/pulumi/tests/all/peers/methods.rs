//! Methods of Pulumi's own conformance provider, which calls the monitor during the call.

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{
    CallRequest, CallResponse, Goal, InvokeGoal, MethodGoal, Monitor, Plugin, Provider, ReadGoal, RegisterError,
    Registered, RunInfo,
};
use outrigger_value::{PropertyDependencies, PropertyMap, ResourceReference, Urn, Value};

use super::child::{Started, cx, map, provider_urn};

/// A monitor that knows some resources, returns them on request, and refuses everything else.
struct Registry {
    stack: Urn,
    run: RunInfo,
    resources: BTreeMap<String, PropertyMap>,
    asked: Mutex<Vec<String>>,
}

impl Registry {
    fn new(resources: &[(&Urn, PropertyMap)]) -> Self {
        let run = RunInfo { project: "project".to_owned(), stack: "test".to_owned(), ..RunInfo::default() };
        let resources = resources.iter().map(|(urn, answer)| (urn.to_string(), answer.clone())).collect();
        let stack = Urn::new("test", "project", None, "pulumi:pulumi:Stack", "project-test");
        Self { stack, run, resources, asked: Mutex::default() }
    }

    /// The names of the resources that were requested since the last time.
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

#[async_trait]
impl Monitor for Registry {
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

    async fn invoke(&self, goal: InvokeGoal) -> Result<Option<PropertyMap>, RegisterError> {
        let Some(Value::String(urn)) = goal.arguments.get("urn") else { return Err(RegisterError::Failed) };
        if goal.token != "pulumi:pulumi:getResource" {
            return Err(RegisterError::Failed);
        }
        self.asked.lock().unwrap().push(urn.clone());
        self.resources.get(urn).cloned().map(Some).ok_or(RegisterError::Failed)
    }

    async fn call(&self, _: MethodGoal) -> Result<CallResponse, RegisterError> {
        Err(RegisterError::Failed)
    }

    fn report(&self, _: Diagnostic) {}
}

fn reference(urn: &Urn) -> Value {
    let id = Some(Box::new("id".into()));
    Value::from(ResourceReference { urn: urn.clone(), id, package_version: String::new() })
}

async fn call(
    provider: &dyn Provider,
    monitor: &Registry,
    token: &str,
    arguments: &[(&str, Value)],
) -> Result<CallResponse, outrigger_provider::CallError> {
    let request = CallRequest {
        token: token.to_owned(),
        arguments: map(arguments),
        argument_dependencies: PropertyDependencies::new(),
    };
    provider.call(&cx(), request, monitor).await
}

#[tokio::test]
async fn a_method_asks_the_monitor_for_its_resource_and_its_provider() {
    let started = Started::new("conformance", "call").await;
    let version = started.plugin.info(&cx()).await.unwrap().version;
    let settings = [("version", version.as_str().into()), ("value", "provider ".into())];
    let provider = started.configured("call", &settings).await;
    let custom = Urn::new("test", "project", None, "call:index:Custom", "it");
    let own = provider_urn("call");
    let state = |value: &str| ("state", Value::Map(map(&[("value", value.into())])));
    let registry = Registry::new(&[
        (&custom, map(&[state("resource"), ("provider", format!("{own}::id").into())])),
        (&own, map(&[state("provider "), ("provider", "".into())])),
    ]);

    let this = ("__self__", reference(&custom));
    let answer = call(&*provider, &registry, "call:index:Custom/providerValue", &[this]).await.unwrap();
    assert_eq!(answer.result, map(&[("result", "provider resource".into())]));
    assert_eq!(registry.asked(), [custom.to_string(), own.to_string()]);

    let this = ("__self__", reference(&own));
    let answer =
        call(&*provider, &registry, "pulumi:providers:call/identity", std::slice::from_ref(&this)).await.unwrap();
    assert_eq!(answer.result, map(&[("result", "provider ".into())]));
    let prefix = ("prefix", "my ".into());
    let answer = call(&*provider, &registry, "pulumi:providers:call/prefixed", &[this.clone(), prefix]).await.unwrap();
    assert_eq!(answer.result, map(&[("result", "my provider ".into())]));
    assert_eq!(registry.asked(), [own.to_string(), own.to_string()]);

    // A wrong argument is not a failure of the call.
    let answer =
        call(&*provider, &registry, "pulumi:providers:call/prefixed", std::slice::from_ref(&this)).await.unwrap();
    assert_eq!(
        (answer.failures[0].property.as_str(), answer.failures[0].reason.as_str()),
        ("prefix", "missing prefix")
    );

    let unknown = call(&*provider, &registry, "call:index:Custom/nothing", &[this]).await.unwrap_err();
    assert!(unknown.message.contains("unknown function"), "{unknown}");
    // A resource that the monitor does not know is an error that names it.
    let stranger = ("__self__", reference(&Urn::new("test", "project", None, "call:index:Custom", "stranger")));
    let refused = call(&*provider, &registry, "call:index:Custom/providerValue", &[stranger]).await.unwrap_err();
    assert!(refused.message.contains("hydrating __self__"), "{refused}");
}
