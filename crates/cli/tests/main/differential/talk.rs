//! What a scenario is written with.

use serde_json::{Value, json};

use super::drive::Drive;
use super::world::World;

/// What the wire has in the place of a value that is not known yet, whatever its type.
pub(crate) const UNKNOWN: &str = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const SIGNATURE: &str = "4dabf18193072939515e22adb298388d";
const SECRET: &str = "1b47061264138c4ac30d75fd1eb44270";

/// A thing that happened, so that it can happen to the other side.
pub(crate) enum Event {
    /// A call, its answer, and the world after it.
    Call { call: Value, answer: Value, world: Value },
    /// Somebody changed the world.
    Change { file: String, content: Option<String> },
}

/// A conversation with a fresh plugin process, in which each request may be made from the answers before it.
pub(crate) struct Talk {
    provider: &'static str,
    program: String,
    drive: Drive,
    world: World,
    events: Vec<Event>,
}

impl Talk {
    pub(crate) fn new(provider: &'static str, program: String, drive: Drive, world: World) -> Self {
        Self { provider, program, drive, world, events: Vec::new() }
    }

    /// What happened.
    pub(crate) fn events(self) -> Vec<Event> {
        self.events
    }

    /// The world's directory, for inputs.
    pub(crate) fn world(&self) -> String {
        self.world.root().display().to_string()
    }

    /// The Terraform provider's executable.
    pub(crate) fn program(&self) -> String {
        self.program.clone()
    }

    /// Makes a call and answers what came back, `{"reply": …}` or `{"error": …}`.
    pub(crate) fn call(&mut self, method: &str, request: Value) -> Value {
        self.send(json!({"method": method, "request": request}))
    }

    fn call_for(&mut self, seconds: f64, method: &str, request: Value) -> Value {
        self.send(json!({"method": method, "request": request, "seconds": seconds}))
    }

    fn send(&mut self, call: Value) -> Value {
        let answer = self.drive.call(&call);
        self.events.push(Event::Call { call, answer: answer.clone(), world: self.world.look() });
        answer
    }

    /// Somebody else writes a file of the world, or removes it.
    pub(crate) fn put(&mut self, file: &str, content: Option<&str>) {
        self.world.put(file, content);
        self.events.push(Event::Change { file: file.to_owned(), content: content.map(str::to_owned) });
    }

    /// Somebody else changes a file that holds JSON.
    pub(crate) fn edit(&mut self, file: &str, change: impl FnOnce(&mut Value)) {
        let mut content = serde_json::from_str(&self.world.get(file)).unwrap();
        change(&mut content);
        self.put(file, Some(&content.to_string()));
    }

    /// What every conversation begins with: which provider, its schema, its configuration.
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

    /// `Configure` with what `CheckConfig` answered.
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
        Resource {
            talk: self,
            token,
            urn,
            name: name.to_owned(),
            id: String::new(),
            inputs: json!({}),
            state: json!({}),
        }
    }

    /// A data source or a function, by the name it has in the package.
    pub(crate) fn invoke(&mut self, function: &str, args: Value) -> Value {
        let token = format!("{}:index/{function}:{function}", self.provider);
        self.call("Invoke", json!({"tok": token, "args": args}))
    }

    /// A resource from its beginning to its end, through every call that an engine would make: it is made from the first inputs
    /// and changed to each of the others, by an update or by a replacement, whichever the plugin asks for.
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

/// A resource in a conversation: what the engine would know of it.
pub(crate) struct Resource<'a> {
    talk: &'a mut Talk,
    token: String,
    urn: String,
    name: String,
    pub(crate) id: String,
    /// What the last check answered.
    pub(crate) inputs: Value,
    /// The properties that the last create, update or read answered.
    pub(crate) state: Value,
}

