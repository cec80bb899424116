//! Checks inputs against their shape: types, names, required properties, defaults, secret marks. Unknown values fit everywhere.

use outrigger_provider::CheckFailure;
use outrigger_value::{PathStep, PropertyMap, PropertyPath, Value, nearest};

use crate::Mismatch;
use crate::property::whole;
use crate::shape::{ObjectShape, PropertyShape, Shape};

/// Looks up an environment variable.
pub(crate) type Environment = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Where the values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputKind {
    /// A program, whose values have types.
    Program,
    /// A stack's configuration, where everything is a string: numbers and the like are written as JSON.
    Configuration,
}

/// Completed inputs.
pub(crate) struct Completed {
    pub(crate) inputs: PropertyMap,
    pub(crate) failures: Vec<CheckFailure>,
}

impl Completed {
    /// Whether all is right and every value is known.
    pub(crate) fn is_settled(&self) -> bool {
        self.failures.is_empty() && !self.inputs.values().any(Value::contains_unknown)
    }
}

/// Checks and completes inputs.
pub(crate) fn complete(
    shape: &ObjectShape,
    given: PropertyMap,
    origin: InputKind,
    environment: &Environment,
) -> Completed {
    let mut check = Check { origin, environment, at: Vec::new(), failures: Vec::new() };
    let inputs = check.object(shape, given);
    Completed { inputs, failures: check.failures }
}

/// Names that the engine and other parties use; they are kept as they are.
pub(crate) fn is_internal(name: &str) -> bool {
    name.starts_with("__")
}

/// All failures in one line.
pub(crate) fn listed(failures: &[CheckFailure]) -> String {
    let text = |failure: &CheckFailure| format!("`{}`: {}", failure.property, failure.reason);
    failures.iter().map(text).collect::<Vec<_>>().join("; ")
}

struct Check<'a> {
    origin: InputKind,
    environment: &'a Environment,
    at: Vec<PathStep>,
    failures: Vec<CheckFailure>,
}

