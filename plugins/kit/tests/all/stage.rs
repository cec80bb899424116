//! The configured plugin, and the calls that the tests make.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use outrigger_kit::WardenCommand;
use outrigger_provider::{
    Action, ApplyRequest, CallContext, CheckRequest, Configure, ImportRequest, Invoke, LogLevel, LogSink, Outcome,
    PlanRequest, Planned, Provider, ReadRequest, ReadResult, ResourceIdentity, State, Verdict,
};
use outrigger_value::{Asset, AssetSource, PropertyMap, Urn, Value};
use serde_json::Value as Json;

/// The plugin, configured.
pub(crate) struct Stage {
    provider: Arc<dyn Provider>,
    pub(crate) cx: CallContext,
    said: Arc<Said>,
}

/// The plugin's messages to the user.
#[derive(Default)]
struct Said(Mutex<Vec<String>>);

impl LogSink for Said {
    fn log(&self, _level: LogLevel, _urn: Option<&Urn>, message: &str, _ephemeral: bool) {
        self.0.lock().unwrap().push(message.to_owned());
    }
}

/// A failed call.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) message: String,
    pub(crate) in_doubt: bool,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        let warden = WardenCommand {
            program: PathBuf::from(env!("CARGO_BIN_EXE_pulumi-resource-kit")),
            arguments: vec!["__warden".into()],
        };
        let plugin = outrigger_kit::package(warden).plugin().unwrap();
        let said = Arc::new(Said::default());
        let cx = CallContext { log: Arc::clone(&said) as Arc<dyn LogSink>, ..CallContext::background() };
        let urn: Urn = "urn:pulumi:dev::test::pulumi:providers:kit::default".parse().unwrap();
        let configure = Configure { urn, id: "1".to_owned(), inputs: PropertyMap::new() };
        let provider = plugin.configure(&cx, configure).await.unwrap();
        Self { provider, cx, said }
    }

    /// The plugin's messages to the user so far.
    pub(crate) fn said(&self) -> Vec<String> {
        self.said.0.lock().unwrap().clone()
    }

    /// The reasons why inputs are rejected, by property.
    pub(crate) async fn refusals(&self, token: &str, inputs: Json) -> Vec<(String, String)> {
        let checked = self.provider.check(&self.cx, check(token, properties(inputs))).await.unwrap();
        checked.failures.into_iter().map(|failure| (failure.property, failure.reason)).collect()
    }

    async fn checked(&self, token: &str, inputs: Json) -> PropertyMap {
        let checked = self.provider.check(&self.cx, check(token, properties(inputs))).await.unwrap();
        assert!(checked.failures.is_empty(), "{:?}", checked.failures);
        checked.inputs
    }

    pub(crate) async fn plan(&self, token: &str, state: &State, inputs: Json) -> Planned {
        let inputs = self.checked(token, inputs).await;
        let request = PlanRequest {
            resource: identity(token),
            prior: Some(state.clone()),
            inputs: Some(inputs),
            ignore_changes: Vec::new(),
            predict: true,
            timeout: None,
        };
        self.provider.plan(&self.cx, request).await.unwrap()
    }

    pub(crate) async fn verdict(&self, token: &str, state: &State, inputs: Json) -> Verdict {
        self.plan(token, state, inputs).await.verdict
    }

    pub(crate) async fn create(&self, token: &str, inputs: Json) -> Result<State, Failed> {
        let inputs = self.checked(token, inputs).await;
        self.apply(token, Action::Create, None, inputs).await
    }

    pub(crate) async fn update(&self, token: &str, state: &State, inputs: Json) -> Result<State, Failed> {
        let inputs = self.checked(token, inputs).await;
        self.apply(token, Action::Update, Some(state.clone()), inputs).await
    }

    pub(crate) async fn delete(&self, token: &str, state: &State) -> Result<(), Failed> {
        self.apply(token, Action::Delete, Some(state.clone()), PropertyMap::new()).await.map(drop)
    }

    async fn apply(
        &self,
        token: &str,
        action: Action,
        prior: Option<State>,
        inputs: PropertyMap,
    ) -> Result<State, Failed> {
        let request = ApplyRequest {
            resource: identity(token),
            action,
            prior,
            inputs,
            ignore_changes: Vec::new(),
            timeout: None,
        };
        match self.provider.apply(&self.cx, request).await {
            Outcome::Done(state) => Ok(state),
            Outcome::NotDone(error) => Err(Failed { message: error.to_string(), in_doubt: false }),
            Outcome::Unknown { error, .. } => Err(Failed { message: error.to_string(), in_doubt: true }),
            other => panic!("{other:?}"),
        }
    }

    /// The current state; `None` if the resource is missing.
    pub(crate) async fn read(&self, token: &str, state: &State) -> Result<Option<State>, String> {
        let request = ReadRequest { resource: identity(token), state: state.clone(), timeout: None };
        match self.provider.read(&self.cx, request).await {
            Ok(ReadResult::Found { state, .. }) => Ok(Some(state)),
            Ok(ReadResult::Gone) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    pub(crate) async fn import(&self, token: &str, id: &str) -> Result<Option<State>, String> {
        let request = ImportRequest { resource: identity(token), id: id.to_owned(), timeout: None };
        let imported = self.provider.import(&self.cx, request).await.map_err(|error| error.to_string())?;
        Ok(imported.resources.into_iter().next().map(|(_, state)| state))
    }

    /// Calls a function; rejected arguments are an error.
    pub(crate) async fn invoke(&self, token: &str, arguments: Json) -> Result<PropertyMap, String> {
        let request = Invoke { token: token.to_owned(), arguments: properties(arguments), preview: false };
        let invoked = self.provider.invoke(&self.cx, request).await.map_err(|error| error.to_string())?;
        match invoked.failures.first() {
            Some(failure) => Err(format!("{}: {}", failure.property, failure.reason)),
            None => Ok(invoked.result),
        }
    }
}

fn identity(token: &str) -> ResourceIdentity {
    ResourceIdentity::new(format!("urn:pulumi:dev::test::{token}::it").parse().unwrap())
}

fn check(token: &str, news: PropertyMap) -> CheckRequest {
    CheckRequest { resource: identity(token), olds: None, news, random_seed: [7; 32], preview: false, autonaming: None }
}

/// Properties from JSON: `{"$secret": x}` is a secret, `{"$file": path}` and `{"$text": text}` are assets.
pub(crate) fn properties(json: Json) -> PropertyMap {
    match value(json) {
        Value::Map(properties) => properties,
        other => panic!("{other:?}"),
    }
}

fn value(json: Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::Number(number) => Value::Number(number.as_f64().unwrap()),
        Json::String(text) => Value::String(text),
        Json::Array(items) => Value::List(items.into_iter().map(value).collect()),
        Json::Object(mut entries) => {
            if let Some(secret) = entries.remove("$secret") {
                return Value::secret(value(secret));
            }
            let path = entries.remove("$file").map(|path| AssetSource::Path(path.as_str().unwrap().to_owned()));
            let text = entries.remove("$text").map(|text| AssetSource::Text(text.as_str().unwrap().to_owned()));
            if let Some(source) = path.or(text) {
                return Value::from(Asset { hash: String::new(), source });
            }
            Value::Map(entries.into_iter().map(|(key, json)| (key, value(json))).collect())
        }
    }
}

/// A text among properties, secret or not.
#[track_caller]
pub(crate) fn text(properties: &PropertyMap, name: &str) -> String {
    match properties.get(name).map(Value::bare) {
        Some(Value::String(text)) => text.clone(),
        other => panic!("`{name}` is {other:?}"),
    }
}

/// Whether a property is secret.
#[track_caller]
pub(crate) fn is_secret(properties: &PropertyMap, name: &str) -> bool {
    matches!(properties.get(name).unwrap(), Value::Secret(_))
}
