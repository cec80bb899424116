//! A program that has one resource or calls one function, with no more than the required properties.

use std::fmt::Write;

use outrigger_schema::{Definition, Package, Property, Reference, Type};
use outrigger_value::Value;
use serde_json::{Map, Value as Json, json};

/// No real example is deeper.
const DEEPEST: usize = 16;

/// Resources that others need, at most.
const MOST: usize = 20;

/// Strings for properties whose name contains a word.
const TEXTS: [(&str, &str); 6] = [
    ("url", "https://example.com"),
    ("email", "user@example.com"),
    ("cidr", "10.0.0.0/16"),
    ("path", "example.txt"),
    ("duration", "1h"),
    ("region", "us-east-1"),
];

/// The resource with this full token, and those that it needs.
pub(super) fn of_resource(package: &Package, token: &str) -> String {
    let mut example = Example { package, resources: Vec::new(), open: Vec::new() };
    example.add(token, 0);
    let mut text = "resources:\n".to_owned();
    for (name, token, properties) in example.resources {
        let ty = package.short(&token, Package::resolve_resource);
        // Writing to a string cannot fail, here and below.
        let _ = write!(text, "  {name}:\n    type: {}\n", scalar(&ty));
        if !properties.is_empty() {
            text.push_str("    properties:\n");
            entries(&mut text, &properties, 6);
        }
    }
    text
}

/// A call of the function with this full token.
pub(super) fn of_function(package: &Package, token: &str) -> String {
    let mut example = Example { package, resources: Vec::new(), open: Vec::new() };
    let function = package.function(token).ok().flatten();
    let arguments = function.map(|function| example.required(&function.inputs, 0)).unwrap_or_default();
    let short = package.short(token, Package::resolve_function);
    let mut text = format!("variables:\n  {}:\n    {}:", name_of(token), scalar(&format!("fn::{short}")));
    if arguments.is_empty() {
        text.push_str(" {}\n");
    } else {
        text.push('\n');
        entries(&mut text, &arguments, 6);
    }
    text
}

struct Example<'a> {
    package: &'a Package,
    /// Name, token and properties.
    resources: Vec<(String, String, Map<String, Json>)>,
    /// The types of the objects around the present value: a type that requires itself would have no end.
    open: Vec<String>,
}

impl Example<'_> {
    /// Adds a resource unless there is one of its type; returns its name.
    fn add(&mut self, token: &str, depth: usize) -> String {
        if let Some((name, ..)) = self.resources.iter().find(|(_, known, _)| known == token) {
            return name.clone();
        }
        let mut name = name_of(token);
        while self.resources.iter().any(|(known, ..)| *known == name) {
            name.push('2');
        }
        let at = self.resources.len();
        self.resources.push((name.clone(), token.to_owned(), Map::new()));
        if let Ok(Some(resource)) = self.package.resource(token) {
            let properties = self.required(&resource.inputs, depth);
            self.resources[at].2 = properties;
        }
        name
    }

    fn required<'p>(
        &mut self,
        properties: impl IntoIterator<Item = (&'p String, &'p Property)>,
        depth: usize,
    ) -> Map<String, Json> {
        let required = properties.into_iter().filter(|(name, property)| property.required && *name != "__self__");
        required.map(|(name, property)| (name.clone(), self.property(name, property, depth))).collect()
    }

    fn property(&mut self, name: &str, property: &Property, depth: usize) -> Json {
        match property.constant.as_ref().or(property.default.as_ref()) {
            Some(value) => literal(value),
            None => self.value(name, &property.ty, depth),
        }
    }

    fn value(&mut self, name: &str, ty: &Type, depth: usize) -> Json {
        match ty {
            Type::String => {
                let folded = name.to_lowercase();
                let known = TEXTS.iter().find(|(word, _)| folded.contains(word));
                json!(known.map_or("example", |(_, text)| *text))
            }
            Type::Number | Type::Integer => json!(1),
            Type::Boolean => json!(true),
            Type::Any | Type::Json => json!("example"),
            Type::Asset => json!({"fn::stringAsset": "example"}),
            Type::Archive => json!({"fn::assetArchive": {"example.txt": {"fn::stringAsset": "example"}}}),
            Type::List(_) if depth > DEEPEST => json!([]),
            Type::Map(_) if depth > DEEPEST => json!({}),
            Type::List(element) => json!([self.value(name, element, depth + 1)]),
            Type::Map(element) => json!({"key": self.value(name, element, depth + 1)}),
            Type::Union(branches) => branches.first().map_or(Json::Null, |branch| self.value(name, branch, depth + 1)),
            Type::Resource(reference) if reference.external.is_none() && self.resources.len() < MOST => {
                json!(format!("${{{}}}", self.add(&reference.token, depth + 1)))
            }
            Type::Resource(_) => Json::Null,
            Type::Named(reference) => self.named(name, reference, depth),
        }
    }

    fn named(&mut self, name: &str, reference: &Reference, depth: usize) -> Json {
        let definition = match reference.external {
            None => self.package.ty(&reference.token).ok().flatten(),
            Some(_) => None,
        };
        match definition.as_deref() {
            Some(Definition::Enum(values)) => values.values.first().map_or(Json::Null, |first| literal(&first.value)),
            Some(Definition::Object(object)) if depth <= DEEPEST && !self.open.contains(&object.token) => {
                self.open.push(object.token.clone());
                let properties = self.required(&object.properties, depth + 1);
                self.open.pop();
                Json::Object(properties)
            }
            Some(Definition::Object(_)) => json!({}),
            None => reference.underlying.as_deref().map_or_else(|| json!({}), |ty| self.value(name, ty, depth + 1)),
        }
    }
}