impl Check<'_> {
    fn fail(&mut self, reason: impl Into<String>) {
        let property = PropertyPath(self.at.clone()).to_string();
        self.failures.push(CheckFailure::new(property, reason));
    }

    fn object(&mut self, shape: &ObjectShape, given: PropertyMap) -> PropertyMap {
        let mut checked = PropertyMap::new();
        for (name, value) in given {
            if *value.bare() == Value::Null {
                continue;
            }
            if self.at.is_empty() && is_internal(&name) {
                checked.insert(name, value);
                continue;
            }
            self.at.push(PathStep::Key(name.clone()));
            match shape.property(&name) {
                Some(property) => {
                    let value = self.value(&property.shape, value);
                    let value = if property.secret { Value::secret(value) } else { value };
                    checked.insert(name, value);
                }
                None => self.unknown_name(shape, &name),
            }
            self.at.pop();
        }
        for property in &shape.properties {
            if checked.contains_key(property.name) {
                continue;
            }
            self.at.push(PathStep::Key(property.name.to_owned()));
            if let Some(value) = self.missing(property) {
                checked.insert(property.name.to_owned(), value);
            }
            self.at.pop();
        }
        checked
    }

    fn unknown_name(&mut self, shape: &ObjectShape, name: &str) {
        let names = shape.properties.iter().map(|property| property.name);
        let known = names.clone().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        self.fail(match nearest::closest(name, names) {
            Some(near) => format!("there is no property `{name}`; did you mean `{near}`?"),
            None if known.is_empty() => format!("there is no property `{name}`; no properties are accepted here"),
            None => format!("there is no property `{name}`; there are {known}"),
        });
    }

    /// The value of a property that is not given: from the environment, or its default.
    fn missing(&mut self, property: &PropertyShape) -> Option<Value> {
        let variable = property.environment.iter().find_map(|name| (self.environment)(name));
        let value = match variable {
            Some(text) => {
                // A variable is a string, whatever the origin of the other values.
                let origin = std::mem::replace(&mut self.origin, InputKind::Configuration);
                let value = self.value(&property.shape, Value::String(text));
                self.origin = origin;
                Some(value)
            }
            None => property.default.clone(),
        };
        if value.is_none() && property.required {
            self.fail(required(property));
        }
        value.map(|value| if property.secret { Value::secret(value) } else { value })
    }

    fn value(&mut self, shape: &Shape, value: Value) -> Value {
        match value {
            Value::Unknown => Value::Unknown,
            Value::Secret(inner) => Value::secret(self.value(shape, *inner)),
            Value::Output(output) => {
                let value = self.value(shape, output.value.unwrap_or(Value::Unknown));
                if output.secret { Value::secret(value) } else { value }
            }
            Value::String(text) if self.origin == InputKind::Configuration && !is_text(shape) => {
                match serde_json::from_str(&text) {
                    Ok(parsed) => self.typed(shape, from_json(parsed)),
                    Err(_) => self.typed(shape, Value::String(text)),
                }
            }
            other => self.typed(shape, other),
        }
    }

    fn typed(&mut self, shape: &Shape, value: Value) -> Value {
        let expected = match (shape, value) {
            (Shape::Any, value) => return value,
            (Shape::String | Shape::Enum(_), Value::Resource(reference)) => {
                let id = reference.id.map_or_else(|| Value::String(reference.urn.to_string()), |id| *id);
                return self.value(shape, id);
            }
            (Shape::String, value @ Value::String(_))
            | (Shape::Boolean, value @ Value::Bool(_))
            | (Shape::Number, value @ Value::Number(_))
            | (Shape::Asset, value @ Value::Asset(_))
            | (Shape::Archive, value @ Value::Archive(_)) => return value,
            (Shape::Integer, value @ Value::Number(_)) => match whole(value.clone()) {
                Ok(_) => return value,
                Err(mismatch) => mismatch,
            },
            (Shape::Enum(values), Value::String(text)) => match values().contains(&text) {
                true => return Value::String(text),
                false => values().refuse(&text),
            },
            (Shape::List(element), Value::List(items)) => return self.list(element, items),
            (Shape::Map(element), Value::Map(entries)) => return self.map(element, entries),
            (Shape::Object(object), Value::Map(properties)) => return Value::Map(self.object(object(), properties)),
            (shape, value) => Mismatch::expected(phrase(shape), &value),
        };
        self.fail(expected.reason());
        // It counts as given; otherwise it would be reported as missing, too.
        Value::Null
    }

    fn list(&mut self, element: &Shape, items: Vec<Value>) -> Value {
        let mut checked = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            self.at.push(PathStep::Index(index));
            checked.push(self.value(element, item));
            self.at.pop();
        }
        Value::List(checked)
    }

    fn map(&mut self, element: &Shape, entries: PropertyMap) -> Value {
        let mut checked = PropertyMap::new();
        for (key, value) in entries {
            self.at.push(PathStep::Key(key.clone()));
            let value = self.value(element, value);
            checked.insert(key, value);
            self.at.pop();
        }
        Value::Map(checked)
    }
}

/// Why a missing property matters, with its description if it has one.
fn required(property: &PropertyShape) -> String {
    let mut reason = "it is required".to_owned();
    if let Some(line) = property.description.lines().next() {
        reason.push_str(": ");
        reason.push_str(line.trim_end_matches('.'));
    }
    if !property.environment.is_empty() {
        let variables = property.environment.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
        reason.push_str(&format!(" (the environment variable {variables} may also give it)"));
    }
    reason
}

fn is_text(shape: &Shape) -> bool {
    matches!(shape, Shape::String | Shape::Enum(_) | Shape::Any)
}

fn phrase(shape: &Shape) -> &'static str {
    match shape {
        Shape::String | Shape::Enum(_) => "a string",
        Shape::Number => "a number",
        Shape::Integer => "a whole number",
        Shape::Boolean => "a boolean",
        Shape::Any => "a value",
        Shape::Asset => "an asset",
        Shape::Archive => "an archive",
        Shape::List(_) => "a list",
        Shape::Map(_) | Shape::Object(_) => "an object",
    }
}

fn from_json(json: serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::Number(number) => number.as_f64().map_or(Value::Null, Value::Number),
        Json::String(text) => Value::String(text),
        Json::Array(items) => Value::List(items.into_iter().map(from_json).collect()),
        Json::Object(entries) => Value::Map(entries.into_iter().map(|(key, value)| (key, from_json(value))).collect()),
    }
}
