//! The calls for writing a scenario.

use serde_json::{Value, json};

use super::drive::{Drive, monitor};
use super::resource::Resource;
use super::world::World;
use crate::peers::terraform::moto::Moto;

/// The wire's placeholder for a value that is not known yet, whatever its type.
pub(crate) const UNKNOWN: &str = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const SIGNATURE: &str = "4dabf18193072939515e22adb298388d";
const SECRET: &str = "1b47061264138c4ac30d75fd1eb44270";

/// A thing that happened, so that it can happen to the other side.
pub(crate) enum Event {
    /// A call, its answer, and the world after it.
    Call { call: Value, answer: Value, world: Value },
    /// Another program changed the world.
    Change { file: String, content: Option<String> },
}

/// A conversation with a fresh plugin process, in which a request may depend on earlier answers.
pub(crate) struct Talk {
    provider: &'static str,
    program: String,
    drive: Drive,
    world: World,
    cloud: Option<Moto>,
    events: Vec<Event>,
}

impl Talk {
    pub(crate) fn new(provider: &'static str, program: String, drive: Drive, world: World) -> Self {
        Self { provider, program, drive, world, cloud: None, events: Vec::new() }
    }

    /// The events, and the cloud in which they happened, if there was one.
    pub(crate) fn end(self) -> (Vec<Event>, Option<Moto>) {
        (self.events, self.cloud)
    }

    /// The world's directory, for inputs.
    pub(crate) fn world(&self) -> String {
        self.world.root().display().to_string()
    }

    /// Where AWS is. The other side finds it at the same address, empty again.
    pub(crate) fn cloud(&mut self) -> String {
        let start = || {
            let cloud = Moto::start();
            cloud.forget();
            cloud
        };
        self.cloud.get_or_insert_with(start).address()
    }

    /// The Terraform provider's executable.
    pub(crate) fn program(&self) -> String {
        self.program.clone()
    }

    /// Makes a call and returns its answer, `{"reply": …}` or `{"error": …}`.
    pub(crate) fn call(&mut self, method: &str, request: Value) -> Value {
        self.send(json!({"method": method, "request": request}))
    }

    /// A call with a limited time.
    pub(crate) fn call_for(&mut self, seconds: f64, method: &str, request: Value) -> Value {
        self.send(json!({"method": method, "request": request, "seconds": seconds}))
    }

    fn send(&mut self, call: Value) -> Value {
        let answer = self.drive.call(&call);
        self.events.push(Event::Call { call, answer: answer.clone(), world: self.world.look() });
        answer
    }

    /// Writes or removes a file of the world, as another program would.
    pub(crate) fn put(&mut self, file: &str, content: Option<&str>) {
        self.world.put(file, content);
        self.events.push(Event::Change { file: file.to_owned(), content: content.map(str::to_owned) });
    }

    /// Changes a file with JSON, as another program would.
    pub(crate) fn edit(&mut self, file: &str, change: impl FnOnce(&mut Value)) {
        let mut content = serde_json::from_str(&self.world.get(file)).unwrap();
        change(&mut content);
        self.put(file, Some(&content.to_string()));
    }

    /// The beginning of every conversation: the provider's parameters, its schema, its configuration.
    pub(crate) fn begin(&mut self, config: Value) {
        self.parameterize();
        let urn = self.provider_urn();
        let checked = self.call("CheckConfig", json!({"urn": urn, "news": config}));
        let args = checked["reply"]["inputs"].clone();
        self.configure(args);
    }

    /// `Parameterize` by arguments.
    pub(crate) fn parameterize(&mut self) {
        let args = [self.program()];
        self.call("Parameterize", json!({"args": {"args": args}}));
    }

    /// `Configure` with the answer of `CheckConfig`.
    pub(crate) fn configure(&mut self, args: Value) {
        let request = json!({
            "args": args, "acceptSecrets": true, "acceptResources": true,
            "sendsOldInputs": true, "sendsOldInputsToDelete": true,
        });
        self.call("Configure", request);
    }

    /// The name of the provider's own resource.
    pub(crate) fn provider_urn(&self) -> String {
        format!("urn:pulumi:dev::differential::pulumi:providers:{}::default", self.provider)
    }

    /// A resource to be.
    pub(crate) fn resource(&mut self, kind: &str, name: &str) -> Resource<'_> {
        let token = format!("{}:index/{}:{kind}", self.provider, lower_first(kind));
        let urn = format!("urn:pulumi:dev::differential::{token}::{name}");
        Resource::new(self, token, urn, name)
    }

    /// A data source or a function, by the name it has in the package.
    pub(crate) fn invoke(&mut self, function: &str, args: Value) -> Value {
        let token = format!("{}:index/{function}:{function}", self.provider);
        self.call("Invoke", json!({"tok": token, "args": args}))
    }

    /// A method of the provider's own resource.
    pub(crate) fn method(&mut self, name: &str, args: Value) -> Value {
        let token = format!("pulumi:providers:{}/{name}", self.provider);
        self.call("Call", json!({"tok": token, "args": args, "monitorEndpoint": monitor()}))
    }

    /// A resource from its creation to its deletion, through every call that an engine would make: it is created with the first inputs and changed to
    /// each of the others, by an update or by a replacement, whichever the plugin asks for.
    pub(crate) fn life(&mut self, kind: &str, name: &str, inputs: &[Value]) {
        let mut resource = self.resource(kind, name);
        let [first, others @ ..] = inputs else { panic!("a life without inputs") };
        resource.check(first.clone());
        resource.preview();
        resource.create();
        resource.diff_same();
        resource.refresh();
        resource.import();
        for next in others {
            resource.change(next.clone());
        }
        resource.delete();
    }
}

/// A value in the form that marks it as secret.
pub(crate) fn secret(value: Value) -> Value {
    json!({SIGNATURE: SECRET, "value": value})
}

/// Whether a value is marked as secret.
pub(crate) fn is_secret(value: &Value) -> bool {
    value.get(SIGNATURE).is_some_and(|mark| mark == SECRET)
}

/// The value without marks of secrecy: an engine sends none to a plugin that does not accept them.
pub(crate) fn plain(value: &Value) -> Value {
    match value {
        Value::Object(fields) if is_secret(value) => plain(&fields["value"]),
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), plain(value))).collect(),
        Value::Array(items) => items.iter().map(plain).collect(),
        other => other.clone(),
    }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
