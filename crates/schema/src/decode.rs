//! From the schema's JSON to types. Anything missing or of an unknown kind becomes [`Type::Any`] or is left out: a schema describes what a provider
//! accepts, and the provider decides.

use std::borrow::Cow;
use std::collections::BTreeMap;

use outrigger_value::Value;
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::{
    Definition, EnumType, EnumValue, External, Function, ObjectType, Property, Reference, Resource, Returns, Type,
};

/// Deeper nesting than in any real schema; beyond it a type counts as `Any`, so that a hostile schema cannot exhaust the stack.
const MAX_NESTING: usize = 64;

pub(crate) fn resource(json: &str, token: &str, package: &Names<'_>) -> serde_json::Result<Resource> {
    let spec: ResourceSpec = serde_json::from_str(json)?;
    Ok(Resource {
        token: token.to_owned(),
        inputs: package.properties(spec.input_properties, &spec.required_inputs),
        properties: package.properties(spec.properties, &spec.required),
        state_inputs: spec.state_inputs.map(|object| package.properties(object.properties, &object.required)),
        aliases: spec.aliases.into_iter().filter_map(|alias| alias.ty).filter(|ty| !ty.is_empty()).collect(),
        is_component: spec.is_component,
        deprecated: spec.deprecation_message,
    })
}

pub(crate) fn function(json: &str, token: &str, package: &Names<'_>) -> serde_json::Result<Function> {
    let spec: FunctionSpec = serde_json::from_str(json)?;
    let inputs = spec.inputs.unwrap_or_default();
    // Newer schemas put the type that a function returns under `outputs`, whatever it is; older ones have `returnType` for it.
    let returns = match spec.outputs.or(spec.return_type) {
        Some(returned) => returns(returned, package)?,
        None => Returns::Nothing,
    };
    Ok(Function {
        token: token.to_owned(),
        inputs: package.properties(inputs.properties, &inputs.required),
        multi_argument_inputs: spec.multi_argument_inputs,
        returns,
        deprecated: spec.deprecation_message,
    })
}

fn returns(json: Json, package: &Names<'_>) -> serde_json::Result<Returns> {
    // An object is written in place, a map has the type of its values; everything else is an ordinary type.
    let object = json.get("type").and_then(Json::as_str).is_none_or(|ty| ty == "object")
        && json.get("$ref").is_none()
        && json.get("oneOf").is_none();
    if json.get("properties").is_some() || object && json.get("additionalProperties").is_none() {
        let object: ObjectSpec = serde_json::from_value(json)?;
        return Ok(Returns::Object(package.properties(object.properties, &object.required)));
    }
    let spec: TypeSpec = serde_json::from_value(json)?;
    Ok(Returns::Value(package.ty(&spec, 0)))
}

pub(crate) fn definition(json: &str, token: &str, package: &Names<'_>) -> serde_json::Result<Definition> {
    let spec: DefinitionSpec = serde_json::from_str(json)?;
    let token = token.to_owned();
    match spec.values {
        Some(values) => Ok(Definition::Enum(EnumType {
            token,
            element: primitive(&spec.ty).unwrap_or(Type::Any),
            values: values
                .into_iter()
                .map(|value| EnumValue { name: value.name.unwrap_or_default(), value: self::value(&value.value) })
                .collect(),
        })),
        None => Ok(Definition::Object(ObjectType {
            token,
            properties: package.properties(spec.properties, &spec.required),
        })),
    }
}

pub(crate) fn config(json: &str, package: &Names<'_>) -> serde_json::Result<BTreeMap<String, Property>> {
    let spec: ConfigSpec = serde_json::from_str(json)?;
    Ok(package.properties(spec.variables, &[]))
}

/// The names that belong to the package itself, to distinguish references to it from others.
pub(crate) struct Names<'a> {
    pub(crate) name: &'a str,
    pub(crate) version: &'a str,
}

