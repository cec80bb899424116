//! Secret marks for plugins that do not know secrets: what was secret on the way in stays secret on the way back.

use crate::{PropertyMap, Value};

/// Marks values that have the name of a secret input. Two objects are compared inside; anything else that holds a secret
/// makes the whole answer of that name secret, as the order of a list may have changed.
pub fn annotate(answer: &mut PropertyMap, inputs: &PropertyMap) {
    for (key, input) in inputs {
        let Some(value) = answer.get_mut(key) else { continue };
        match (value, input) {
            (Value::Map(answer), Value::Map(input)) => annotate(answer, input),
            (Value::Secret(_), _) => {}
            (value, input) if input.contains_secret() => conceal(value),
            _ => {}
        }
    }
}

/// Marks every value of an answer, for a function that was given a secret.
pub fn conceal_all(answer: &mut PropertyMap) {
    answer.values_mut().for_each(conceal);
}

fn conceal(value: &mut Value) {
    let plain = std::mem::replace(value, Value::Null);
    *value = Value::secret(plain);
}

/// Whether anything in the properties is secret.
pub fn has_secrets(properties: &PropertyMap) -> bool {
    properties.values().any(Value::contains_secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, Value)]) -> PropertyMap {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
    }

    #[test]
    fn marks_return_where_they_were() {
        let inputs = map(&[
            ("plain", "a".into()),
            ("password", Value::secret("b".into())),
            ("nested", Value::Map(map(&[("x", Value::secret("c".into())), ("y", "d".into())]))),
            ("list", Value::List(vec!["e".into(), Value::secret("f".into())])),
            ("gone", Value::secret("g".into())),
        ]);
        let mut answer = map(&[
            ("plain", "a".into()),
            ("password", "b".into()),
            ("nested", Value::Map(map(&[("x", "c".into()), ("y", "d".into())]))),
            ("list", Value::List(vec!["f".into(), "e".into()])),
            ("new", "h".into()),
        ]);
        annotate(&mut answer, &inputs);
        let expected = map(&[
            ("plain", "a".into()),
            ("password", Value::secret("b".into())),
            ("nested", Value::Map(map(&[("x", Value::secret("c".into())), ("y", "d".into())]))),
            ("list", Value::secret(Value::List(vec!["f".into(), "e".into()]))),
            ("new", "h".into()),
        ]);
        assert_eq!(answer, expected);
    }
}
