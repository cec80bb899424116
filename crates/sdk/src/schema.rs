//! The package's schema, from its types.

use std::collections::BTreeMap;
use std::fmt;

use outrigger_value::Value;
use serde_json::{Map, Value as Json, json};

use crate::Package;
use crate::shape::{EnumShape, ObjectShape, PropertyShape, Shape};

/// A mistake in a package that keeps it from having a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaMistake {
    /// The token or type with the mistake.
    pub at: String,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for SchemaMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.at, self.reason)
    }
}

impl std::error::Error for SchemaMistake {}

/// The kinds of names that a schema may not use, because every resource has them.
const RESERVED: [&str; 2] = ["id", "urn"];

/// Writes the schema.
pub(crate) fn write(package: &Package) -> Result<String, Vec<SchemaMistake>> {
    let mut writer = Writer { package: package.name, types: BTreeMap::new(), mistakes: Vec::new() };
    for token in &package.twice {
        writer.mistake(token, "it was added to the package twice");
    }
    let mut schema: Map<String, Json> =
        package.about.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    schema.insert("name".to_owned(), package.name.into());
    schema.insert("version".to_owned(), package.version.into());
    if let Some(configuration) = &package.configuration {
        if configuration.shape.deprecated.is_some() {
            writer.mistake(configuration.shape.name, "a configuration cannot be deprecated, only its properties");
        }
        let (properties, required) = writer.properties(configuration.shape);
        schema.insert("config".to_owned(), json!({"variables": properties, "required": required}));
        let provider = json!({"inputProperties": properties, "requiredInputs": required});
        schema.insert("provider".to_owned(), provider);
    }
    let resources = package
        .resources
        .iter()
        .map(|(token, resource)| ((*token).to_owned(), writer.resource(token, resource.taken(), resource.answered())));
    schema.insert("resources".to_owned(), Json::Object(resources.collect()));
    let functions = package
        .functions
        .iter()
        .map(|(token, function)| ((*token).to_owned(), writer.function(token, function.taken(), function.answered())));
    schema.insert("functions".to_owned(), Json::Object(functions.collect()));
    let types = writer.types.into_iter().map(|(token, (_, definition))| (token, definition)).collect();
    schema.insert("types".to_owned(), Json::Object(types));
    match writer.mistakes.is_empty() {
        true => Ok(Json::Object(schema).to_string()),
        false => Err(writer.mistakes),
    }
}

struct Writer {
    package: &'static str,
    /// Definitions by token, each with the address of the shape that it was made from.
    types: BTreeMap<String, (usize, Json)>,
    mistakes: Vec<SchemaMistake>,
}

impl Writer {
    fn mistake(&mut self, at: &str, reason: impl Into<String>) {
        self.mistakes.push(SchemaMistake { at: at.to_owned(), reason: reason.into() });
    }

    fn check_token(&mut self, token: &str) {
        let parts: Vec<&str> = token.split(':').collect();
        if parts.len() != 3 || parts.iter().any(|part| part.is_empty()) {
            self.mistake(token, format!("a token has three parts, such as `{}:index:Thing`", self.package));
        } else if parts.first() != Some(&self.package) {
            self.mistake(token, format!("a token begins with the package's name, `{}`", self.package));
        }
    }

    fn resource(&mut self, token: &str, taken: &ObjectShape, answered: &ObjectShape) -> Json {
        self.check_token(token);
        for property in answered.properties.iter().filter(|property| RESERVED.contains(&property.name)) {
            let reason = format!("every resource has an `{}` of its own: give the output another name", property.name);
            self.mistake(token, reason);
        }
        let (inputs, required_inputs) = self.properties(taken);
        let (outputs, required) = self.properties(answered);
        let mut resource = described(answered.description, answered.deprecated.or(taken.deprecated));
        resource.insert("inputProperties".to_owned(), inputs);
        resource.insert("requiredInputs".to_owned(), required_inputs);
        resource.insert("properties".to_owned(), outputs);
        resource.insert("required".to_owned(), required);
        Json::Object(resource)
    }

    fn function(&mut self, token: &str, taken: &ObjectShape, answered: &ObjectShape) -> Json {
        self.check_token(token);
        for property in taken.properties.iter().filter(|property| property.replace) {
            self.mistake(token, format!("`{}` is `replace`, but a function replaces nothing", property.name));
        }
        if answered.deprecated.is_some() {
            self.mistake(token, "a result cannot be deprecated: deprecate the arguments, which stand for the function");
        }
        for property in answered.properties.iter().filter(|property| property.stable) {
            self.mistake(token, format!("`{}` is `stable`, but a function updates nothing", property.name));
        }
        let (inputs, required_inputs) = self.properties(taken);
        let (outputs, required) = self.properties(answered);
        let mut function = described(taken.description, taken.deprecated);
        function.insert("inputs".to_owned(), json!({"properties": inputs, "required": required_inputs}));
        let mut result = described(answered.description, None);
        result.insert("properties".to_owned(), outputs);
        result.insert("required".to_owned(), required);
        function.insert("outputs".to_owned(), Json::Object(result));
        Json::Object(function)
    }

