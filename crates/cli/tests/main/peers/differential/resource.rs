//! A resource, through the calls that an engine would make.

use serde_json::{Value, json};

use super::talk::{Talk, plain};

/// A resource in a conversation, with the state that the engine would have.
pub(crate) struct Resource<'a> {
    talk: &'a mut Talk,
    token: String,
    urn: String,
    name: String,
    pub(crate) id: String,
    /// The answer of the last check.
    pub(crate) inputs: Value,
    /// The properties that the last create, update or read answered.
    pub(crate) state: Value,
}

impl<'a> Resource<'a> {
    pub(crate) fn new(talk: &'a mut Talk, token: String, urn: String, name: &str) -> Self {
        let (id, inputs, state) = (String::new(), json!({}), json!({}));
        Self { talk, token, urn, name: name.to_owned(), id, inputs, state }
    }

    /// The conversation, for other calls in between.
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

    /// A call about this resource with a limited time.
    pub(crate) fn call_for(&mut self, seconds: f64, method: &str, more: Value) -> Value {
        let request = self.request(more);
        self.talk.call_for(seconds, method, request)
    }

    /// Checks inputs, and keeps the answer.
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

    /// A diff of the inputs that it was created with and the present ones.
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

    /// Checks new inputs, asks for the diff, and applies it.
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
