//! Inputs found in a provider's answer: for a refresh, and for an import.

use outrigger_value::{PropertyMap, Value};

use crate::naming::object_names::{Object, Shape};

/// The inputs of a resource, with their current values. Inputs that are gone are left out, and none are added.
pub(crate) fn refreshed(object: &Object, inputs: PropertyMap, outputs: &PropertyMap) -> PropertyMap {
    let kept = inputs.into_iter().filter_map(|(name, old)| {
        let new = outputs.get(&name)?;
        let shape = object.field(&name).map(|field| &field.shape);
        let value = refreshed_value(shape, old, new);
        Some((name, value))
    });
    kept.filter(|(name, _)| name != "__defaults").collect()
}

fn refreshed_value(shape: Option<&Shape>, old: Value, new: &Value) -> Value {
    match (old, new) {
        // A value that contains a secret is secret as a whole in the outputs, but its parts are still compared: not all of them are inputs.
        (Value::Secret(old), new) => Value::secret(refreshed_value(shape, *old, new.bare())),
        (old, Value::Secret(new)) => Value::secret(refreshed_value(shape, old, new)),
        (Value::List(old), Value::List(new)) => {
            let element = shape.and_then(Shape::element);
            Value::List(old.into_iter().zip(new).map(|(old, new)| refreshed_value(element, old, new)).collect())
        }
        (Value::Map(old), Value::Map(new)) => match shape {
            Some(Shape::Object(object) | Shape::One { object, .. }) => Value::Map(refreshed(object, old, new)),
            shape => {
                let element = shape.and_then(Shape::element);
                let kept = old.into_iter().filter_map(|(key, old)| {
                    let new = new.get(&key)?;
                    Some((key, refreshed_value(element, old, new)))
                });
                Value::Map(kept.collect())
            }
        },
        (_, new) => new.clone(),
    }
}

/// The inputs that would create a resource as it is: everything that a program may set, without optional ones that are empty.
pub(crate) fn imported(object: &Object, outputs: &PropertyMap) -> PropertyMap {
    let given = outputs.iter().filter_map(|(name, value)| {
        let field = object.field(name).filter(|field| field.is_input())?;
        let value = imported_value(&field.shape, value);
        (field.required || !says_nothing(&value)).then(|| (name.clone(), value))
    });
    given.collect()
}

fn imported_value(shape: &Shape, value: &Value) -> Value {
    match (shape, value) {
        (Shape::Object(object) | Shape::One { object, .. }, Value::Map(items)) => Value::Map(imported(object, items)),
        (Shape::List(element) | Shape::Set(element), Value::List(items)) => {
            Value::List(items.iter().map(|item| imported_value(element, item)).collect())
        }
        (Shape::Map(element), Value::Map(items)) => {
            Value::Map(items.iter().map(|(key, item)| (key.clone(), imported_value(element, item))).collect())
        }
        (_, value) => value.clone(),
    }
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => *number == 0.0,
        Value::String(text) => text.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(items) => items.is_empty(),
        Value::Secret(inner) => says_nothing(inner),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use outrigger_terraform::cty::Type;
    use outrigger_terraform::schema::{Block, Nesting};
    use serde_json::json;

    use super::*;
    use crate::test_support::{attribute, nested};

    fn object() -> Object {
        let attributes = vec![
            attribute("name", Type::String, "r"),
            attribute("size", Type::Number, "o"),
            attribute("arn", Type::String, "c"),
            attribute("tag", Type::map(Type::String), "o"),
        ];
        let rule = vec![attribute("port", Type::Number, "o"), attribute("made", Type::String, "c")];
        let blocks = vec![nested("rule", Nesting::List, 0, rule.clone()), nested("site", Nesting::List, 1, rule)];
        Object::of_block(&Block { attributes, blocks, ..Block::default() })
    }

    fn properties(json: serde_json::Value) -> PropertyMap {
        match crate::values::json::value(json) {
            Value::Map(items) => items,
            _ => PropertyMap::new(),
        }
    }

    #[test]
    fn a_refresh_takes_new_values_and_adds_nothing() {
        let inputs = json!({
            "name": "a", "gone": 1, "__defaults": [], "tag": {"a": "1", "gone": "2"},
            "rules": [{"port": 1, "__defaults": []}, {"port": 2}], "site": {"port": 3},
        });
        let outputs = json!({
            "name": "b", "size": 7, "arn": "x", "tag": {"a": "3", "new": "4"}, "__defaults": [],
            "rules": [{"port": 8, "made": "m"}], "site": {"port": 9, "made": "m"},
        });
        let expected = json!({"name": "b", "tag": {"a": "3"}, "rules": [{"port": 8}], "site": {"port": 9}});
        assert_eq!(refreshed(&object(), properties(inputs), &properties(outputs)), properties(expected));
    }

    /// A value that contains a secret is secret as a whole in the outputs.
    #[test]
    fn a_refresh_adds_nothing_to_what_is_secret() {
        let rules = |port: Value, made: bool| {
            let mut rule = PropertyMap::from([("port".to_owned(), port)]);
            if made {
                rule.insert("made".to_owned(), Value::from("m"));
            }
            Value::List(vec![Value::Map(rule)])
        };
        let of = |rules: Value| PropertyMap::from([("rules".to_owned(), rules)]);
        let outputs = of(Value::secret(rules(Value::Number(8.0), true)));
        let expected = of(Value::secret(rules(Value::secret(Value::Number(8.0)), false)));
        let inputs = of(rules(Value::secret(Value::Number(1.0)), false));
        assert_eq!(refreshed(&object(), inputs, &outputs), expected);
        let inputs = of(Value::secret(rules(Value::Number(1.0), false)));
        assert_eq!(refreshed(&object(), inputs, &outputs), of(Value::secret(rules(Value::Number(8.0), false))));
    }

    #[test]
    fn a_value_of_another_kind_is_taken_whole() {
        let inputs = properties(json!({"tag": {"a": "1"}, "size": 1}));
        let mut outputs = properties(json!({"tag": "text"}));
        outputs.insert("size".to_owned(), Value::secret(Value::Number(2.0)));
        assert_eq!(refreshed(&object(), inputs, &outputs), outputs);
    }

    #[test]
    fn an_import_has_what_a_program_would_say() {
        let outputs = json!({
            "name": "", "size": 0, "arn": "x", "tag": {}, "__meta": "{}",
            "rules": [{"port": 8, "made": "m"}, {"port": 0}], "site": {"made": "m"},
        });
        let expected = json!({"name": "", "rules": [{"port": 8}, {}]});
        assert_eq!(imported(&object(), &properties(outputs)), properties(expected));
        let secret = PropertyMap::from([("size".to_owned(), Value::secret(Value::Number(0.0)))]);
        assert_eq!(imported(&object(), &secret), PropertyMap::new());
    }
}
