//! A provider's configuration. Engines send every value that is not a string as JSON in a string, and want it back like that.

use outrigger_terraform::cty::Value as Cty;
use outrigger_value::{PropertyMap, Value, signature};

use crate::naming::object_names::{Object, Shape};
use crate::values::encode::{self, Misfit};
use crate::values::json;

/// Keys that belong to the engine, not to the provider.
pub(crate) fn is_engines(key: &str) -> bool {
    crate::values::delta::is_bookkeeping(key)
        || matches!(key, "version" | "pluginDownloadURL" | "name" | "parameterization")
}

/// The configuration with the JSON in strings parsed.
pub(crate) fn unfolded(object: &Object, properties: &PropertyMap) -> Result<PropertyMap, Misfit> {
    properties.iter().map(|(key, value)| Ok((key.clone(), unfolded_one(object, key, value)?))).collect()
}

/// The same for an earlier configuration, perhaps of another version of the provider: a value that does not fit its type stays as it is, and so
/// differs from the new one.
pub(crate) fn unfolded_before(object: &Object, properties: &PropertyMap) -> PropertyMap {
    let unfolded = |key: &str, value: &Value| unfolded_one(object, key, value).unwrap_or_else(|_| value.clone());
    properties.iter().map(|(key, value)| (key.clone(), unfolded(key, value))).collect()
}

fn unfolded_one(object: &Object, key: &str, value: &Value) -> Result<Value, Misfit> {
    match (object.field(key).map(|field| &field.shape), value.bare()) {
        (Some(shape), Value::String(text)) if !matches!(shape, Shape::String) => {
            let parsed = parsed(shape, text).ok_or_else(|| not_json(key, shape))?;
            Ok(if value.contains_secret() { Value::secret(parsed) } else { parsed })
        }
        _ => Ok(value.clone()),
    }
}

/// The configuration with every value that is not a string as JSON in a string. A value that is partly unknown becomes unknown as a whole; one
/// that contains a secret becomes secret. Nulls are left out: an empty string would mean a zero or an empty block, which is not what was
/// checked.
pub(crate) fn folded(object: &Object, properties: PropertyMap) -> PropertyMap {
    let given =
        properties.into_iter().filter(|(key, value)| object.field(key).is_none() || *value.bare() != Value::Null);
    let folded = given.map(|(key, value)| {
        if object.field(&key).is_none() {
            return (key, value);
        }
        if value.contains_unknown() {
            return (key, Value::Unknown);
        }
        let secret = value.contains_secret();
        let text = match value.bare() {
            Value::String(text) => text.clone(),
            other => {
                let mut text = String::new();
                // Assets and resources, which have no JSON form, were refused before.
                let _no_form = json::write(other, &mut text);
                text
            }
        };
        let text = Value::String(text);
        (key, if secret { Value::secret(text) } else { text })
    });
    folded.collect()
}

/// The configuration, encoded for the provider.
pub(crate) fn encoded(object: &Object, properties: &PropertyMap) -> Result<Cty, Misfit> {
    encode::object(object, &unfolded(object, properties)?)
}

fn parsed(shape: &Shape, text: &str) -> Option<Value> {
    if text.is_empty() {
        return Some(match shape {
            Shape::Bool => Value::Bool(false),
            Shape::Number => Value::Number(0.0),
            Shape::List(_) | Shape::Set(_) => Value::List(Vec::new()),
            _ => Value::Map(PropertyMap::new()),
        });
    }
    serde_json::from_str(text).ok().map(json::value).map(marked)
}

/// Values that programs in other languages mark as secret inside the JSON are secret. Pulumi's bridge forgets the mark and stores them in clear.
fn marked(value: Value) -> Value {
    match value {
        Value::Map(mut items) => {
            let secret = items.get(signature::SIGNATURE).and_then(Value::as_str) == Some(signature::SECRET);
            match secret.then(|| items.remove("value")).flatten() {
                Some(inner) => Value::secret(marked(inner)),
                None => Value::Map(items.into_iter().map(|(key, item)| (key, marked(item))).collect()),
            }
        }
        Value::List(items) => Value::List(items.into_iter().map(marked).collect()),
        other => other,
    }
}

fn not_json(key: &str, shape: &Shape) -> Misfit {
    let (kind, example) = match shape {
        Shape::Bool => ("a boolean", "true"),
        Shape::Number => ("a number", "3"),
        Shape::List(_) | Shape::Set(_) => ("a list", "[\"a\"]"),
        _ => ("an object", "{\"a\": \"b\"}"),
    };
    Misfit::of(key, format!("{kind} is needed, in JSON, for example `{example}`"))
}