impl Names<'_> {
    fn properties(&self, specs: BTreeMap<String, PropertySpec>, required: &[String]) -> BTreeMap<String, Property> {
        let property = |name: &String, spec: &PropertySpec| Property {
            ty: self.ty(&spec.ty, 0),
            required: required.contains(name),
            secret: spec.secret,
            replace_on_changes: spec.replace_on_changes,
            will_replace_on_changes: spec.will_replace_on_changes,
            plain: spec.ty.plain,
            constant: spec.constant.as_ref().map(value),
            default: spec.default.as_ref().map(value),
            deprecated: spec.deprecation_message.clone(),
        };
        specs.iter().map(|(name, spec)| (name.clone(), property(name, spec))).collect()
    }

    fn ty(&self, spec: &TypeSpec, depth: usize) -> Type {
        if depth > MAX_NESTING {
            return Type::Any;
        }
        if let Some(reference) = spec.reference.as_deref().filter(|reference| !reference.is_empty()) {
            return self.reference(reference, spec.ty.as_deref());
        }
        if let Some(branches) = &spec.one_of {
            return Type::Union(branches.iter().map(|branch| self.ty(branch, depth + 1)).collect());
        }
        match spec.ty.as_deref() {
            Some("array") => {
                Type::List(Box::new(spec.items.as_deref().map_or(Type::Any, |items| self.ty(items, depth + 1))))
            }
            // An object without a type for its values contains strings.
            Some("object") => Type::Map(Box::new(
                spec.additional_properties.as_deref().map_or(Type::String, |element| self.ty(element, depth + 1)),
            )),
            Some(name) => primitive(name).unwrap_or(Type::Any),
            None => Type::Any,
        }
    }

    /// `#/types/TOKEN`, `#/resources/TOKEN`, `#/provider`, the same after `/PACKAGE/vVERSION/schema.json`, and Pulumi's own.
    fn reference(&self, text: &str, ty: Option<&str>) -> Type {
        match text {
            "pulumi.json#/Archive" => return Type::Archive,
            "pulumi.json#/Asset" => return Type::Asset,
            "pulumi.json#/Json" => return Type::Json,
            "pulumi.json#/Any" => return Type::Any,
            _ => {}
        }
        let Some((document, fragment)) = text.split_once('#') else { return Type::Any };
        let external = match document.trim_start_matches('/').split('/').collect::<Vec<_>>().as_slice() {
            [""] => None,
            [package, version, ..] => {
                let version = version.strip_prefix('v').unwrap_or(version);
                (*package != self.name || version != self.version)
                    .then(|| External { package: percent_decoded(package), version: version.to_owned() })
            }
            _ => return Type::Any,
        };
        let fragment = fragment.trim_start_matches('/');
        let (kind, token) = fragment.split_once('/').unwrap_or((fragment, ""));
        let token = percent_decoded(token);
        match kind {
            "types" => {
                let underlying = ty.and_then(primitive).map(Box::new);
                Type::Named(Reference { token, external, underlying })
            }
            "resources" => Type::Resource(Reference { token, external, underlying: None }),
            "provider" => {
                let name = external.as_ref().map_or(self.name, |external| &external.package);
                Type::Resource(Reference { token: format!("pulumi:providers:{name}"), external, underlying: None })
            }
            _ => Type::Any,
        }
    }
}

pub(crate) fn primitive(name: &str) -> Option<Type> {
    Some(match name {
        "string" => Type::String,
        "number" => Type::Number,
        "integer" => Type::Integer,
        "boolean" => Type::Boolean,
        _ => return None,
    })
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => number.as_f64().map_or(Value::Null, Value::Number),
        Json::String(text) => Value::String(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(value).collect()),
        Json::Object(map) => Value::Map(map.iter().map(|(key, item)| (key.clone(), value(item))).collect()),
    }
}

/// References are URLs: a `/` in a token is written `%2F`. Broken escapes stay as they are.
fn percent_decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), Cow::into_owned)
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ResourceSpec {
    properties: BTreeMap<String, PropertySpec>,
    required: Vec<String>,
    input_properties: BTreeMap<String, PropertySpec>,
    required_inputs: Vec<String>,
    state_inputs: Option<ObjectSpec>,
    aliases: Vec<AliasSpec>,
    is_component: bool,
    deprecation_message: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ConfigSpec {
    variables: BTreeMap<String, PropertySpec>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct AliasSpec {
    #[serde(rename = "type")]
    ty: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct FunctionSpec {
    inputs: Option<ObjectSpec>,
    outputs: Option<Json>,
    return_type: Option<Json>,
    multi_argument_inputs: Vec<String>,
    deprecation_message: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ObjectSpec {
    properties: BTreeMap<String, PropertySpec>,
    required: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct DefinitionSpec {
    #[serde(rename = "type")]
    ty: String,
    properties: BTreeMap<String, PropertySpec>,
    required: Vec<String>,
    #[serde(rename = "enum")]
    values: Option<Vec<EnumSpec>>,
}

#[derive(Deserialize)]
struct EnumSpec {
    name: Option<String>,
    #[serde(default)]
    value: Json,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct PropertySpec {
    #[serde(flatten)]
    ty: TypeSpec,
    #[serde(rename = "const")]
    constant: Option<Json>,
    default: Option<Json>,
    deprecation_message: Option<String>,
    secret: bool,
    replace_on_changes: bool,
    will_replace_on_changes: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct TypeSpec {
    #[serde(rename = "type")]
    ty: Option<String>,
    #[serde(rename = "$ref")]
    reference: Option<String>,
    items: Option<Box<TypeSpec>>,
    additional_properties: Option<Box<TypeSpec>>,
    one_of: Option<Vec<TypeSpec>>,
    plain: bool,
}