/// A name for a resource or a variable, from a token.
fn name_of(token: &str) -> String {
    let last = token.rsplit(':').next().unwrap_or_default();
    let last = last.strip_prefix("get").filter(|rest| rest.starts_with(char::is_uppercase)).unwrap_or(last);
    let mut letters = last.chars().filter(char::is_ascii_alphanumeric);
    let first = letters.next().filter(char::is_ascii_alphabetic);
    first.map_or_else(|| "example".to_owned(), |first| first.to_lowercase().chain(letters).collect())
}

/// A value that the schema has: nothing in it is an expression.
fn literal(value: &Value) -> Json {
    match value {
        Value::Bool(value) => json!(value),
        // A whole number has no fraction in the program, either.
        Value::Number(number) => serde_json::from_str(&number.to_string()).unwrap_or(Json::Null),
        Value::String(text) => json!(text.replace('$', "$$")),
        Value::List(items) => Json::Array(items.iter().map(literal).collect()),
        Value::Map(map) => Json::Object(map.iter().map(|(key, value)| (key.to_string(), literal(value))).collect()),
        _ => Json::Null,
    }
}

fn entries(text: &mut String, map: &Map<String, Json>, indent: usize) {
    for (key, value) in map {
        let _ = write!(text, "{:indent$}{}:", "", scalar(key));
        below(text, value, indent);
    }
}

/// A value behind its key or its dash.
fn below(text: &mut String, value: &Json, indent: usize) {
    match value {
        Json::Object(map) if !map.is_empty() => {
            text.push('\n');
            entries(text, map, indent + 2);
        }
        Json::Array(items) if !items.is_empty() => {
            text.push('\n');
            for item in items {
                let _ = write!(text, "{:1$}-", "", indent + 2);
                match item {
                    Json::Object(map) if !map.is_empty() => {
                        let mut inside = String::new();
                        entries(&mut inside, map, indent + 4);
                        let _ = write!(text, " {}", inside.trim_start());
                    }
                    _ => below(text, item, indent + 2),
                }
            }
        }
        Json::String(string) => {
            let _ = writeln!(text, " {}", scalar(string));
        }
        other => {
            let _ = writeln!(text, " {other}");
        }
    }
}

/// A string in YAML: in quotes, unless it cannot be anything else.
fn scalar(text: &str) -> String {
    let word = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '$')
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./:${}@".contains(letter))
        && !text.ends_with(':');
    let taken = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"].contains(&&*text.to_lowercase());
    if word && !taken { text.to_owned() } else { Json::from(text).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r##"{"name": "p", "types": {
        "p:index:Kind": {"type": "string", "enum": [{"value": "on"}, {"value": "off"}]},
        "p:index:Loop": {"type": "object", "properties": {"again": {"$ref": "#/types/p:index:Loop"}}, "required": ["again"]},
        "p:index:Part": {"type": "object", "properties": {"n": {"type": "integer"}, "o": {"type": "string"}}, "required": ["n"]}},
      "resources": {
        "p:index:Other": {"inputProperties": {"self": {"$ref": "#/resources/p:index:Thing"}}, "requiredInputs": ["self"]},
        "p:index:Thing": {"requiredInputs": ["kind", "loop", "other", "parts", "serverUrl", "size", "version"], "inputProperties": {
          "kind": {"$ref": "#/types/p:index:Kind"}, "loop": {"$ref": "#/types/p:index:Loop"},
          "other": {"$ref": "#/resources/p:index:Other"}, "optional": {"type": "string"},
          "parts": {"type": "array", "items": {"$ref": "#/types/p:index:Part"}}, "serverUrl": {"type": "string"},
          "size": {"type": "string", "default": "${a} 1.0"}, "version": {"type": "integer", "const": 2}}}},
      "functions": {"p:m:getThing": {}, "p:m:find": {"inputs": {"properties": {"x": {"type": "boolean"}}, "required": ["x"]}}}}"##;

    #[test]
    fn an_example_has_what_is_required() {
        let package = Package::parse(SCHEMA.as_bytes().to_vec()).unwrap();
        let thing = of_resource(&package, "p:index:Thing");
        let beginning = "resources:\n  thing:\n    type: p:Thing\n    properties:\n      kind: \"on\"\n      loop:\n        again: {}\n";
        assert!(thing.starts_with(beginning), "{thing}");
        let end = "      other: ${other}\n      parts:\n        - \"n\": 1\n      serverUrl: https://example.com\n      \
            size: \"$${a} 1.0\"\n      version: 2\n  other:\n    type: p:Other\n    properties:\n      self: ${thing}\n";
        assert!(thing.ends_with(end), "{thing}");
        assert_eq!(of_function(&package, "p:m:getThing"), "variables:\n  thing:\n    fn::p:m:getThing: {}\n");
        assert_eq!(of_function(&package, "p:m:find"), "variables:\n  find:\n    fn::p:m:find:\n      x: true\n");
    }

    #[test]
    fn text_that_yaml_would_read_as_something_else_is_quoted() {
        for (text, shown) in [
            ("a-b", "a-b"),
            ("${x}", "${x}"),
            ("1.0", "\"1.0\""),
            ("No", "\"No\""),
            ("", "\"\""),
            ("a: b", "\"a: b\""),
            ("x:", "\"x:\""),
        ] {
            assert_eq!(scalar(text), shown);
        }
    }
}