#[cfg(test)]
mod tests {
    use outrigger_terraform::cty::Type;
    use outrigger_terraform::schema::{Block, Nesting};

    use super::*;
    use crate::test_support::{attribute, nested};

    fn object() -> Object {
        let attributes = vec![
            attribute("region", Type::String, "o"),
            attribute("retries", Type::Number, "o"),
            attribute("strict", Type::Bool, "o"),
            attribute("zone", Type::list(Type::String), "o"),
            attribute("tags", Type::map(Type::map(Type::String)), "o"),
        ];
        let blocks = vec![nested("site", Nesting::List, 1, vec![attribute("port", Type::Number, "o")])];
        Object::of_block(&Block { attributes, blocks, ..Block::default() })
    }

    fn properties<const N: usize>(items: [(&str, Value); N]) -> PropertyMap {
        items.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    fn one(key: &str, text: &str) -> Result<Value, Misfit> {
        let mut unfolded = unfolded(&object(), &properties([(key, Value::from(text))]))?;
        Ok(unfolded.remove(key).unwrap_or(Value::Null))
    }

    #[test]
    fn what_is_folded_is_unfolded() {
        let site = Value::Map(properties([("port", Value::Number(80.0))]));
        let tags = Value::Map(properties([(
            "a",
            Value::Map(properties([("value", Value::from("b")), ("c", Value::from("d"))])),
        )]));
        let all = properties([
            ("region", Value::from("{\"not\":\"json\"}")),
            ("retries", Value::Number(2.5)),
            ("strict", Value::Bool(true)),
            ("zones", Value::List(vec![Value::from("a"), Value::from("b")])),
            ("tags", tags),
            ("site", Value::secret(site)),
            ("other", Value::Number(1.0)),
        ]);
        let folded = folded(&object(), all.clone());
        assert_eq!(folded.get("retries"), Some(&Value::from("2.5")));
        assert_eq!(folded.get("zones"), Some(&Value::from(r#"["a","b"]"#)));
        assert_eq!(folded.get("site"), Some(&Value::secret(Value::from(r#"{"port":80}"#))));
        assert_eq!(folded.get("other"), Some(&Value::Number(1.0)));
        assert_eq!(unfolded(&object(), &folded).unwrap(), all);
    }

    #[test]
    fn what_is_unknown_somewhere_is_unknown() {
        let zones = Value::secret(Value::List(vec![Value::from("a"), Value::Unknown]));
        assert_eq!(folded(&object(), properties([("zones", zones)])), properties([("zones", Value::Unknown)]));
    }

    #[test]
    fn no_text_is_nothing() {
        assert_eq!(one("strict", "").unwrap(), Value::Bool(false));
        assert_eq!(one("retries", "").unwrap(), Value::Number(0.0));
        assert_eq!(one("zones", "").unwrap(), Value::List(Vec::new()));
        assert_eq!(one("site", "").unwrap(), Value::Map(PropertyMap::new()));
        assert_eq!(one("region", "").unwrap(), Value::from(""));
        assert_eq!(
            folded(&object(), properties([("zones", Value::Null), ("other", Value::Null)])),
            properties([("other", Value::Null)])
        );
        let before = properties([("retries", Value::from("30s")), ("zones", Value::from(r#"["a"]"#))]);
        let zones = Value::List(vec![Value::from("a")]);
        assert_eq!(
            unfolded_before(&object(), &before),
            properties([("retries", Value::from("30s")), ("zones", zones)])
        );
    }

    #[test]
    fn secrets_inside_the_text_stay_secret() {
        let secret = format!(r#"{{"{}":"{}","value":"x"}}"#, signature::SIGNATURE, signature::SECRET);
        let zones = one("zones", &format!("[{secret}]")).unwrap();
        assert_eq!(zones, Value::List(vec![Value::secret(Value::from("x"))]));
        let text = Value::secret(Value::from(r#"["x"]"#));
        assert_eq!(folded(&object(), properties([("zones", zones)])), properties([("zones", text)]));
    }

    #[test]
    fn what_is_not_json_is_named() {
        for (key, kind, example) in [
            ("retries", "a number", "3"),
            ("strict", "a boolean", "true"),
            ("zones", "a list", r#"["a"]"#),
            ("site", "an object", r#"{"a": "b"}"#),
        ] {
            let misfit = one(key, "{no").unwrap_err().to_string();
            assert_eq!(misfit, format!("{key}: {kind} is needed, in JSON, for example `{example}`"));
        }
    }
}
