//! The Configure request: typed properties, and for old plugins the same as strings.

use std::collections::HashMap;

use outrigger_provider::Configure;
use outrigger_value::Value;

use crate::encoding::{Encoding, EncodingError, encode};
use crate::generated::pulumirpc::ConfigureRequest;

/// The plugin's own version: part of the properties, not of the configuration.
const VERSION: &str = "version";

/// The request. The inputs have no unknown values.
pub(crate) fn request(configure: Configure) -> Result<ConfigureRequest, EncodingError> {
    let Configure { urn, id, inputs } = configure;
    let package = urn.provider_package().unwrap_or_default().to_owned();
    let variables: HashMap<String, String> = inputs
        .iter()
        .filter(|(key, _)| *key != VERSION)
        .map(|(key, value)| (format!("{package}:config:{key}"), text(value)))
        .collect();
    // A plugin that does not support secrets ignores the typed properties, so they always have the marks.
    let how = Encoding { unknowns: true, secrets: true, resources: true, outputs: false, elide: false };
    Ok(ConfigureRequest {
        variables,
        args: Some(encode(inputs, how)?),
        accept_secrets: true,
        accept_resources: true,
        sends_old_inputs: true,
        sends_old_inputs_to_delete: true,
        id: Some(id),
        name: Some(urn.name().to_owned()),
        r#type: Some(urn.ty().to_owned()),
        urn: Some(urn.to_string()),
    })
}

/// A string as it is, any other value as JSON.
fn text(value: &Value) -> String {
    match value.bare() {
        Value::String(text) => text.clone(),
        other => json(other).to_string(),
    }
}

fn json(value: &Value) -> serde_json::Value {
    use serde_json::Value as Json;
    match value.bare() {
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(number) => json_number(*number),
        Value::String(text) => Json::String(text.clone()),
        Value::List(items) => Json::Array(items.iter().map(json).collect()),
        Value::Map(map) => Json::Object(map.iter().map(|(key, value)| (key.clone(), json(value))).collect()),
        Value::Resource(reference) => match reference.id.as_deref() {
            Some(id) => json(id),
            None => Json::String(reference.urn.to_string()),
        },
        // No schema has assets in a configuration; unknown values were refused before.
        Value::Null | Value::Asset(_) | Value::Archive(_) | Value::Unknown => Json::Null,
        Value::Secret(_) | Value::Output(_) => Json::Null,
    }
}

/// Go writes a whole number without a fraction.
fn json_number(number: f64) -> serde_json::Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= EXACT {
        #[allow(clippy::cast_possible_truncation, reason = "whole, and within the exact range of a double")]
        return serde_json::Value::from(number as i64);
    }
    serde_json::Number::from_f64(number).map_or(serde_json::Value::Null, serde_json::Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outrigger_value::PropertyMap;

    #[test]
    fn variables_are_texts_or_json() {
        let inputs = PropertyMap::from([
            ("version".to_owned(), "1.2.3".into()),
            ("region".to_owned(), Value::secret("eu".into())),
            ("retries".to_owned(), 3.0.into()),
            ("tags".to_owned(), Value::Map(PropertyMap::from([("a".to_owned(), Value::secret(true.into()))]))),
        ]);
        let urn = outrigger_value::Urn::new("dev", "shop", None, "pulumi:providers:aws", "main");
        let request = request(Configure { urn, id: "id".to_owned(), inputs }).unwrap();
        let mut variables: Vec<_> = request.variables.into_iter().collect();
        variables.sort();
        let expected = [("aws:config:region", "eu"), ("aws:config:retries", "3"), ("aws:config:tags", r#"{"a":true}"#)];
        assert_eq!(variables, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
        assert!(request.args.unwrap().fields.contains_key("version"));
    }
}
