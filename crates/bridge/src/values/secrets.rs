//! Secret marks: values that the provider calls sensitive are stored as secrets, and so are the user's secrets.

use outrigger_terraform::cty::quote;
use outrigger_value::{PropertyMap, Value, secrecy};

use crate::naming::object_names::{Object, Shape};
use crate::values::meta;

/// The properties, with all sensitive values marked as secret.
pub(crate) fn marked(object: &Object, properties: PropertyMap) -> PropertyMap {
    let marked = properties.into_iter().map(|(name, value)| {
        let value = match object.field(&name) {
            Some(field) => {
                let value = marked_value(&field.shape, value);
                if field.is_secret() { Value::secret(value) } else { value }
            }
            None => value,
        };
        (name, value)
    });
    marked.collect()
}

/// Marks a provider's answer where the inputs are secret. An identity that repeats one of them becomes secret, too.
pub(crate) fn annotate(outputs: &mut PropertyMap, inputs: &PropertyMap) {
    secrecy::annotate(outputs, inputs);
    let Some(Value::String(meta)) = outputs.get(meta::KEY) else { return };
    let mut repeats = false;
    secrecy::secret_texts(inputs, &mut |text| {
        let mut quoted = String::new();
        quote(text, &mut quoted);
        repeats |= meta.contains(&quoted);
    });
    if repeats && let Some(value) = outputs.remove(meta::KEY) {
        outputs.insert(meta::KEY.to_owned(), Value::secret(value));
    }
}

fn marked_value(shape: &Shape, value: Value) -> Value {
    match (shape, value) {
        (Shape::Object(object) | Shape::One { object, .. }, Value::Map(items)) => Value::Map(marked(object, items)),
        (Shape::List(element) | Shape::Set(element), Value::List(items)) => {
            Value::List(items.into_iter().map(|item| marked_value(element, item)).collect())
        }
        (Shape::Map(element), Value::Map(items)) => {
            Value::Map(items.into_iter().map(|(key, item)| (key, marked_value(element, item))).collect())
        }
        (_, value) => value,
    }
}

#[cfg(test)]
mod tests {
    use outrigger_terraform::cty::Type;
    use outrigger_terraform::schema::{Block, Nesting};

    use super::*;
    use crate::test_support::{attribute, nested};

    fn properties<const N: usize>(items: [(&str, Value); N]) -> PropertyMap {
        items.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    #[test]
    fn an_identity_does_not_repeat_what_is_secret() {
        let meta = r#"{"identity":{"account":"a\"b","region":"r"},"schema_version":"1"}"#;
        let after = |secret: &str| {
            let inputs = properties([("account", Value::secret(Value::from(secret)))]);
            let mut outputs = properties([("account", Value::from(secret)), (meta::KEY, Value::from(meta))]);
            annotate(&mut outputs, &inputs);
            assert_eq!(outputs.get("account"), inputs.get("account"));
            outputs.remove(meta::KEY).unwrap()
        };
        assert_eq!(after("a\"b"), Value::secret(Value::from(meta)));
        assert_eq!(after("a"), Value::from(meta));
    }

    #[test]
    fn what_is_sensitive_is_marked_at_every_level() {
        let user = || vec![attribute("key", Type::String, "os"), attribute("name", Type::String, "o")];
        let blocks = vec![
            nested("user", Nesting::List, 0, user()),
            nested("owner", Nesting::Set, 1, user()),
            nested("group", Nesting::Map, 0, user()),
        ];
        let attributes = vec![attribute("token", Type::list(Type::String), "os")];
        let object = Object::of_block(&Block { attributes, blocks, ..Block::default() });
        let with = |key: Value| {
            let one = || Value::Map(properties([("key", key.clone()), ("name", Value::from("n"))]));
            properties([
                ("users", Value::List(vec![one()])),
                ("owner", one()),
                ("group", Value::Map(properties([("g", one())]))),
                ("unheard", Value::from("of")),
            ])
        };
        let mut given = with(Value::from("k"));
        given.insert("tokens".to_owned(), Value::List(vec![Value::from("t")]));
        let mut expected = with(Value::secret(Value::from("k")));
        expected.insert("tokens".to_owned(), Value::secret(Value::List(vec![Value::from("t")])));
        assert_eq!(marked(&object, given), expected);
        assert_eq!(marked(&object, expected.clone()), expected);
    }
}