    fn properties(&mut self, shape: &ObjectShape) -> (Json, Json) {
        let properties: Map<String, Json> =
            shape.properties.iter().map(|property| (property.name.to_owned(), self.property(property))).collect();
        // A program may leave out a value that the environment or the engine can provide; the plugin itself checks whether it is there.
        let required =
            |property: &&PropertyShape| property.required && property.environment.is_empty() && !property.autoname;
        let required = shape.properties.iter().filter(required);
        let mut required: Vec<&str> = required.map(|property| property.name).collect();
        required.sort_unstable();
        (Json::Object(properties), required.into())
    }

    fn property(&mut self, property: &PropertyShape) -> Json {
        let mut spec = self.ty(&property.shape);
        spec.extend(described(property.description, property.deprecated));
        for (mark, key) in [(property.secret, "secret"), (property.replace, "willReplaceOnChanges")] {
            if mark {
                spec.insert(key.to_owned(), true.into());
            }
        }
        if let Some(default) = property.default.as_ref().and_then(literal) {
            spec.insert("default".to_owned(), default);
        }
        if !property.environment.is_empty() {
            spec.insert("defaultInfo".to_owned(), json!({"environment": property.environment}));
        }
        Json::Object(spec)
    }

    fn ty(&mut self, shape: &Shape) -> Map<String, Json> {
        let spec = match shape {
            Shape::String => json!({"type": "string"}),
            Shape::Number => json!({"type": "number"}),
            Shape::Integer => json!({"type": "integer"}),
            Shape::Boolean => json!({"type": "boolean"}),
            Shape::Any => json!({"$ref": "pulumi.json#/Any"}),
            Shape::Asset => json!({"$ref": "pulumi.json#/Asset"}),
            Shape::Archive => json!({"$ref": "pulumi.json#/Archive"}),
            Shape::List(element) => json!({"type": "array", "items": self.ty(element)}),
            Shape::Map(element) => json!({"type": "object", "additionalProperties": self.ty(element)}),
            Shape::Object(object) => {
                let token = self.object(object());
                json!({"type": "object", "$ref": format!("#/types/{token}")})
            }
            Shape::Enum(values) => {
                let token = self.enumeration(values());
                json!({"type": "string", "$ref": format!("#/types/{token}")})
            }
        };
        match spec {
            Json::Object(spec) => spec,
            _ => Map::new(),
        }
    }

    /// Takes a token for a type. Returns whether its definition is still to be written.
    fn claim(&mut self, token: &str, shape: usize) -> bool {
        match self.types.get(token) {
            None => {
                self.check_token(token);
                // In its place before it is written: it may contain itself.
                self.types.insert(token.to_owned(), (shape, Json::Null));
                true
            }
            Some((other, _)) if *other == shape => false,
            Some(_) => {
                self.mistake(
                    token,
                    "two types have this token: give one of them another with `#[outrigger(token = …)]`",
                );
                false
            }
        }
    }

    fn object(&mut self, shape: &'static ObjectShape) -> String {
        let token = self.token(shape.name, shape.token);
        if self.claim(&token, std::ptr::from_ref(shape).addr()) {
            let (properties, required) = self.properties(shape);
            let mut definition = described(shape.description, None);
            definition.insert("type".to_owned(), "object".into());
            definition.insert("properties".to_owned(), properties);
            definition.insert("required".to_owned(), required);
            self.define(&token, definition);
        }
        token
    }

    fn enumeration(&mut self, shape: &'static EnumShape) -> String {
        let token = self.token(shape.name, shape.token);
        if self.claim(&token, std::ptr::from_ref(shape).addr()) {
            let values = shape.values.iter().map(|value| {
                let mut spec = described(value.description, value.deprecated);
                spec.insert("name".to_owned(), value.name.into());
                spec.insert("value".to_owned(), value.value.into());
                Json::Object(spec)
            });
            let mut definition = described(shape.description, None);
            definition.insert("type".to_owned(), "string".into());
            definition.insert("enum".to_owned(), values.collect());
            self.define(&token, definition);
        }
        token
    }

    fn define(&mut self, token: &str, definition: Map<String, Json>) {
        if let Some((_, written)) = self.types.get_mut(token) {
            *written = Json::Object(definition);
        }
    }

    fn token(&self, name: &str, token: Option<&str>) -> String {
        token.map_or_else(|| format!("{}:index:{name}", self.package), str::to_owned)
    }
}

fn described(description: &str, deprecated: Option<&str>) -> Map<String, Json> {
    let mut spec = Map::new();
    if !description.is_empty() {
        spec.insert("description".to_owned(), description.into());
    }
    if let Some(deprecated) = deprecated {
        spec.insert("deprecationMessage".to_owned(), deprecated.into());
    }
    spec
}

/// Schemas have defaults for plain values only; others are filled in by the plugin alone. A secret does not belong there.
fn literal(value: &Value) -> Option<Json> {
    match value {
        Value::Bool(value) => Some((*value).into()),
        Value::Number(number) => crate::property::whole(value.clone())
            .map_or_else(|_| serde_json::Number::from_f64(*number).map(Json::Number), |whole| Some(whole.into())),
        Value::String(text) => Some(text.clone().into()),
        _ => None,
    }
}