impl Resource<'_> {
    /// The conversation, for what happens meanwhile.
    pub(crate) fn talk(&mut self) -> &mut Talk {
        self.talk
    }

    /// The parts that nearly every request has.
    fn request(&self, more: Value) -> Value {
        let mut request = json!({"urn": self.urn, "name": self.name, "type": self.token});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    }

    /// Any call about this resource.
    pub(crate) fn call(&mut self, method: &str, more: Value) -> Value {
        let request = self.request(more);
        self.talk.call(method, request)
    }

    /// A call about this resource that may take some time only.
    pub(crate) fn call_for(&mut self, seconds: f64, method: &str, more: Value) -> Value {
        let request = self.request(more);
        self.talk.call_for(seconds, method, request)
    }

    /// Checks inputs, and takes what comes back.
    pub(crate) fn check(&mut self, news: Value) -> Value {
        let olds = plain(&self.inputs);
        let answer = self.call(
            "Check",
            json!({"olds": olds, "news": news, "randomSeed": "c2VlZCBvZiB0aGUgdGVzdHMsIDMyIGJ5dGVzIGxvbmc="}),
        );
        self.inputs = match answer["reply"]["inputs"].clone() {
            Value::Null => json!({}),
            inputs => inputs,
        };
        answer
    }

    pub(crate) fn preview(&mut self) -> Value {
        let properties = plain(&self.inputs);
        self.call("Create", json!({"properties": properties, "preview": true}))
    }

    pub(crate) fn create(&mut self) -> Value {
        let properties = plain(&self.inputs);
        let answer = self.call("Create", json!({"properties": properties}));
        self.take(&answer);
        answer
    }

    /// A diff with the inputs that it has.
    pub(crate) fn diff_same(&mut self) -> Value {
        let inputs = self.inputs.clone();
        self.diff(&inputs, &[])
    }

    /// A diff of the inputs that it was made from and the ones that it has now.
    pub(crate) fn diff(&mut self, old_inputs: &Value, ignore: &[&str]) -> Value {
        let more = json!({
            "id": self.id, "olds": plain(&self.state), "news": plain(&self.inputs),
            "oldInputs": plain(old_inputs), "ignoreChanges": ignore,
        });
        self.call("Diff", more)
    }

    pub(crate) fn update(&mut self, old_inputs: &Value, preview: bool) -> Value {
        let more = json!({
            "id": self.id, "olds": plain(&self.state), "news": plain(&self.inputs),
            "oldInputs": plain(old_inputs), "preview": preview,
        });
        let answer = self.call("Update", more);
        if !preview && answer["reply"]["properties"].is_object() {
            self.state = answer["reply"]["properties"].clone();
        }
        answer
    }

    pub(crate) fn refresh(&mut self) -> Value {
        let more = json!({"id": self.id, "properties": plain(&self.state), "inputs": plain(&self.inputs)});
        self.call("Read", more)
    }

    /// A refresh whose answer counts from now on.
    pub(crate) fn refreshed(&mut self) -> Value {
        let answer = self.refresh();
        self.take(&answer);
        if answer["reply"]["inputs"].is_object() {
            self.inputs = answer["reply"]["inputs"].clone();
        }
        answer
    }

    /// A read with nothing but the id.
    pub(crate) fn import(&mut self) -> Value {
        self.call("Read", json!({"id": self.id}))
    }

    pub(crate) fn delete(&mut self) -> Value {
        let more = json!({"id": self.id, "properties": plain(&self.state), "oldInputs": plain(&self.inputs)});
        self.call("Delete", more)
    }

    /// Checks new inputs, asks what they mean, and does it.
    pub(crate) fn change(&mut self, news: Value) {
        let old_inputs = self.inputs.clone();
        self.check(news);
        let verdict = self.diff(&old_inputs, &[]);
        if verdict["reply"]["replaces"].as_array().is_some_and(|replaces| !replaces.is_empty()) {
            self.preview();
            let (id, state) = (self.id.clone(), plain(&self.state));
            self.create();
            self.call("Delete", json!({"id": id, "properties": state, "oldInputs": plain(&old_inputs)}));
        } else {
            self.update(&old_inputs, true);
            self.update(&old_inputs, false);
        }
    }

    fn take(&mut self, answer: &Value) {
        if let Some(id) = answer["reply"]["id"].as_str() {
            self.id = id.to_owned();
        }
        if answer["reply"]["properties"].is_object() {
            self.state = answer["reply"]["properties"].clone();
        }
    }
}

/// A value in the form that marks it as secret.
pub(crate) fn secret(value: Value) -> Value {
    json!({SIGNATURE: SECRET, "value": value})
}

/// The value without marks of secrecy: an engine sends none to a plugin that does not accept them.
pub(crate) fn plain(value: &Value) -> Value {
    match value {
        Value::Object(fields) if fields.get(SIGNATURE).is_some_and(|mark| mark == SECRET) => plain(&fields["value"]),
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), plain(value))).collect(),
        Value::Array(items) => items.iter().map(plain).collect(),
        other => other.clone(),
    }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
